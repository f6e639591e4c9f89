import { FORMULAS, uptimePercent } from '../../../../nodes/ChargingStations/availability/formulas';
import { parseUptimeRows } from '../../../../nodes/ChargingStations/availability/rows';
import { UptimeCalculator } from '../../../../nodes/ChargingStations/availability/uptime';
import { LongWork } from '../../../../nodes/shared/longWork';
import { ValidationIssues } from '../../../../nodes/shared/dsquery/validationIssues';

const at = (time: string) => Date.parse(time) / 1000;

/** What rows tell of a period, by these causes. */
async function uptimeOf(rows: unknown[], [from, to]: [string, string], causes: string[], zone = 'UTC') {
	const read = await parseUptimeRows(
		rows,
		{ zone, now: at('2026-06-02T03:00:00Z') },
		new ValidationIssues(),
		new LongWork(),
	);
	const isAnyWatched = read.watched.size > 0;
	return new UptimeCalculator(
		read,
		{ from: at(from), to: at(to) },
		{ causes, assumeAlwaysWatched: !isAnyWatched, zone },
	);
}

describe('the worked example in docs/uptime.md', () => {
	const day = (clock: string) => `2026-06-01T${clock}:00Z`;
	const [midnight, next] = [day('00:00'), '2026-06-02T00:00:00Z'];
	const c = { incidentId: 'c', stationId: 7, since: day('20:30') };
	const watched = [
		{ kind: 'watching', since: '2026-05-31T00:00:00Z', until: day('16:00') },
		{ kind: 'watching', since: day('18:00'), until: day('21:00'), openIncidents: [c] },
		{ kind: 'watching', since: day('21:00'), until: next, openIncidents: '[]' },
	];
	const rows = [
		{ kind: 'incident', incidentId: 'a', stationId: 7, since: '2026-05-31T23:30:00Z', until: day('01:00') },
		{ kind: 'incident', incidentId: 'b', stationId: 7, since: day('10:00'), until: day('13:00') },
		{ kind: 'incident', ...c, until: null },
		{ kind: 'incident', stationId: 7, cause: 'faulted', since: day('09:00'), until: day('11:00') },
		{ kind: 'closed', stationId: 7, weekdays: 'mon', since: '08:00', until: '09:30' },
		{ kind: 'excluded', stationId: 7, since: day('12:00'), until: day('14:00') },
		...watched,
		...watched.map((row) => ({ ...row, cause: 'faulted', openIncidents: [] })),
	];
	const figuresOf = async (station: string, ...causes: string[]) =>
		(await uptimeOf(rows, [midnight, next], causes)).figuresOf({ station });

	it('has the minutes of the table', async () => {
		const { outages, downByCause, ...figures } = await figuresOf('7', 'offline', 'faulted');
		expect(figures).toEqual({
			up: 870 * 60,
			down: 240 * 60,
			excluded: 210 * 60,
			unknown: 120 * 60,
			incidentsOfUnknownLength: 0,
		});
		expect(downByCause).toEqual({ offline: 210 * 60, faulted: 90 * 60 });
		expect(outages.map(({ down, excluded }) => [down / 60, excluded / 60])).toEqual([
			[60, 0],
			[150, 90],
			[30, 0],
		]);
	});

	it('has no end of an outage of which rows tell only how long it was seen', async () => {
		const uptime = await uptimeOf(rows, [midnight, next], ['offline']);
		const ends = uptime.outagesOf('7').map(({ until }) => until);
		expect(ends).toEqual([at(day('01:00')), at(day('13:00')), undefined]);
	});

	it('has the percentages of the table, by every formula', async () => {
		const seven = await figuresOf('7', 'offline', 'faulted');
		const percents = FORMULAS.map((formula) => [formula.value, uptimePercent(formula, [seven])]);
		expect(percents).toEqual([
			['share', 78.3783],
			['unknownUp', 80.4878],
			['minutesOfYear', 99.9543],
		]);
		// Of the network: by the time that counts, not by station.
		expect(uptimePercent(FORMULAS[0], [seven, await figuresOf('8', 'offline', 'faulted')])).toBe(90.1234);
	});
});

