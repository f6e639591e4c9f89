/** Values in rows that the specification does not show: large numbers, times that are none, statuses in other forms. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { runNode, type RunResult } from '../../support/harness.ts';
import { API_KEY, ScriptedServer } from '../../support/scriptedServer.ts';

const server = new ScriptedServer();
beforeAll(async () => await server.start());
afterAll(async () => await server.stop());

/** Runs a node on these rows, written as JSON as they are. */
async function run(
	rows: readonly string[],
	parameters: INodeParameters,
	{ type = 'chargingSessions', items }: { type?: string; items?: IDataObject[] } = {},
): Promise<RunResult> {
	server.script((_, response) => {
		response.setHeader('content-type', 'application/json');
		response.end(`{"Items":[${rows.join(',')}],"TotalCount":${rows.length}}`);
	});
	const credential = { environment: 'production', productionUrl: server.baseUrl, testUrl: '', apiKey: API_KEY };
	return await runNode({ type, credential, parameters, items });
}
const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
const SUMMARY = { operation: 'summary', measures: {}, groupBy: [] };
const GET_ALL = { operation: 'getAll', returnAll: true };

describe('integers beyond 2^53', () => {
	const station = (index: number) => `90071992547409${String(index + 90).padStart(3, '0')}`;
	const rows = Array.from(
		{ length: 12 },
		(_, index) =>
			`{"Id":${index + 1},"Status":4,"StationId": ${station(index)} ,"Site":{"Ref":-9007199254740993},"Many":[9007199254740993,1],` +
			`"Text":"said \\"Ref\\": 9007199254740993, or \\\\","Small":9007199254740991,"Rough":1234567890123456789.5,"Far":1e300,"Station":{"Id":9007199254740993}}`,
	);

	it('are kept as the text that came, and all else stays as it was', async () => {
		const { json, error } = await run(rows, { ...GET_ALL, options: { addStatusNames: false, addLocalTimes: false } });
		expect(error).toBeUndefined();
		expect(json.map(({ StationId: id }) => id)).toEqual(rows.map((_, index) => station(index)));
		expect(json[0]).toMatchObject({
			Id: 1,
			Status: 4,
			Small: 9007199254740991,
			Rough: Number('1234567890123456789.5'),
			Far: 1e300,
			Site: { Ref: '-9007199254740993' },
			Many: ['9007199254740993', 1],
			Text: 'said "Ref": 9007199254740993, or \\',
			Station: { Id: '9007199254740993' },
		});
	});

	it('are sorted as the numbers they are, not as those nearest to them', async () => {
		const refs = ['9007199254740993', '9007199254740992', '-9007199254740993', '9007199254740994', '-9007199254740992'];
		const sort = { by: [{ field: 'Ref', direction: 'Asc' }] };
		const { json, error } = await run(
			refs.map((ref, index) => `{"Id":${index + 1},"Ref":${ref}}`),
			{ ...GET_ALL, sort },
		);
		expect(error).toBeUndefined();
		expect(json.map(({ Ref: ref }) => ref)).toEqual([...refs].sort((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1)));
	});

	it('are the lowest, the highest and the sum to the last digit', async () => {
		const refs = ['9007199254740993', '9007199254740992', '-9007199254740993', '9007199254740995', '2'];
		const measures = { values: ['min', 'max', 'sum'].map((name) => ({ field: 'Ref', function: name })) };
		const { json, error } = await run(
			refs.map((ref, index) => `{"Id":${index + 1},"Status":4,"Ref":${ref}}`),
			{ ...SUMMARY, measures },
		);
		expect(error).toBeUndefined();
		const sum = String(refs.reduce((total, ref) => total + BigInt(ref), 0n));
		expect(json).toMatchObject([{ Ref_min: '-9007199254740993', Ref_max: '9007199254740995', Ref_sum: sum }]);
	});

	it('are Ids like any other: rows with them are read by position, and found', async () => {
		const ids = Array.from({ length: 12 }, (_, index) => `90071992547409${index + 85}`);
		const { json, error } = await run(
			ids.map((id) => `{"id" : ${id},"Status":4}`),
			GET_ALL,
		);
		expect(error).toBeUndefined();
		expect(json.map(({ Id: id }) => id)).toEqual(ids.map((id) => (Number(id) <= 9007199254740991 ? Number(id) : id)));
	});
});

it('numbers that are written as text are in the order of numbers; a limit is refused where they are not', async () => {
	const energies = ['"9.5"', '"10.25"', '7', '"-3"', '"100"'];
	const rows = energies.map((energy, index) => `{"Id":${index + 1},"EnergyConsumed":${energy}}`);
	const sort = { by: [{ field: 'EnergyConsumed', direction: 'Asc' }] };
	expect((await run(rows, { ...GET_ALL, sort })).json.map(({ Id }) => Id)).toEqual([4, 3, 1, 2, 5]);
	const { error } = await run(rows, { operation: 'getAll', limit: 4, sort });
	expect(error?.message).toMatch(/EnergyConsumed ascending was asked for: the platform does not sort by it$/);
});

