import type { Fault, StandIn } from '../../platform/index.ts';
import { credentialFor } from '../../support/harness.ts';
import {
	allIds,
	byIds,
	EXPORT_PATH,
	exportRequests,
	exportTests,
	fileOf,
	honestExport,
	listRequests,
	platformExport,
	runExport,
	spoilExports,
	storedFiles,
} from '../../support/export.ts';

let platform: StandIn;
let single: Buffer;
exportTests({ sessions: 600, stations: 5 }, (started) => (platform = started));
beforeAll(async () => (single = await platformExport(platform, someIds(40))));

const CSV = { 'content-type': 'text/csv' };
const someIds = (count: number) => allIds(platform).slice(0, count);
const inTens = () => byIds(someIds(40).join(','), { idsPerRequest: 10 });
/** Spoils the n-th export request, counted from 1, and the `times` - 1 after it. */
const spoil = (nth: number, fault: Fault) => platform.faults.add({ ...fault, match: { path: EXPORT_PATH, nth } });
const refusal = (status: number, body: unknown = ''): Fault => ({ kind: 'status', status, body });

/** Runs an export in four parts that succeeds. Returns its item, and whether its file is that of one part. */
async function exported() {
	const { items, hints } = await runExport(platform, inTens());
	return { item: items[0], isWhole: (await fileOf(items[0])).equals(single), hints };
}

/** Runs an export in four parts that fails, and leaves nothing in n8n's store. Returns the error's text. */
async function refused(): Promise<string> {
	const before = storedFiles();
	const { status, items, error } = await runExport(platform, inTens());
	expect([status, items, storedFiles()]).toEqual(['error', [], before]);
	return `${error?.message} ${error?.description ?? ''}`;
}

describe('a connection that breaks', () => {
	test.each([1, 4])('in the middle of part %i: it is requested again, and its first half discarded', async (nth) => {
		spoil(nth, { kind: 'dropMidBody' });
		const { item, isWhole } = await exported();
		expect(isWhole).toBe(true);
		expect(item?.json.requests).toBe(5);
	});

	test('again and again: the export fails and leaves no file', async () => {
		spoil(3, { kind: 'dropMidBody', times: Infinity });
		expect(await refused()).toMatch(/connection|broke|network/i);
		// Three tries each for 10, 5, 2 and 1 sessions.
		expect(exportRequests(platform)).toHaveLength(2 + 4 * 3);
	});

	test('a part that ends early although the answer looks whole is requested again', async () => {
		for (const nth of [1, 4]) spoil(nth, { kind: 'truncate' });
		expect((await exported()).isWhole).toBe(true);
	});

	test('server faults and the rate limit are waited out', async () => {
		spoil(1, refusal(503));
		spoil(3, { kind: 'status', status: 429, headers: { 'retry-after': '1' } });
		spoil(4, { kind: 'drop' });
		const { isWhole, hints } = await exported();
		expect(isWhole).toBe(true);
		expect(hints.map(({ message }) => message).join()).toContain('asked this node to wait: ');
	});
});

test.each([
	[201, 'text/csv'],
	[200, 'text/html'],
	[200, 'application/json'],
	[203, 'application/xml'],
])('a CSV file sent with status %i as %s is accepted', async (status, type) => {
	const ids = someIds(10);
	const body = (await platformExport(platform, ids)).toString();
	spoil(1, { kind: 'reply', status, body, headers: { 'content-type': type } });
	const { items } = await runExport(platform, byIds(ids.join(',')));
	expect((await fileOf(items[0])).toString()).toBe(body);
});

describe('a part that does not belong in the file is refused, and leaves no file', () => {
	test.each<[string, number, Fault, RegExp]>([
		['the first is a web page', 1, { kind: 'html', status: 200 }, /web page.*\. .+/],
		['the last is a web page', 4, { kind: 'html', status: 200 }, /web page.*\. .+/],
		['one has no bytes', 2, { kind: 'reply', headers: CSV }, /empty file/],
		[
			'the last has other columns',
			4,
			{ kind: 'reply', body: 'Id,Price\r\n1,2\r\n', headers: CSV },
			/two parts of the export with different columns.*"Id,Price"/,
		],
	])('%s', async (_, nth, fault, message) => {
		spoil(nth, { ...fault, times: Infinity });
		expect(await refused()).toMatch(message);
	});

	test('a scope that was removed between two parts is named', async () => {
		const body = { Code: 'API_KEY_SCOPE_INSUFFICIENT', Message: 'Needs charging-sessions:read' };
		spoil(3, refusal(403, body));
		expect(await refused()).toContain('charging-sessions:read');
		expect(exportRequests(platform)).toHaveLength(3);
	});

	test('the execution is stopped while a part arrives', async () => {
		spoil(2, { kind: 'drip', delayMs: 60_000 });
		const before = storedFiles();
		let watching: NodeJS.Timeout | undefined;
		const { status, items } = await runExport(platform, inTens(), {
			onStart: (cancel) => {
				watching = setInterval(() => {
					if (exportRequests(platform).length === 2) cancel();
				}, 10);
			},
		});
		clearInterval(watching);
		expect([status, items, storedFiles()]).toEqual(['canceled', [], before]);
		expect(exportRequests(platform)).toHaveLength(2);
	});
});

