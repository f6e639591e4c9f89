import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import fastGlob from 'fast-glob';

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
	/^nodes\/shared\/platform\//,
	/^nodes\/shared\/resources\.ts$/,
	/^nodes\/shared\/dsquery\//,
	/^nodes\/shared\/(?:text|settle)\.ts$/,
];

const files = fastGlob.sync(['nodes/**/*.ts', 'credentials/**/*.ts']);
const sources = new Map(files.map((file) => [file, readFileSync(file, 'utf8')]));
const imports = new Map([...sources].map(([file, text]) => [file, importsOf(file, text)]));

function importsOf(file: string, text: string): string[] {
	return [...text.matchAll(/from '([^']+)'/g)].map(([, name = '']) => {
		if (!name.startsWith('.')) return name;
		const path = join(dirname(file), name);
		return [`${path}.ts`, `${path}/index.ts`].find((candidate) => sources.has(candidate)) ?? path;
	});
}

const floorOf = (file: string) => FLOORS.findIndex((floor) => floor.test(file));
const roomOf = (file: string) => /^nodes\/Charg(?:e|ing)\w+\//.exec(file)?.[0];
const arrows = [...imports].flatMap(([from, targets]) =>
	targets.filter((to) => sources.has(to)).map((to) => ({ from, to, arrow: `${from} -> ${to}` })),
);
const broken = (isBroken: (arrow: { from: string; to: string }) => boolean) =>
	arrows.filter(isBroken).map(({ arrow }) => arrow);

test('files import only from lower floors, and no node imports from another', () => {
	expect(files.filter((file) => floorOf(file) < 0)).toEqual([]);
	expect(broken(({ from, to }) => floorOf(to) < floorOf(from))).toEqual([]);
	expect(broken(({ from, to }) => Boolean(roomOf(to)) && roomOf(from) !== roomOf(to))).toEqual([]);
});

test('there are no import cycles', () => {
	const circles: string[] = [];
	const done = new Set<string>();
	const visit = (file: string, path: string[]): void => {
		if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' -> '));
		if (done.has(file) || path.includes(file)) return;
		for (const target of imports.get(file) ?? []) visit(target, [...path, file]);
		done.add(file);
	};
	for (const file of files) visit(file, []);
	expect(circles).toEqual([]);
});

test('platform/index.ts is the only door to the platform', () => {
	const platform = 'nodes/shared/platform/';
	const isInside = (file: string) => file.startsWith(platform);
	expect(broken(({ from, to }) => isInside(to) && !isInside(from) && to !== `${platform}index.ts`)).toEqual([]);
	expect(broken(({ from, to }) => isInside(from) && to === `${platform}index.ts`)).toEqual([]);
});

test('the rooms of platform/ import in one direction', () => {
	const rooms = ['types', 'answers/', 'http/', 'account/', 'lists/', 'connection|open|credentialTest', 'index'];
	const inside = (file: string) => /^nodes\/shared\/platform\/(.+)/.exec(file)?.[1];
	const roomIn = (file: string) => rooms.findIndex((room) => new RegExp(`^(?:${room})`).test(inside(file) ?? ''));
	expect(files.filter((file) => inside(file) !== undefined && roomIn(file) < 0)).toEqual([]);
	expect(broken(({ from, to }) => inside(from) !== undefined && roomIn(to) > roomIn(from))).toEqual([]);
});

test('only platform/ sends requests', () => {
	const senders = [...sources].filter(([, text]) =>
		/helpers\.(?:httpRequest|request)\b|httpRequestWithAuth/.test(text),
	);
	expect(senders.map(([file]) => file).filter((file) => !file.startsWith('nodes/shared/platform/'))).toEqual([]);
});

test('dsquery/, availability/, watch.ts and watched.ts are pure: no I/O, no clock, no n8n', () => {
	const pure = files.filter((file) => /\/(?:dsquery|availability)\/|\/trigger\/watch\/watch(?:ed)?\.ts$/.test(file));
	const seen = new Set<string>();
	const reach = (file: string): void => {
		if (seen.has(file)) return;
		seen.add(file);
		for (const target of imports.get(file) ?? []) reach(target);
	};
	pure.forEach(reach);
	const reached = [...seen];
	const allowed = /^(?:nodes\/.*\/(?:dsquery|availability|trigger)\/|nodes\/shared\/text\.ts$|lodash\/|luxon$|crypto$)/;
	expect(reached.filter((name) => !allowed.test(name))).toEqual([]);
	const clock = /Date\.now\(|new Date\(\)|DateTime\.(?:now|local|utc)\(\)|Math\.random|randomUUID/;
	expect(reached.filter((name) => clock.test(sources.get(name) ?? ''))).toEqual([]);
});

test('shared/ holds only files that at least two nodes use', () => {
	const users = new Map<string, Set<string>>();
	for (const file of files.filter((name) => !name.startsWith('nodes/shared/'))) {
		const owner = roomOf(file) ?? file;
		const visit = (name: string): void => {
			const known = users.get(name) ?? new Set();
			if (known.has(owner)) return;
			users.set(name, known.add(owner));
			for (const target of imports.get(name) ?? []) visit(target);
		};
		visit(file);
	}
	const isShared = (file: string) => file.startsWith('nodes/shared/');
	expect(files.filter((file) => isShared(file) && (users.get(file)?.size ?? 0) < 2)).toEqual([]);
});

test('no folder has more than 14 files', () => {
	const counts = new Map<string, number>();
	for (const file of fastGlob.sync(['nodes/**/*', 'credentials/**/*'])) {
		counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
	}
	expect([...counts].filter(([, count]) => count > 14)).toEqual([]);
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
	const targetsOf = (file: string, text: string) =>
		importsAtRunTime(file, text)
			.filter(({ name, from }) => !(from === 'n8n-workflow' && name === 'sleep'))
			.map(({ name, from }) => (from === door ? behindDoor.find((each) => each.name === name)?.from : from) ?? from);
	const takesN8n = new Set(
		files.filter((file) => /\bI\w+Functions\b/.test(sources.get(file) ?? '')).concat('n8n-workflow', 'n8n-core'),
	);
	const reach = (target: string, seen: Set<string>): Set<string> => {
		if (seen.has(target)) return seen;
		seen.add(target);
		for (const next of targetsOf(target, sources.get(target) ?? '')) reach(next, seen);
		return seen;
	};
	const found = fastGlob.sync('test/{unit,engine,support,bench}/**/*.ts').flatMap((file) => {
		const used = targetsOf(file, readFileSync(file, 'utf8')).filter((target) => sources.has(target));
		return used
			.filter((target) => [...reach(target, new Set())].some((reached) => takesN8n.has(reached)))
			.map((target) => `${file} -> ${target}`);
	});
	expect(found).toEqual([]);
});
