import type { CsvBehaviour, Fault, StandIn } from '../../platform/index.ts';
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
	runExport,
	spoilExports,
	storedFiles,
} from '../../support/export.ts';

let platform: StandIn;
exportTests({ sessions: 2600, stations: 5 }, (started) => (platform = started));

const honest = async (ids: readonly number[], csv?: Partial<CsvBehaviour>) => await honestExport(platform, ids, csv);

/** Sessions asked for, neither first nor in order of their ids. */
const someIds = (count: number) =>
	allIds(platform)
		.slice(1200, 1200 + count)
		.reverse();
const byId = (ids: number[]) => ids.sort((a, b) => a - b);
const shuffled = (ids: number[]) => ids.sort((a, b) => ((a * 7919) % 1009) - ((b * 7919) % 1009));
/** Each tenth record comes with one of a session that was not asked for. */
const withForeign = (ids: number[]) => ids.flatMap((id, place) => (place % 10 === 0 ? [id, id - 1000] : [id]));
const run = async (ids: readonly number[], options = {}) => {
	const result = await runExport(platform, byIds(ids.join(','), options));
	const [item] = result.items;
	const text = result.hints.map(({ message }) => message).join(' ');
	return { ...result, item, json: item?.json, hint: text, file: item?.binary ? (await fileOf(item)).toString() : '' };
};

describe('a column names the sessions', () => {
	test.each([
		['in the order of their ids', byId, true],
		['in any order', shuffled, true],
		['in any order, without a last line end', shuffled, false],
	])('sessions sent %s are in the order asked for', async (_, order, finalNewline) => {
		const ids = someIds(60);
		const whole = await honest(ids, { finalNewline });
		platform.behaviour.csv.finalNewline = finalNewline;
		platform.exported = order;
		const { file, json, hint } = await run(ids, { idsPerRequest: 25 });
		expect(file).toBe(whole);
		expect([json?.sessionCount, json?.foreignCount, json?.identityChecked, hint]).toEqual([60, 0, true, '']);
	});

	test('records of other sessions do not stand in for one that is left out, and are counted', async () => {
		const ids = someIds(40);
		const [out = 0] = ids.filter((id) => id % 23 === 0);
		expect(out).toBeGreaterThan(0);
		const inFile = ids.filter((id) => id % 23 !== 0);
		const whole = await honest(inFile);
		platform.exported = (some) => withForeign(some.filter((id) => id % 23 !== 0));
		const { file, json, hint, error } = await run(ids);
		expect(error).toBeUndefined();
		expect(file).toBe(whole);
		expect(json?.missingIds).toEqual(ids.filter((id) => id % 23 === 0));
		expect(json).toMatchObject({ sessionCount: inFile.length, identityChecked: true });
		expect(json?.foreignCount).toBeGreaterThan(0);
		expect(hint).toContain('records that belong to none of the sessions asked for');
	});

	test('one session on two rows does not stand in for another one, and both rows are in the file', async () => {
		const [a, b, c] = allIds(platform) as [number, number, number];
		const csv = { 'content-type': 'text/csv' };
		const body = `Id,Note\r\n${b},x\r\n${a},first\r\n${a},second\r\n`;
		const rest = `Id,Note\r\n${c},y\r\n`;
		platform.faults.add({ kind: 'reply', body, headers: csv, match: { path: EXPORT_PATH, nth: 1 } });
		platform.faults.add({ kind: 'reply', body: rest, headers: csv, match: { path: EXPORT_PATH, nth: 2 } });
		const { file, json } = await run([a, b, c]);
		expect(file).toBe(`Id,Note\r\n${a},first\r\n${a},second\r\n${b},x\r\n${c},y\r\n`);
		expect(json).toMatchObject({ sessionCount: 3, missingIds: [], foreignCount: 0 });
	});
});