describe('refusals that are not the end', () => {
	test.each<[string, Fault]>([
		['a gateway that waits too long for many', refusal(504)],
		['a validator that names the length', refusal(400, { message: 'must NOT have more than 20 items' })],
		['a refusal in another language', refusal(400, { Nachricht: 'Höchstens 20 Vorgänge je Anfrage' })],
		['a refusal without words', refusal(400)],
		['a refusal without words, as 422', refusal(422)],
		['a connection that breaks for many', { kind: 'dropMidBody' }],
		['no answer in time for many', { kind: 'stall' }],
	])('%s: goes on with half as many', async (_, fault) => {
		const ids = someIds(40);
		const whole = await honestExport(platform, ids);
		spoilExports(platform, fault, (some) => some.length > 20);
		const { items } = await runExport(platform, byIds(ids.join(','), { timeout: 1 }));
		expect((await fileOf(items[0])).toString()).toBe(whole);
	});

	test.each<[string, Fault]>([
		['status 403', refusal(403)],
		['status 500', refusal(500)],
		['status 400', refusal(400)],
		['status 404', refusal(404)],
		['status 204', { kind: 'reply', status: 204, body: '' }],
		['an empty file', { kind: 'reply', status: 200, body: '', headers: CSV }],
	])('%s for certain sessions, side by side and apart: the rest is exported', async (_, fault) => {
		const ids = someIds(30);
		const gone = [900_000_001, 900_000_002];
		const others = [6, 7, 8, 20].map((place) => ids[place] ?? 0);
		const whole = await honestExport(
			platform,
			ids.filter((id) => !others.includes(id)),
		);
		spoilExports(platform, fault, (some) => some.some((id) => gone.includes(id) || others.includes(id)));
		const { items } = await runExport(platform, byIds([...gone, ...ids].join(',')));
		expect((await fileOf(items[0])).toString()).toBe(whole);
		expect(items[0]?.json).toMatchObject({ sessionCount: 26, missingReasons: { notFound: gone, leftOut: others } });
	});

	test('one session that is in the list is refused: it is left out, and later parts are as large as before', async () => {
		const ids = someIds(64);
		const bad = ids[9] ?? 0;
		spoilExports(platform, refusal(400), (some) => some.includes(bad));
		const { items } = await runExport(platform, byIds(ids.join(','), { idsPerRequest: 16 }));
		expect(items[0]?.json).toMatchObject({ sessionCount: 63, missingReasons: { leftOut: [bad] } });
		expect(exportRequests(platform).length).toBeLessThan(16);
		expect(listRequests(platform)).toHaveLength(1);
	});

	test('a platform that refuses everything is asked a few times, and its own words are shown', async () => {
		spoilExports(platform, refusal(400, { Message: 'Exports are switched off' }), () => true);
		const { error, items } = await runExport(platform, byIds(someIds(500).join(',')));
		expect(items).toEqual([]);
		expect(error?.description).toContain('Exports are switched off');
		expect(exportRequests(platform).length).toBeLessThan(14);
	});
});

test.each([
	['a header that repeats it', (key: string) => `Id,${key}\r\n2,1\r\n`],
	['a sentence', (key: string) => `Not for ${key}`],
	['a title', (key: string) => `For ${key}\r\nId,Note\r\n`],
])('no message quotes the key: %s', async (_, write) => {
	const { secret } = platform.createKey({ scopes: ['charging-sessions:read'] });
	const credential = credentialFor({ baseUrl: platform.baseUrl, key: secret });
	spoil(2, { kind: 'reply', body: write(secret), headers: CSV, times: Infinity });
	const { error } = await runExport(platform, inTens(), { credential });
	expect(error).toBeDefined();
	expect(JSON.stringify([error?.message, error?.description, error])).not.toContain(secret);
});
