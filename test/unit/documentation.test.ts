import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

import fastGlob from 'fast-glob';

import {
	LONGEST_MINUTES,
	MOST_NAMES as MOST_NAMES_CHECKED,
	MOST_REQUESTS,
} from '../../nodes/ChargingNetworkList/check/listProbe';
import { MOST_STATIONS } from '../../nodes/ChargingStationStatusTrigger/read';
import { MOST_BYTES } from '../../nodes/shared/csv/read';
import { MOST_CONDITIONS, MOST_LEVELS } from '../../nodes/shared/dsquery/read/json';
import { MOST_TEXT, MOST_VALUES } from '../../nodes/shared/dsquery/values/values';
import { EDITOR_TIMEOUT_MS } from '../../nodes/shared/list/dropdowns/liveRows';
import { MAX_PARALLEL_REQUESTS } from '../../nodes/shared/parameters/options';
import { DEFAULT_OPTIONS } from '../../nodes/shared/platform';
import { MAX_READ } from '../../nodes/shared/platform/answers/answerText';
import { LONGEST_NAME, MAX_SHOWN, MOST_NAMES } from '../../nodes/shared/platform/answers/safeText';
import { MAX_TRIES } from '../../nodes/shared/platform/connection';
import { TIMEOUT_MS } from '../../nodes/shared/platform/credentialTest';
import { MAX_ANSWER_BYTES } from '../../nodes/shared/platform/http/answer';
import { MAX_REFUSAL_BYTES } from '../../nodes/shared/platform/http/send';
import { FEW_PAGES, MANY_PAGES } from '../../nodes/shared/platform/lists/walks/growth';
import { MOST_GROUPS } from '../../nodes/shared/summary/groups';
import { MOST_DISTINCT } from '../../nodes/shared/summary/measures';
import { MOST_NEW } from '../../nodes/shared/trigger/reading/newRows';

const PAGES = fastGlob.sync(['*.md', 'docs/**/*.md', 'examples/*.md']);
const read = (page: string) => readFileSync(page, 'utf8');

/** The anchors that GitHub gives to headings, and those set by hand. */
function anchorsOf(text: string): Set<string> {
	const prose = text.replaceAll(/^```[^]*?^```/gm, '');
	const headings = [...prose.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
		heading
			.toLowerCase()
			.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
			.replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
			.replaceAll(' ', '-'),
	);
	return new Set([...headings, ...[...prose.matchAll(/<a name="([^"]+)"/g)].map(([, name = '']) => name)]);
}

function linksOf(text: string): string[] {
	const written = [...text.matchAll(/\]\(([^)\s]+)\)/g), ...text.matchAll(/(?:src|srcset)="([^"]+)"/g)];
	return written.map(([, target = '']) => target).filter((target) => !/^[a-z]+:/.test(target));
}

it("the table of n8n's rules names rules that there are", () => {
	const rules = fastGlob
		.sync('node_modules/@n8n/eslint-plugin-community-nodes/dist/rules/*.js')
		.map((file) => basename(file, '.js'))
		.filter((name) => name !== 'index');
	const [, table = ''] = read('docs/compatibility.md').split("## n8n's rules");
	const named = [...table.matchAll(/`((?:[a-z]+-)+[a-z]+)`/g)].map(([, name = '']) => name);
	expect(named.length).toBeGreaterThan(15);
	const plugins = ['community-nodes', 'nodes-base'];
	expect(named.filter((name) => !rules.includes(name) && !plugins.includes(name))).toEqual([]);
	expect(table).toContain(`all ${rules.length} rules`);
});

