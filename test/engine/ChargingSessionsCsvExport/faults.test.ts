import type { Fault, StandIn } from '../../platform/index.ts';
import { credentialFor } from '../../support/harness.ts';
import {
	allIds,
	byIds,
	EXPORT_PATH,
	exportRequests,
	exportTests,
	fileOf,
	platformExport,
	runExport,
	storedFiles,
} from '../../support/export.ts';

let platform: StandIn;
exportTests({ sessions: 400, stations: 5 }, (started) => (platform = started));

const forty = () => allIds(platform).slice(0, 40);
const chunksOfTen = () => byIds(forty().join(','), { idsPerRequest: 10 });
/** Spoils the n-th export request, counted from 1, and the `times` - 1 after it. */
const spoil = (nth: number, fault: Fault) => platform.faults.add({ ...fault, match: { path: EXPORT_PATH, nth } });

/** Expects the export to fail and to leave nothing in n8n's store. Returns the error's text. */
async function expectNoFile(action: () => ReturnType<typeof runExport>) {
	const before = storedFiles();
	const result = await action();
	expect(result.status).toBe('error');
	expect(result.items).toHaveLength(0);
	expect(storedFiles()).toEqual(before);
	return `${result.error?.message} ${result.error?.description ?? ''}`;
}

describe('a connection that breaks', () => {
	test.each([1, 2, 3, 4])(
		'in the middle of part %i: the part is requested again, and its first half discarded',
		async (nth) => {
			const single = await platformExport(platform, forty());
			platform.requests.length = 0;
			spoil(nth, { kind: 'dropMidBody' });
			const { items, error } = await runExport(platform, chunksOfTen());
			expect(error).toBeUndefined();
			expect((await fileOf(items[0])).equals(single)).toBe(true);
			expect(exportRequests(platform)).toHaveLength(5);
			expect(items[0]?.json.requests).toBe(5);
		},
	);

	test('again and again: the export fails and leaves no file', async () => {
		spoil(3, { kind: 'dropMidBody', times: Infinity });
		const text = await expectNoFile(async () => await runExport(platform, chunksOfTen()));
		expect(text).toMatch(/connection|broke|network/i);
		// Three tries each for 10, 5, 2 and 1 sessions.
		expect(exportRequests(platform)).toHaveLength(2 + 4 * 3);
	});

	test('a part that ends early although the answer looks whole is requested again', async () => {
		const single = await platformExport(platform, forty());
		for (const nth of [1, 4]) spoil(nth, { kind: 'truncate' });
		const { items } = await runExport(platform, chunksOfTen());
		expect((await fileOf(items[0])).equals(single)).toBe(true);
	});

	describe('a part that ends early, at the end of a line', () => {
		/** The first part without its last four records. With these columns, each record is one line. */
		const shortPart = async (): Promise<Fault> => {
			platform.behaviour.sessionFields = 'minimal';
			const lines = (await platformExport(platform, forty().slice(0, 10))).toString().split('\r\n');
			return { kind: 'reply', body: `${lines.slice(0, 7).join('\r\n')}\r\n`, headers: { 'content-type': 'text/csv' } };
		};

		test('once: the part is requested again, since all its sessions exist', async () => {
			const fault = await shortPart();
			const single = await platformExport(platform, forty());
			spoil(1, fault);
			const { items, hints } = await runExport(platform, chunksOfTen());
			expect((await fileOf(items[0])).equals(single)).toBe(true);
			expect(items[0]?.json).toMatchObject({ sessionCount: 40, missingCount: 0 });
			expect(hints).toEqual([]);
		});

		test('and then records of other sessions: the missing ones are requested in halves', async () => {
			const fault = await shortPart();
			const single = await platformExport(platform, forty());
			platform.faults.add({ ...fault, times: 2, match: { path: EXPORT_PATH } });
			const { items } = await runExport(platform, chunksOfTen());
			expect((await fileOf(items[0])).equals(single)).toBe(true);
			expect(items[0]?.json).toMatchObject({ sessionCount: 40, missingCount: 0 });
		});
	});

	test('server faults and the rate limit are waited out', async () => {
		const single = await platformExport(platform, forty());
		spoil(1, { kind: 'status', status: 503 });
		spoil(3, { kind: 'status', status: 429, headers: { 'retry-after': '1' } });
		spoil(4, { kind: 'drop' });
		const { items, hints } = await runExport(platform, chunksOfTen());
		expect((await fileOf(items[0])).equals(single)).toBe(true);
		expect(hints.map(({ message }) => message).join()).toContain('asked this node to wait: ');
	});
});