describe('a column in another language, given as Session ID Column', () => {
	const idColumn = 'Vorgangsnummer';

	test('what is missing is asked for again, what is left out is named, and the order restored', async () => {
		const ids = [900_000_001, ...someIds(200)];
		const leftOut = ids.filter((id) => id % 23 === 0);
		const inFile = ids.slice(1).filter((id) => !leftOut.includes(id));
		const whole = await honest(inFile, { idColumn });
		platform.behaviour.csv.idColumn = idColumn;
		platform.exported = (some) => shuffled(withForeign(some.filter((id) => id % 23 !== 0).slice(0, 60)));
		const { file, json } = await run(ids, { sessionIdColumn: ' vorgangsnummer ' });
		expect(file).toBe(whole);
		expect(json).toMatchObject({
			sessionCount: inFile.length,
			missingReasons: { notFound: [900_000_001], leftOut, notConfirmed: [] },
			identityChecked: true,
		});
	});

	test('without the option all rows are kept as they came, and a hint names it', async () => {
		const ids = someIds(60);
		platform.behaviour.csv.idColumn = idColumn;
		platform.exported = byId;
		const whole = await honest([...ids].reverse(), { idColumn });
		const { file, json, hint } = await run(ids);
		expect(file).toBe(whole);
		expect(json).toMatchObject({ sessionCount: 60, missingCount: 0, rowCount: 60, identityChecked: false });
		expect(hint).toContain('enter it in the option Session ID Column');
	});

	test('behind a line for Excel and with umlauts, as UTF-8 and Latin-1', async () => {
		const [a, b] = someIds(2) as [number, number];
		const head = 'sep=;\r\n"Vorgänge; Nr.";Preis\r\n';
		for (const encoding of ['utf8', 'latin1'] as const) {
			platform.reset();
			platform.behaviour.encoding = encoding;
			const body = `${head}${b};1,20\r\n${a};3,40`;
			platform.faults.add({
				kind: 'reply',
				body,
				headers: { 'content-type': 'text/csv' },
				match: { path: EXPORT_PATH },
			});
			const { item, json } = await run([a, b], { sessionIdColumn: 'Vorgänge; Nr.' });
			expect((await fileOf(item)).toString(encoding)).toBe(`${head}${a};3,40\r\n${b};1,20`);
			expect(json).toMatchObject({ sessionCount: 2, identityChecked: true });
		}
	});

	test('where a column Id has numbers of its own: a hint names the option, and with it the rows are found', async () => {
		const [a, b] = someIds(2) as [number, number];
		const body = `Id,Vorgangsnummer\r\n900000001,${a}\r\n900000002,${b}\r\n`;
		const headers = { 'content-type': 'text/csv' };
		platform.faults.add({ kind: 'reply', body, headers, times: Infinity, match: { path: EXPORT_PATH } });
		const without = await run([a, b]);
		expect(without.json).toMatchObject({ sessionCount: 0, missingReasons: { leftOut: [a, b] } });
		expect(without.hint).toContain('enter it in the option Session ID Column');
		const { file, json } = await run([a, b], { sessionIdColumn: idColumn });
		expect([file, json?.missingCount, json?.identityChecked]).toEqual([body, 0, true]);
	});

	test('a name that no column has: the columns are listed, and no file is made', async () => {
		platform.behaviour.csv.idColumn = idColumn;
		const before = storedFiles();
		const { error, items } = await run(someIds(10), { sessionIdColumn: 'Vorgang' });
		expect(error?.message).toBe('The platform’s CSV has no column "Vorgang"');
		expect(error?.description).toContain('Its columns are: "Vorgangsnummer", "Status"');
		expect([items, storedFiles(), exportRequests(platform).length]).toEqual([[], before, 1]);
	});

	test('a column with other values: all rows are kept, and nothing is taken for a session', async () => {
		const ids = someIds(30);
		const whole = await honest(ids);
		const { file, json } = await run(ids, { sessionIdColumn: 'UserName' });
		expect(file).toBe(whole);
		expect(json).toMatchObject({ rowCount: 30, missingCount: 0, foreignCount: 0, identityChecked: false });
	});

	test('an empty name is refused before anything is sent', async () => {
		const { error } = await run(someIds(1), { sessionIdColumn: ' ' });
		expect(error?.message).toContain('Session ID Column: the name is empty');
		expect(platform.requests).toEqual([]);
	});
});

