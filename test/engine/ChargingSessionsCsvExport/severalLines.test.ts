import type { StandIn } from '../../platform/index.ts';
import {
	allIds,
	answerWith,
	byIds,
	exportRequests,
	exportTests,
	idsSent,
	listRequests,
	runExport,
} from '../../support/export.ts';

// Several lines for one session, and answers that are cut or leave out something.

let platform: StandIn;
exportTests({ sessions: 2_000, stations: 5 }, (started) => (platform = started));

const HEAD = 'Id,Art,Price\n';

/** How a platform sends the lines of sessions. */
interface Sending {
	/** Of each session. */
	lines?: (id: number) => string[];
	/** Lines in an answer. */
	limit?: number;
	/** All first lines, then all second ones. */
	byKind?: boolean;
	/** Nothing is sent of these. */
	without?: readonly number[];
	/** A line at the end of each answer. */
	total?: string;
	/** Whether the last line has a line end, where nothing is cut. */
	closes?: boolean;
}

const twoLines = (id: number) => [`${id},Energy,1`, `${id},Parking,2`];

/** The answer with its lines, and whether something is cut from it. */
function answerFor(ids: readonly number[], sending: Sending): string {
	const { lines = twoLines, limit = Infinity, byKind = false, without = [], total, closes = true } = sending;
	const own = ids.filter((id) => !without.includes(id)).map(lines);
	const most = Math.max(0, ...own.map(({ length }) => length));
	const kinds = Array.from({ length: most }, (_, kind) => own.flatMap((some) => some.slice(kind, kind + 1)));
	const all = [...(byKind ? kinds : own).flat(), ...(total === undefined ? [] : [total])].slice(0, limit);
	return HEAD + all.join('\n') + (closes && all.length > 0 ? '\n' : '');
}

/** The file with all lines of these sessions. */
const whole = (ids: readonly number[], sending: Pick<Sending, 'lines' | 'closes'> = {}) => answerFor(ids, sending);

/** From now on all exports are answered so. `spoil` may cut the n-th answer, counted from 1. */
function send(sending: Sending, spoil: (text: string, nth: number) => string = (text) => text): void {
	let nth = 0;
	platform.exported = (ids) => spoil(answerFor(ids, sending), ++nth);
}

const run = async (ids: readonly number[], options = {}) => await runExport(platform, byIds(ids.join(), options));
const gone = (...ids: number[]) => platform.db.exec(`DELETE FROM sessions WHERE Id IN (${ids.join()})`);

/** Cuts the n-th answer behind this text. */
const cutBehind = (last: string, nth: number) => (text: string, asked: number) =>
	asked === nth ? text.slice(0, text.indexOf(last) + last.length) : text;

