import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import fastGlob from 'fast-glob';
import countBy from 'lodash/countBy';
import groupBy from 'lodash/groupBy';

// The architecture rules of CONTRIBUTING.md.

/** From the top floor down. A file may import from its own floor's folder and from the floors below. */
const FLOORS = [
	/^credentials\//,
	/^nodes\/Charg(?:e|ing)\w+\//,
	/^nodes\/shared\/trigger\//,
	/^nodes\/shared\/summary\//,
	/^nodes\/shared\/list\//,
	/^nodes\/shared\/operation\//,
	/^nodes\/shared\/parameters\//,
	/^nodes\/shared\/csv\//,
	/^nodes\/shared\/longWork\.ts$/,
	/^nodes\/shared\/platform\/index\.ts$/,
	/^nodes\/shared\/platform\/(?:connection|open|credentialTest)\.ts$/,
	/^nodes\/shared\/platform\/lists\//,
	/^nodes\/shared\/platform\/account\//,
	/^nodes\/shared\/platform\/http\//,
	/^nodes\/shared\/platform\/answers\//,
	/^nodes\/shared\/platform\/types\.ts$/,
	/^nodes\/shared\/resources\.ts$/,
	/^nodes\/shared\/dsquery\//,
	/^nodes\/shared\/(?:text|settle)\.ts$/,
];

const files = fastGlob.sync(['nodes/**/*.ts', 'credentials/**/*.ts']);
const sources = new Map(files.map((file) => [file, readFileSync(file, 'utf8')]));

/** What a file imports: files by their paths, packages by their names. */
function importsOf(file: string, text = sources.get(file) ?? ''): string[] {
	return [...text.matchAll(/from '([^']+)'/g)].map(([, name = '']) => {
		if (!name.startsWith('.')) return name;
		const path = join(dirname(file), name);
		return [`${path}.ts`, `${path}/index.ts`].find((candidate) => sources.has(candidate)) ?? path;
	});
}

const imports = new Map(files.map((file) => [file, importsOf(file)]));

/** All that these files lead to, themselves among it. */
function reached(
	names: readonly string[] = [],
	targetsOf: (name: string) => readonly string[] = (name) => imports.get(name) ?? [],
): Set<string> {
	const all = new Set(names);
	for (const name of all) for (const target of targetsOf(name)) all.add(target);
	return all;
}

const floorOf = (file: string) => FLOORS.findIndex((floor) => floor.test(file));
const roomOf = (file: string) => /^nodes\/Charg(?:e|ing)\w+\//.exec(file)?.[0];
const arrows = files.flatMap((from) =>
	importsOf(from).flatMap((to) => (sources.has(to) ? [{ from, to, arrow: `${from} -> ${to}` }] : [])),
);
const broken = (isBroken: (arrow: { from: string; to: string }) => boolean) =>
	arrows.filter(isBroken).map(({ arrow }) => arrow);

test('files import only from lower floors, and no node imports from another', () => {
	expect(files.filter((file) => floorOf(file) < 0)).toEqual([]);
	expect(broken(({ from, to }) => floorOf(to) < floorOf(from))).toEqual([]);
	expect(broken(({ from, to }) => Boolean(roomOf(to)) && roomOf(from) !== roomOf(to))).toEqual([]);
});

test('there are no import cycles', () => {
	expect(files.filter((file) => reached(imports.get(file)).has(file))).toEqual([]);
});

test('platform/index.ts is the only door to the platform', () => {
	const platform = 'nodes/shared/platform/';
	const isInside = (file: string) => file.startsWith(platform);
	expect(broken(({ from, to }) => isInside(to) && !isInside(from) && to !== `${platform}index.ts`)).toEqual([]);
});

test('only platform/ sends requests', () => {
	const senders = [...sources].filter(([, text]) =>
		/helpers\.(?:httpRequest|request)\b|httpRequestWithAuth/.test(text),
	);
	expect(senders.map(([file]) => file).filter((file) => !file.startsWith('nodes/shared/platform/'))).toEqual([]);
});