test.each([
	[201, 'text/csv'],
	[200, 'text/html'],
	[200, 'application/json'],
	[203, 'application/xml'],
])('a CSV file sent with status %i as %s is accepted', async (status, type) => {
	const ids = forty().slice(0, 10);
	const body = (await platformExport(platform, ids)).toString();
	spoil(1, { kind: 'reply', status, body, headers: { 'content-type': type } });
	const { items, error } = await runExport(platform, byIds(ids.join(',')));
	expect(error).toBeUndefined();
	expect((await fileOf(items[0])).toString()).toBe(body);
});

describe('a part that does not belong in the file', () => {
	test.each<[string, Fault, RegExp]>([
		['a web page', { kind: 'html', status: 200 }, /web page/i],
		['JSON', { kind: 'reply', body: { Message: 'no' } }, /Got JSON instead of/],
		['zero bytes', { kind: 'empty', headers: { 'content-type': 'text/csv' } }, /empty file/],
	])('%s: a clear failure and no file, whichever part it is', async (_, fault, message) => {
		for (const nth of [1, 2, 4]) {
			platform.reset();
			spoil(nth, { ...fault, times: Infinity });
			const text = await expectNoFile(async () => await runExport(platform, chunksOfTen()));
			expect(text).toMatch(message);
			expect(text).toMatch(/\. .+/);
		}
	});

	test.each([2, 4])('other columns in part %i: a clear failure and no file', async (nth) => {
		spoil(nth, {
			kind: 'reply',
			body: 'Id,Price\r\n1,2\r\n',
			headers: { 'content-type': 'text/csv' },
			times: Infinity,
		});
		const text = await expectNoFile(async () => await runExport(platform, chunksOfTen()));
		expect(text).toContain('two parts of the export with different columns');
		expect(text).toContain('"Id,Price"');
	});
});

describe('refusals', () => {
	test('an inactive license is reported after one request, and leaves no file', async () => {
		const ids = chunksOfTen();
		platform.license.active = false;
		// Its own key, since n8n's process holds a refused key for a while.
		const { secret } = platform.createKey({ scopes: ['charging-sessions:read'] });
		const credential = credentialFor({ baseUrl: platform.baseUrl, key: secret });
		expect(await expectNoFile(async () => await runExport(platform, ids, { credential }))).toMatch(/licen[cs]e/i);
		expect(platform.requests).toHaveLength(1);
	});

	test('a scope removed between two parts is named, and leaves no file', async () => {
		spoil(3, {
			kind: 'status',
			status: 403,
			body: { Code: 'API_KEY_SCOPE_INSUFFICIENT', Message: 'Needs charging-sessions:read' },
		});
		const text = await expectNoFile(async () => await runExport(platform, chunksOfTen()));
		expect(text).toContain('charging-sessions:read');
		expect(exportRequests(platform)).toHaveLength(3);
	});

	test('Continue On Fail gives an item that says why, and the other exports go on', async () => {
		const [a, b] = allIds(platform) as [number, number];
		const { items, status } = await runExport(platform, byIds('={{ $json.id }}'), {
			items: [{ id: a }, { id: '1.5' }, { id: b }],
			node: { onError: 'continueRegularOutput' },
		});
		expect(status).toBe('success');
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }, { item: 2 }]);
		// n8n itself writes the item's error here.
		expect(items[1]?.json.error).toContain('Session IDs: a session ID is needed, a whole number such as 10482');
		expect(items[1]?.binary).toBeUndefined();
		expect((await fileOf(items[2])).equals(await platformExport(platform, [b]))).toBe(true);
	});

	test('stopping the execution while a part arrives ends it, and no file is left', async () => {
		spoil(2, { kind: 'stallMidBody' });
		const before = storedFiles();
		let watching: NodeJS.Timeout | undefined;
		const { status, items } = await runExport(platform, chunksOfTen(), {
			onStart: (cancel) => {
				watching = setInterval(() => {
					if (exportRequests(platform).length === 2) cancel();
				}, 10);
			},
		});
		clearInterval(watching);
		expect(status).toBe('canceled');
		expect(items).toHaveLength(0);
		expect(storedFiles()).toEqual(before);
		expect(exportRequests(platform)).toHaveLength(2);
	});
});