describe('a session of several lines keeps all of them', () => {
	it('where another one is deleted, and the file has no final line end', async () => {
		gone(2);
		send({ without: [2], closes: false });
		const { file, json, notes } = await run([1, 2]);
		expect(file).toBe(whole([1], { closes: false }));
		expect(notes).toContain('The platform sent 1 more records than sessions.');
		expect(json).toMatchObject({ missingReasons: { notFound: [2], leftOut: [] }, rowCount: 2, identityChecked: true });
		expect(idsSent(platform)).toEqual([[1, 2], [1]]);
	});

	it.each([
		['within a cell', '2,Park'],
		['within a cell in quotes', '2,"Par'],
		['within the Id', '1,Parking,2\n2'],
		['without its last lines, and without a line end', '2,Energy,1'],
	])('where an answer is cut in its last session: %s', async (_, last) => {
		const lines = (id: number) => [`${id},Energy,1`, `${id},"Par\nking",2`, `${id},Parking,2`];
		send({ lines }, cutBehind(last, 2));
		const { file, json, notes } = await run([3, 4, 1, 2, 5], { idsPerRequest: 2 });
		expect(file).toBe(whole([3, 4, 1, 2, 5], { lines }));
		expect([json.missingCount, json.identityChecked, notes]).toEqual([
			0,
			true,
			'The platform sent 10 more records than sessions. All of them are in the file.',
		]);
	});

	it('where its Id is the last cell, and an answer is cut within it, so that it reads as that of another one', async () => {
		const head = 'Art,Price,Id\n';
		const linesOf = (id: number) => [`Energy,1,${id}\n`, `Parking,2,${id}\n`];
		const textOf = (ids: readonly number[]) => head + ids.flatMap(linesOf).join('');
		let nth = 0;
		platform.exported = (ids) => cutBehind('Parking,2,1', 2)(textOf(ids), ++nth);
		const { file, json } = await run([3, 4, 10, 1], { idsPerRequest: 2 });
		expect(file).toBe(textOf([3, 4, 10, 1]));
		expect(json).toMatchObject({ missingCount: 0, rowCount: 8, foreignCount: 0 });
	});

	it('where an answer has at most five lines', async () => {
		send({ limit: 5 });
		const { file, json } = await run([1, 2, 3, 4]);
		expect(file).toBe(whole([1, 2, 3, 4]));
		expect(json).toMatchObject({ missingCount: 0, rowCount: 8, foreignCount: 0 });
	});

	it('where others are left out: it is asked for alone once, and not called left out', async () => {
		send({ without: [2, 3, 4], closes: false });
		const { file, json, notes } = await run([1, 2, 3, 4, 5]);
		expect(file).toBe(whole([1, 5], { closes: false }));
		expect(notes).toContain('The platform sent 2 more records than sessions.');
		expect(json).toMatchObject({ missingReasons: { notFound: [], leftOut: [2, 3, 4] }, sessionCount: 2 });
		expect(idsSent(platform)).toEqual([[1, 2, 3, 4, 5], [2, 3, 4], [2, 3], [4], [5]]);
	});

	it('where the platform sends the lines by kind, and the answer is cut', async () => {
		send({ byKind: true }, cutBehind('2,Parki', 1));
		const { file, json } = await run([1, 2, 3, 4]);
		expect(file).toBe(whole([1, 2, 3, 4]));
		expect(json).toMatchObject({ missingCount: 0, rowCount: 8 });
		expect(exportRequests(platform)).toHaveLength(3);
	});

	it('where the platform sends the lines by kind, at most six in an answer, and a session is missing', async () => {
		const lines = (id: number) => (id === 5 ? [`${id},Energy,1`, `${id},Parking,2`].slice(1) : twoLines(id));
		const byKind = ['Energy', 'Parking'];
		platform.exported = (ids) => {
			const all = byKind.flatMap((kind) => ids.flatMap(lines).filter((line) => line.includes(kind)));
			return `${HEAD}${all.slice(0, 6).join('\n')}\n`;
		};
		const { file, json } = await run([1, 2, 3, 4, 5]);
		expect(file).toBe(whole([1, 2, 3, 4, 5], { lines }));
		expect(json).toMatchObject({ missingCount: 0, rowCount: 9 });
	});

	it('where the platform sends the lines by kind, which only a later answer shows', async () => {
		send({ byKind: true }, cutBehind('3,Ener', 1));
		const { file, json } = await run([1, 2, 3, 4, 5]);
		expect(file).toBe(whole([1, 2, 3, 4, 5]));
		expect(json).toMatchObject({ missingCount: 0, rowCount: 10 });
	});
});

describe('an answer without a final line end', () => {
	it('is taken as it is where no answer has one', async () => {
		send({ closes: false });
		const { file, json } = await run([1, 2, 3, 4], { idsPerRequest: 2 });
		expect(file).toBe(whole([1, 2, 3, 4], { closes: false }));
		expect([json.missingCount, exportRequests(platform).length]).toEqual([0, 2]);
	});

	it.each([
		['1,Parking,2', 1, 'the first'],
		['1,Parking,', 1, 'the first, within its last cell'],
		['2,Energy,1', 1, 'the first, whose last session is shown'],
		['4,Energy,1', 2, 'the second'],
		['4,Parking,', 2, 'the second, within its last cell'],
	])('is cut where another answer has one: behind "%s" in answer %s', async (last, nth) => {
		send({}, cutBehind(last, nth));
		const { file, json } = await run([1, 2, 3, 4], { idsPerRequest: 2, sessionsPerFile: 2 });
		// Where a file is stored already when a later answer shows it, its item names the session.
		const isTooLate = last === '2,Energy,1';
		expect(json.missingReasons).toEqual({ notFound: [], leftOut: [], notConfirmed: isTooLate ? [2] : [] });
		if (nth === 1 && !isTooLate) expect(file).toBe(whole([1, 2]));
	});

	it('alone twice, the session is left out, and the others are in the file', async () => {
		platform.exported = (ids) => {
			const text = answerFor(ids, {});
			return ids.includes(2) ? text.slice(0, text.indexOf('2,Energy,1') + 10) : text;
		};
		const { file, json } = await run([3, 1, 2], { idsPerRequest: 2 });
		expect(file).toBe(whole([3, 1]));
		expect(json.missingReasons).toEqual({ notFound: [], leftOut: [2], notConfirmed: [] });
		expect(idsSent(platform)).toEqual([[3, 1], [2], [2]]);
	});
});