describe('no column names the sessions', () => {
	test('item and hint say that order and identity could not be checked', async () => {
		const ids = someIds(30);
		platform.behaviour.csv.idColumn = undefined;
		platform.exported = shuffled;
		const { json, hint } = await run(ids);
		expect(json).toMatchObject({ sessionCount: 30, identityChecked: false });
		expect(hint).toContain('could not be checked');
	});
});

describe('refusals that are not the end', () => {
	const spoil = (fault: Fault, when: (ids: number[]) => boolean) => spoilExports(platform, fault, when);
	const refusal = (status: number, body: unknown = ''): Fault => ({ kind: 'status', status, body });

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
		const whole = await honest(ids);
		spoil(fault, (some) => some.length > 20);
		const { file, error } = await run(ids, { timeout: 1 });
		expect(error).toBeUndefined();
		expect(file).toBe(whole);
	});

	test.each([403, 500, 400, 404])(
		'status %i for several sessions of others, side by side and apart: the rest is exported',
		async (status) => {
			const ids = someIds(30);
			const gone = [900_000_001, 900_000_002];
			const others = [6, 7, 8, 20].map((place) => ids[place] ?? 0);
			const rest = ids.filter((id) => !others.includes(id));
			const whole = await honest(rest);
			spoil(refusal(status), (some) => some.some((id) => gone.includes(id) || others.includes(id)));
			const { file, json, error } = await run([...gone, ...ids]);
			expect(error).toBeUndefined();
			expect(file).toBe(whole);
			expect(json).toMatchObject({ sessionCount: 26, missingReasons: { notFound: gone, leftOut: others } });
		},
	);

	test('one session that is in the list is refused: it is left out, and later parts are as large as before', async () => {
		const ids = someIds(64);
		const bad = ids[9] ?? 0;
		const whole = await honest(ids.filter((id) => id !== bad));
		spoil(refusal(400), (some) => some.includes(bad));
		const { file, json } = await run(ids, { idsPerRequest: 16 });
		expect(file).toBe(whole);
		expect(json).toMatchObject({ missingIds: [bad], missingReasons: { leftOut: [bad] } });
		expect(exportRequests(platform).length).toBeLessThan(16);
		expect(listRequests(platform)).toHaveLength(1);
	});

	test('a platform that refuses everything is asked a few times, and its own words are shown', async () => {
		spoil(refusal(400, { Message: 'Exports are switched off' }), () => true);
		const { error, items } = await run(someIds(500));
		expect(items).toEqual([]);
		expect(error?.description).toContain('Exports are switched off');
		expect(exportRequests(platform).length).toBeLessThan(14);
	});

	test.each(['status 204', 'an empty file'])('%s for sessions that are gone', async (kind) => {
		const ids = someIds(10);
		const whole = await honest(ids);
		const status = kind === 'status 204' ? 204 : 200;
		spoil({ kind: 'reply', status, body: '', headers: { 'content-type': 'text/csv' } }, (some) =>
			some.some((id) => id > 900_000_000),
		);
		const { file, json, error } = await run([900_000_001, ...ids, 900_000_002], { idsPerRequest: 4 });
		expect(error).toBeUndefined();
		expect(file).toBe(whole);
		expect(json).toMatchObject({ missingReasons: { notFound: [900_000_001, 900_000_002] } });
	});
});

test('no message quotes the key: a header that repeats it, a sentence, and a title', async () => {
	const { secret } = platform.createKey({ scopes: ['charging-sessions:read'] });
	const credential = credentialFor({ baseUrl: platform.baseUrl, key: secret });
	const [a, b] = someIds(2) as [number, number];
	const headers = { 'content-type': 'text/csv' };
	for (const body of [`Id,${secret}\r\n${b},1\r\n`, `Not for ${secret}`, `For ${secret}\r\nId,Note\r\n`]) {
		platform.reset();
		platform.faults.add({ kind: 'reply', body, headers, times: Infinity, match: { path: EXPORT_PATH, nth: 2 } });
		const { error } = await runExport(platform, byIds(`${a},${b}`, { idsPerRequest: 1 }), { credential });
		expect(error).toBeDefined();
		expect(JSON.stringify([error?.message, error?.description, error])).not.toContain(secret);
	}
});