it.each([
	['in summer', '2026-06-06T00:00:00Z', '2026-06-08T00:00:00Z', 4.5],
	['that began the evening before the period', '2026-06-06T22:30:00Z', '2026-06-08T00:00:00Z', 2],
	// Clocks skip 02:30, so it ends at the first instant after it; in October it ends where they show it first.
	['as clocks are set forward', '2026-03-28T00:00:00Z', '2026-03-30T00:00:00Z', 4],
	['as clocks are set back', '2026-10-24T00:00:00Z', '2026-10-26T00:00:00Z', 4.5],
])('closing times follow the clocks: a night %s', async (_, from, to, hours) => {
	const closed = { kind: 'closed', stationId: '*', weekdays: 'sat', since: '22:00', until: '02:30' };
	const uptime = await uptimeOf([closed], [from, to], ['offline'], 'Europe/Berlin');
	expect(uptime.figuresOf({ station: '7' }).excluded).toBe(hours * 3600);
});

it('closing times may last from Friday to Sunday evening, in three rows', async () => {
	const closed = ['fri 18:00 24:00', 'sat 00:00 24:00', 'sun 00:00 18:00'].map((row) => {
		const [weekdays, since, until] = row.split(' ');
		return { kind: 'closed', stationId: '*', weekdays, since, until };
	});
	const uptime = await uptimeOf(closed, ['2026-06-01T00:00:00Z', '2026-06-08T00:00:00Z'], ['offline']);
	expect(uptime.figuresOf({ station: '7' }).excluded).toBe(48 * 3600);
});

describe('an outage at the edge of the period, or of a cause that nobody watched', () => {
	const [begin, end] = ['2026-06-01T00:00:00Z', '2026-06-02T00:00:00Z'];
	const open = { kind: 'incident', incidentId: 'a', stationId: 7, until: null };
	const of = async (...rows: unknown[]) => await uptimeOf(rows, [begin, end], ['offline']);

	it('counts as one of unknown length where it began in it: at its first second, not at its end', async () => {
		const watched = { kind: 'watching', since: begin, until: end };
		for (const [since, count] of [
			[begin, 1],
			[end, 0],
		] as const) {
			const uptime = await of({ ...open, since }, watched);
			expect(uptime.figuresOf({ station: '7' }).incidentsOfUnknownLength).toBe(count);
			expect(uptime.outagesOf('7')).toHaveLength(count);
		}
	});

	it('of unknown length counts once for all charge points of its station', async () => {
		const uptime = await of({ ...open, since: begin }, { kind: 'watching', since: begin, until: end });
		const points = ['1', '2'].map((chargePoint) => ({ station: '7', chargePoint }));
		expect(uptime.unknownLengths(points)).toBe(1);
	});

	it('goes on where rows tell only what was watched for another cause', async () => {
		const uptime = await of(
			{ ...open, since: begin },
			{ kind: 'watching', cause: 'faulted', since: begin, until: end },
		);
		expect(uptime.figuresOf({ station: '7' }).incidentsOfUnknownLength).toBe(0);
		expect(uptime.outagesOf('7')).toMatchObject([{ since: at(begin), parts: { unknown: 24 * 3600 } }]);
	});

	it('has no reason of time that is excluded before it', async () => {
		const since = '2026-05-31T20:00:00Z';
		const excluded = { kind: 'excluded', stationId: 7, since, until: '2026-05-31T22:00:00Z', reason: 'works' };
		const uptime = await of({ ...open, since, until: '2026-06-01T01:00:00Z' }, excluded);
		expect(uptime.outagesOf('7').map(({ parts }) => [parts?.down, parts?.reasons])).toEqual([[3600, undefined]]);
	});
});