describe('lines of no session', () => {
	const total = 'Total,,1';

	it('that have fewer cells and no line end do not make an answer one that is cut', async () => {
		send({ total: 'Total,5', closes: false });
		const { file, json } = await run([1, 2, 3, 4], { idsPerRequest: 2 });
		expect(file).toBe(whole([1, 2, 3, 4]));
		expect(json).toMatchObject({ missingCount: 0, foreignCount: 2, requests: 2 });
	});

	it('are in no file once the column has shown a session, also in an answer of them alone', async () => {
		send({ without: [2], total });
		const { file, json } = await run([1, 2, 3]);
		expect(file).toBe(whole([1, 3]));
		expect(json).toMatchObject({ missingReasons: { leftOut: [2] }, identityChecked: true, complete: false, rowCount: 4 });
		expect(json.foreignCount).toBeGreaterThan(1);
	});

	it('before any session was shown are judged at the end of their part', async () => {
		send({ without: [1, 2], total });
		answerWith(platform, 'Id,Art,Price\n', 1);
		const { file, json } = await run([1, 2, 3, 4]);
		expect(file).toBe(whole([3, 4]));
		expect(json).toMatchObject({ missingReasons: { leftOut: [1, 2] }, identityChecked: true });
	});

	it('are all there is of the first part: they are kept, and said to be unchecked', async () => {
		send({ without: [1, 2], total });
		const { file, json } = await run([1, 2, 3, 4], { idsPerRequest: 2 });
		expect(file).toBe(`${HEAD}${total}\n${whole([3, 4]).slice(HEAD.length)}`);
		expect(json).toMatchObject({ identityChecked: false, missingReasons: { notConfirmed: [1, 2] } });
	});
});

describe('how many requests', () => {
	it('a thousand deleted sessions cost one each for the last session beside them', async () => {
		const ids = allIds(platform);
		gone(...ids.filter((id) => id % 2 === 0));
		const { json } = await run(ids);
		expect(json).toMatchObject({ sessionCount: 1000, missingCount: 1000 });
		expect(json.missingReasons).toMatchObject({ leftOut: [] });
		expect(exportRequests(platform)).toHaveLength(2 * 4);
		expect(listRequests(platform).length).toBeLessThan(20);
	});

	it('a thousand sessions that the CSV leaves out', async () => {
		const ids = allIds(platform);
		platform.exported = (some) => some.filter((id) => id % 2 !== 0);
		const { json } = await run(ids);
		expect(json).toMatchObject({ sessionCount: 1000, missingCount: 1000 });
		expect(exportRequests(platform)).toHaveLength(5 * 4);
	});

	it('a thousand sessions that the CSV leaves out, before any that it has', async () => {
		const ids = allIds(platform);
		platform.exported = (some) => some.filter((id) => id > (ids[999] ?? 0));
		const { json } = await run(ids);
		expect(json).toMatchObject({ sessionCount: 1000, missingCount: 1000 });
		expect(exportRequests(platform).length).toBeLessThan(40);
	});

	it('later parts do not find out anew how many sessions are too many', async () => {
		const ids = allIds(platform);
		platform.exported = (some) => (some.length > 32 ? [] : some);
		const { json } = await run(ids);
		expect(json.missingCount).toBe(0);
		// 500, 250, 125 and 63 are too many.
		expect(exportRequests(platform).length).toBeLessThanOrEqual(4 + Math.ceil(500 / 32) * 4 + 4);
	});
});