it('rows without a value come first, whether it is null, left out, empty, blank or a time that stands for none', async () => {
	const names = [
		'"B"',
		'" "',
		'null',
		'"A"',
		'"0001-01-01T00:00:00"',
		'3',
		'""',
		'"\\u200b\\t"',
		'"2026-11-02T10:00:00"',
	];
	const rows = [...names.map((name, index) => `{"Id":${index + 1},"Name":${name}}`), '{"Id":10}'];
	const sort = (direction: string) => ({ by: [{ field: 'Name', direction }] });
	const idsIn = async (direction: string) =>
		(await run(rows, { ...GET_ALL, sort: sort(direction) })).json.map(({ Id }) => Id);
	expect(await idsIn('Asc')).toEqual([2, 3, 5, 7, 8, 10, 6, 9, 4, 1]);
	expect(await idsIn('Desc')).toEqual([1, 4, 9, 6, 2, 3, 5, 7, 8, 10]);
});

describe('0001-01-01, 1970-01-01 and the year 9999, which stand for no time', () => {
	const row = (Id: number, StartedAtUtc: string, EndedAtUtc = '0001-01-01T00:00:00') =>
		JSON.stringify({ Id, Status: 4, EnergyConsumed: 1, StartedAtUtc, EndedAtUtc });
	const rows = [
		row(1, '2026-11-02T10:00:00', '2026-11-03T12:00:00'),
		row(2, '0001-01-01T00:00:00', '2026-11-03T12:00:00'),
		row(3, '9999-12-31T23:59:59', '2026-11-03T12:00:00'),
		row(4, '2026-11-03T10:00:00', '1970-01-01T00:00:00'),
	];

	it('Get Many adds no local time to them', async () => {
		const { json } = await run(rows, { ...GET_ALL, options: { addLocalTimes: true } });
		expect(json.map(({ EndedAtLocal: local }) => local !== null)).toEqual([true, true, true, false]);
		expect(json.map(({ StartedAtLocal: local }) => local !== null)).toEqual([true, false, false, true]);
	});

	it('Summarize counts them to no day, and no hours from or to them, and says so', async () => {
		const measures = { values: [{ function: 'duration', endField: 'EndedAtUtc' }] };
		const { json, hints } = await run(rows, { ...SUMMARY, groupBy: ['day'], measures });
		const unmeasured = { durationWithoutEnd: 1, durationUnusable: 2 };
		expect(json[0]).toMatchObject({ count: 4, withoutStart: 2, duration: 26, ...unmeasured });
		expect((json[0]?.byDay as IDataObject[]).map(({ count }) => count)).toEqual([1, 1]);
		expect(hints.map(({ message }) => message).join(' ')).toMatch(/2 sessions have no valid time in StartedAtUtc/i);
	});

	it('in Availability, an outage with such an end is still open', async () => {
		const since = hoursAgo(40);
		const open = async (until: string | null) =>
			await availability(['7'], [{ event: 'offline', incidentId: 'a', stationId: 7, since, until }]);
		const { json: expected } = await open(null);
		expect(expected).toMatchObject([{ incidents: 1 }]);
		for (const until of ['0001-01-01T00:00:00', '9999-12-31T23:59:59', '1970-01-01T00:00:00Z']) {
			expect((await open(until)).json).toEqual(expected);
		}
	});
});

/** Availability of the stations with these Ids, as the rows of outages say. */
async function availability(ids: readonly string[], items: IDataObject[]): Promise<RunResult> {
	const parameters = { operation: 'availability', period: 'lastDays', days: 3, result: 'stations' };
	const stations = ids.map((id) => `{"Id":${id},"Name":"A"}`);
	return await run(stations, parameters, { type: 'chargingStations', items });
}

it('Availability finds a station whether an Id is a number or text, with blanks or beyond 2^53', async () => {
	const ids = ['7', '"8"', '" 9 "', '"9007199254740993"'];
	const [since, until] = [hoursAgo(40), hoursAgo(39)];
	const outages = ['7', 8, '9', '9007199254740993'].map((stationId, index) => ({
		event: 'backOnline',
		incidentId: `i${index}`,
		stationId,
		since,
		until,
	}));
	const { json, error, hints } = await availability(ids, outages);
	expect(error).toBeUndefined();
	expect(hints.map(({ message }) => message).join()).not.toMatch(/not in the list/);
	expect(json.map(({ incidents }) => incidents)).toEqual([1, 1, 1, 1]);
});

it('a status is the same as a number, a number in a text, a name in any case, and an object', async () => {
	const statuses = [4, '4', 'Finished', 'finished', { Id: 4, Name: 'Done' }, 6, 'Failed'];
	const rows = statuses.map((Status, index) => JSON.stringify({ Id: index + 1, Status, EnergyConsumed: 1 }));
	const { json } = await run(rows, { ...SUMMARY, groupBy: ['status'] });
	const groups = json[0]?.byStatus as IDataObject[];
	expect(groups.map(({ status, count }) => [status, count])).toEqual([
		[4, 5],
		[6, 2],
	]);
});