test('dsquery/, availability/, the rules of triggers and coverage.ts are pure: no I/O, no clock, no n8n', () => {
	const pure = files.filter((file) =>
		/\/(?:dsquery|availability)\/|\/trigger\/watch\/(?:alertRule|changeRecorder|coverage|evaluateRule|pendingValue|ruleKinds|ruleState)\.ts$/.test(
			file,
		),
	);
	const names = [...reached(pure)];
	const allowed = /^(?:nodes\/.*\/(?:dsquery|availability|trigger)\/|nodes\/shared\/text\.ts$|lodash\/|luxon$|crypto$)/;
	expect(names.filter((name) => !allowed.test(name))).toEqual([]);
	const clock = /Date\.now\(|new Date\(\)|DateTime\.(?:now|local|utc)\(\)|Math\.random|randomUUID/;
	expect(names.filter((name) => clock.test(sources.get(name) ?? ''))).toEqual([]);
});

test('shared/ holds only files that at least two nodes use', () => {
	const isShared = (file: string) => file.startsWith('nodes/shared/');
	const owners = groupBy(
		files.filter((file) => !isShared(file)),
		(file) => roomOf(file) ?? file,
	);
	const used = Object.values(owners).flatMap((owned) => [...reached(owned)]);
	const times = countBy(used);
	expect(files.filter((file) => isShared(file) && (times[file] ?? 0) < 2)).toEqual([]);
});

test('what happens hangs on no sentence: none is looked into to decide', () => {
	const looksInto =
		/\b(?:message|description|advice|sentence)\??\.(?:includes|match|startsWith|endsWith|search|indexOf)\(|\.(?:test|exec)\((?:\w+\.)*(?:message|description|advice|sentence)\b/;
	// Whether the platform's own message names its code already, when both are quoted.
	const quoting = ['nodes/shared/platform/answers/refusals.ts: message.includes(code)'];
	const found = [...sources].flatMap(([file, text]) =>
		text
			.split('\n')
			.flatMap((line) => (looksInto.test(line) ? `${file}: ${/\w+\.\w+\([^)]*\)?/.exec(line)?.[0]}` : [])),
	);
	expect(found).toEqual(quoting);
});

/** What is left of the imports of a file once it runs, by name: types are gone. */
function importsAtRunTime(file: string, text: string): Array<{ name: string; from: string }> {
	return [...text.matchAll(/^(?:import|export) (?!type)([^;]*?) from '([^']+)'/gm)].flatMap(([line, names = '']) => {
		const [from = ''] = importsOf(file, line);
		return [...names.replaceAll(/\btype \w+/g, '').matchAll(/\w+/g)].map(([name]) => ({ name, from }));
	});
}

test('tests import nothing of the product but what is pure: it takes nothing of n8n at run time but its sleep', () => {
	const door = 'nodes/shared/platform/index.ts';
	const behindDoor = importsAtRunTime(door, sources.get(door) ?? '');
	const targetsOf = (file: string, text = sources.get(file) ?? '') =>
		importsAtRunTime(file, text)
			.filter(({ name, from }) => !(from === 'n8n-workflow' && name === 'sleep'))
			.map(({ name, from }) => (from === door ? behindDoor.find((each) => each.name === name)?.from : from) ?? from);
	const takesN8n = new Set(
		files.filter((file) => /\bI\w+Functions\b/.test(sources.get(file) ?? '')).concat('n8n-workflow', 'n8n-core'),
	);
	const found = fastGlob.sync('test/{unit,engine,support,bench}/**/*.ts').flatMap((file) => {
		const used = targetsOf(file, readFileSync(file, 'utf8')).filter((target) => sources.has(target));
		return used
			.filter((target) => [...reached([target], targetsOf)].some((name) => takesN8n.has(name)))
			.map((target) => `${file} -> ${target}`);
	});
	expect(found).toEqual([]);
});

/** Functions that share a name are the same part of the same kind of record: of what a trigger is, in each `trigger.ts`. */
const PARTS_OF_TRIGGERS = ['itemsOf', 'nothingToShow', 'readSettings', 'sampleEvents', 'toWatchingJson', 'watchesOf'];

test('no two types have one name, nor two exported functions; functions of triggers share only those of their parts', () => {
	const declared = (file: string, pattern: RegExp) =>
		[...(sources.get(file) ?? '').matchAll(pattern)].map(([, name = '']) => name);
	const repeated = (pattern: RegExp, among = files) =>
		Object.entries(countBy(among.flatMap((file) => declared(file, pattern)))).flatMap(([name, times]) =>
			times > 1 ? name : [],
		);
	expect(repeated(/^(?:export )?(?:interface|type|(?:abstract )?class) (\w+)/gm)).toEqual([]);
	expect(repeated(/^export (?:async )?function\*? (\w+)/gm)).toEqual([]);
	expect(repeated(/^export const (\w+) = (?:async )?(?:<[^=]*>)?\(/gm)).toEqual([]);
	const triggers = files.filter((file) => file.endsWith('Trigger/trigger.ts'));
	expect(repeated(/^(?:async )?function (\w+)/gm, triggers).sort()).toEqual(PARTS_OF_TRIGGERS);
});
