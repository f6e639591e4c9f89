import type { Fault, StandIn } from '../../platform/index.ts';
import { credentialFor } from '../../support/harness.ts';
import {
	allIds,
	byIds,
	EXPORT_PATH,
	exportRequests,
	exportTests,
	listRequests,
	runExport,
	single,
	spoilExports,
	storedFiles,
} from '../../support/export.ts';

let platform: StandIn;
let whole: string;
exportTests({ sessions: 600, stations: 5 }, (started) => (platform = started));
beforeAll(async () => (whole = await single(platform, someIds(40))));

const CSV = { 'content-type': 'text/csv' };
const someIds = (count: number) => allIds(platform).slice(0, count);
const inTens = () => byIds(someIds(40).join(','), { idsPerRequest: 10 });
/** Spoils the n-th export request, counted from 1, and the `times` - 1 after it. */
const spoil = (nth: number, fault: Fault) => platform.faults.add({ ...fault, match: { path: EXPORT_PATH, nth } });
const refusal = (status: number, body: unknown = ''): Fault => ({ kind: 'status', status, body });

/** Runs an export in four parts that fails, and leaves nothing in n8n's store. Returns the error's text. */
async function refused(): Promise<string> {
	const before = storedFiles();
	const { status, items, refusal: text = '' } = await runExport(platform, inTens());
	expect([status, items, storedFiles()]).toEqual(['error', [], before]);
	return text;
}

describe('a connection that breaks', () => {
	it('in the middle of the last part: it is requested again, and its first half discarded', async () => {
		spoil(4, { kind: 'dropMidBody' });
		const { file } = await runExport(platform, inTens());
		expect(file).toBe(whole);
		expect(exportRequests(platform)).toHaveLength(5);
	});

	it('although the answer looks whole: what is missing is requested again, and the last session that came', async () => {
		spoil(4, { kind: 'truncate' });
		const { file } = await runExport(platform, inTens());
		expect(file).toBe(whole);
		expect(exportRequests(platform)).toHaveLength(6);
	});

	it('again and again: the export fails and leaves no file', async () => {
		spoil(3, { kind: 'dropMidBody', times: Infinity });
		expect(await refused()).toMatch(/connection|broke|network/i);
		// Three tries each for 10, 5, 2 and 1 sessions.
		expect(exportRequests(platform)).toHaveLength(2 + 4 * 3);
	});
});

it('the rate limit is waited out, and a note says so', async () => {
	spoil(3, { kind: 'status', status: 429, headers: { 'retry-after': '1' } });
	const { file, notes } = await runExport(platform, inTens());
	expect(file).toBe(whole);
	expect(notes).toContain('asked this node to wait: ');
});

it('a CSV file that is sent as something else is accepted', async () => {
	spoil(1, { kind: 'reply', status: 203, body: whole, headers: { 'content-type': 'text/html' } });
	expect((await runExport(platform, byIds(someIds(40).join(',')))).file).toBe(whole);
});

describe('a part that does not belong in the file is refused, and leaves no file', () => {
	it.each<[string, number, Fault, RegExp]>([
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

	it('a scope that was removed between two parts is named', async () => {
		spoil(3, refusal(403, { Code: 'API_KEY_SCOPE_INSUFFICIENT', Message: 'Needs charging-sessions:read' }));
		expect(await refused()).toContain('charging-sessions:read');
		expect(exportRequests(platform)).toHaveLength(3);
	});

	it('the execution is stopped while a part arrives', async () => {
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

describe('too many sessions at once', () => {
	it.each<[string, Fault, number, number, number]>([
		['the platform says so', refusal(413), 200, 500, 3],
		['a validator says so in its own words', refusal(400, { message: 'must NOT have more than 20 items' }), 20, 60, 5],
		['a gateway waits too long', refusal(504), 20, 40, 3],
		['no answer comes in time', { kind: 'stall' }, 20, 40, 3],
	])('%s: goes on with half as many, and the file is complete', async (_, fault, most, count, refusals) => {
		const ids = someIds(count);
		const expected = await single(platform, ids);
		spoilExports(platform, fault, (some) => some.length > most);
		const { file } = await runExport(platform, byIds(ids.join(','), { timeout: 1 }));
		expect(file).toBe(expected);
		// A size that was refused is not tried again.
		const tooLarge = exportRequests(platform).filter(({ body }) => (body as { Ids: number[] }).Ids.length > most);
		expect(tooLarge.length).toBeLessThanOrEqual(refusals);
	});

	it('says so when even a single session is too large', async () => {
		spoilExports(platform, refusal(413), () => true);
		const { error } = await runExport(platform, byIds('12, 13'));
		expect(error?.message).toBe('The platform does not export this many sessions at once');
	});
});

describe('refusals that are not the end', () => {
	it.each<[string, Fault]>([
		['status 403', refusal(403)],
		['status 500', refusal(500)],
		['status 404', refusal(404)],
		['an empty file', { kind: 'reply', status: 200, body: '', headers: CSV }],
	])('%s for certain sessions, side by side and apart: the rest is exported', async (_, fault) => {
		const ids = someIds(30);
		const gone = [900_000_001, 900_000_002];
		const others = [6, 7, 8, 20].map((place) => ids[place] ?? 0);
		const rest = ids.filter((id) => !others.includes(id));
		const expected = await single(platform, rest);
		spoilExports(platform, fault, (some) => some.some((id) => gone.includes(id) || others.includes(id)));
		const { file, json } = await runExport(platform, byIds([...gone, ...ids].join(',')));
		expect(file).toBe(expected);
		expect(json).toMatchObject({ sessionCount: 26, missingReasons: { notFound: gone, leftOut: others } });
	});

	it('one session that is in the list is refused: it is left out, and later parts are as large as before', async () => {
		const ids = someIds(64);
		const bad = ids[9] ?? 0;
		spoilExports(platform, refusal(400), (some) => some.includes(bad));
		const { json } = await runExport(platform, byIds(ids.join(','), { idsPerRequest: 16 }));
		expect(json).toMatchObject({ sessionCount: 63, missingReasons: { leftOut: [bad] } });
		expect(exportRequests(platform).length).toBeLessThan(16);
		expect(listRequests(platform)).toHaveLength(1);
	});

	it('a platform that refuses everything is asked a few times, and its own words are shown', async () => {
		spoilExports(platform, refusal(400, { Message: 'Exports are switched off' }), () => true);
		const { refusal: text, items } = await runExport(platform, byIds(someIds(500).join(',')));
		expect(items).toEqual([]);
		expect(text).toContain('Exports are switched off');
		expect(exportRequests(platform).length).toBeLessThan(14);
	});
});

it.each([
	['a header that repeats it', (key: string) => `Id,${key}\r\n2,1\r\n`],
	['a title', (key: string) => `For ${key}\r\nId,Note\r\n`],
])('no message quotes the key: %s', async (_, write) => {
	const { secret } = platform.createKey({ scopes: ['charging-sessions:read'] });
	const credential = credentialFor({ baseUrl: platform.baseUrl, key: secret });
	spoil(2, { kind: 'reply', body: write(secret), headers: CSV, times: Infinity });
	const { error } = await runExport(platform, inTens(), { credential });
	expect(error).toBeDefined();
	expect(JSON.stringify([error?.message, error?.description, error])).not.toContain(secret);
});