describe.each(PAGES)('%s', (page) => {
	it('has a title and says something', () => {
		expect(read(page)).toMatch(/^# .+\n\n[^]{100,}/);
	});

	it('has no broken links', () => {
		const broken = linksOf(read(page)).filter((link) => {
			const [path = '', anchor] = link.split('#');
			const file = path === '' ? page : join(dirname(page), path);
			return !existsSync(file) || (anchor !== undefined && !anchorsOf(read(file)).has(anchor));
		});
		expect(broken).toEqual([]);
	});
});

it('options that the page of all triggers leaves to Charging Sessions are explained there', () => {
	const [, left = ''] = /^\| ([^|]*) \|[^|]*see \[Charging Sessions\]/m.exec(read('docs/triggers.md')) ?? [];
	const page = read('docs/nodes/charging-sessions.md');
	const names = left.split(', ');
	expect(names.length).toBeGreaterThan(1);
	expect(names.filter((name) => !page.includes(`\n| ${name}`))).toEqual([]);
});

it('every picture is used and has a dark version', () => {
	const shown = new Set(PAGES.flatMap((page) => linksOf(read(page)).map((link) => join(dirname(page), link))));
	const pictures = fastGlob.sync('docs/images/*.png');
	const dark = (file: string) => file.replace(/(-dark)?\.png$/, '-dark.png');
	expect(pictures.filter((file) => !shown.has(file))).toEqual([]);
	expect(pictures.filter((file) => !existsSync(dark(file)))).toEqual([]);
});

it('every example picture belongs to an existing example', () => {
	const pictures = fastGlob.sync('docs/images/examples/*').map((file) => basename(file, '.png'));
	expect(pictures.filter((name) => !existsSync(`examples/${name}.json`))).toEqual([]);
});

it('each node and credential links to documentation that exists', () => {
	const files = fastGlob.sync(['nodes/**/*.node.json', 'nodes/**/*.ts', 'credentials/*.ts']);
	const links = files.flatMap((file) =>
		[...read(file).matchAll(/github\.com\/charging-network\/[\w-]+([^"'\s]*)/g)].map(([, target = '']) => ({
			file,
			target,
		})),
	);
	const linking = new Set(links.map(({ file }) => file));
	const mustLink = fastGlob.sync(['nodes/**/*.node.json', 'credentials/*.ts']);
	expect(mustLink.filter((file) => !linking.has(file))).toEqual([]);
	const broken = links.filter(({ target }) => {
		const [path = '', anchor] = target
			.replace(/^\/blob\/main\//, '')
			.replace('?tab=readme-ov-file', 'README.md')
			.split('#');
		return !existsSync(path) || (anchor !== undefined && !anchorsOf(read(path)).has(anchor));
	});
	expect(broken).toEqual([]);
});

it('the README is short, and leads to every page', () => {
	expect(read('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(130);
	const reached = new Set(['README.md']);
	for (const page of reached) {
		for (const link of linksOf(read(page))) {
			const [path = ''] = link.split('#');
			const file = path === '' ? page : join(dirname(page), path);
			if (PAGES.includes(file)) reached.add(file);
		}
	}
	const forOthers = ['AGENTS.md', 'CODE_OF_CONDUCT.md'];
	expect(PAGES.filter((page) => !reached.has(page) && !forOthers.includes(page))).toEqual([]);
});

it('the README says that no real platform was tried, as long as none was', () => {
	const wasTried = !read('docs/compatibility.md').includes('| A real platform | Not tried |');
	expect(read('README.md').includes('**Not yet tried with a real platform**')).toBe(!wasTried);
});

it('every example is listed once in examples/README.md', () => {
	const listed = linksOf(read('examples/README.md')).filter((link) => link.endsWith('.json'));
	expect([...listed].sort()).toEqual(fastGlob.sync('*.json', { cwd: 'examples' }).sort());
});

it('the limits in SECURITY.md are those of the code', () => {
	const count = (value: number) => value.toLocaleString('en');
	const megabytes = (bytes: number) => `${bytes / 1024 ** 2} MB`;
	const seconds = (ms: number) => `${ms / 1000} s`;
	const { timeoutMs, maxRateLimitWaitMs } = DEFAULT_OPTIONS;
	const limits: Array<[what: string, atMost: string]> = [
		['A page of a list', megabytes(MAX_ANSWER_BYTES)],
		['What is read of a refusal or a sign-in', `${MAX_REFUSAL_BYTES / 1024} KB`],
		[
			'Pages of a list whose last row cannot be found',
			`four times those of its first count, or ${FEW_PAGES}; ${count(2 * MANY_PAGES)} without a count`,
		],
		['Stations that a trigger watches', count(MOST_STATIONS)],
		['One part of an export; held in memory until it has arrived', megabytes(MOST_BYTES)],
		[
			'A request, from sending to the last byte',
			`${seconds(timeoutMs)} (an option); ${seconds(TIMEOUT_MS)} in the credential's test, ${seconds(EDITOR_TIMEOUT_MS)} in dropdowns`,
		],
		[
			'Tries after a network fault or a 5xx; waits for the rate limit',
			`${MAX_TRIES} tries; ${maxRateLimitWaitMs / 60_000} minutes (an option)`,
		],
		['Quoted text in a message; of it read', `${MAX_SHOWN} characters; ${count(MAX_READ)}`],
		[
			'Names of fields in a message; in a finding of Check Platform',
			`${MOST_NAMES} of ${LONGEST_NAME} characters; ${MOST_NAMES_CHECKED}`,
		],
		[
			'A filter',
			`${count(MOST_TEXT)} characters, ${count(MOST_VALUES)} values, ${count(MOST_CONDITIONS)} conditions, ${MOST_LEVELS} levels`,
		],
	];
	const table = ['| What | At most |', '| --- | --- |', ...limits.map(([what, atMost]) => `| ${what} | ${atMost} |`)];
	expect(read('SECURITY.md')).toContain(`## Limits\n\n${table.join('\n')}\n`);
});

it.each([
	['docs/nodes/charging-network-list.md', `at most ${MOST_REQUESTS} requests in ${LONGEST_MINUTES} minutes`],
	['docs/nodes/charging-sessions.md', `1 to ${MAX_PARALLEL_REQUESTS} |`],
	['docs/nodes/charging-sessions.md', `| Request Timeout (Seconds) | ${DEFAULT_OPTIONS.timeoutMs / 1000} |`],
	[
		'docs/nodes/charging-sessions.md',
		`| Max Rate Limit Wait (Seconds) | ${DEFAULT_OPTIONS.maxRateLimitWaitMs / 1000} |`,
	],
	['docs/nodes/summarize.md', `at most ${MOST_GROUPS.toLocaleString('en')} groups`],
	['docs/nodes/summarize.md', `at most ${MOST_DISTINCT.toLocaleString('en')} different values`],
	['docs/nodes/session-trigger.md', `At most ${MOST_NEW.toLocaleString('en')} new sessions`],
	['docs/scaling.md', `A trigger watches at most ${MOST_STATIONS.toLocaleString('en')} stations`],
])('%s says: %s', (page, text) => {
	expect(read(page).replace(/\s+/g, ' ')).toContain(text);
});
