import fc from 'fast-check';
import { DateTime } from 'luxon';

import { FORMULAS, uptimePercent } from '../../../../nodes/ChargingStations/availability/formulas';
import { readRows } from '../../../../nodes/ChargingStations/availability/rows';
import { together, Uptime, type Figures } from '../../../../nodes/ChargingStations/availability/uptime';
import { Faults } from '../../../../nodes/shared/dsquery/faults';
import { periodSpan, type Period } from '../../../../nodes/shared/dsquery/values/periods';
import { draws } from '../../../support/draws.ts';

const RUNS = draws();
const STATIONS = ['1', '2', '3'];
const MINUTE = 60;
const DAY_MINUTES = 1440;

/** Times soon after clock changes in both directions, one of half an hour, and times without a change. */
const NOWS: Array<[zone: string, wall: string]> = [
	['Europe/Berlin', '2026-03-30T09:20:00'],
	['Europe/Berlin', '2026-10-26T00:00:00'],
	['America/New_York', '2026-11-02T23:59:00'],
	['Australia/Lord_Howe', '2026-04-06T12:00:00'],
	['Asia/Kathmandu', '2026-07-01T05:45:00'],
	['UTC', '2026-02-01T00:00:00'],
];
const PERIODS: Period[] = [{ name: 'yesterday' }, { name: 'today' }, { name: 'lastDays', days: 2 }];

// Minutes are counted from three days before now.
const START = -3 * DAY_MINUTES;
const minute = fc.integer({ min: START, max: 0 });
const station = fc.constantFrom(...STATIONS);
const incident = fc.record({
	station,
	since: minute,
	length: fc.oneof(fc.integer({ min: 0, max: 90 }), fc.integer({ min: 0, max: 2 * DAY_MINUTES })),
	// Start and end have a row; only the start has; neither has, so that only rows of kind `watching` name it.
	ending: fc.constantFrom('told', 'told', 'quiet', 'unknown' as const),
	open: fc.boolean(),
});
const stretch = fc.record({ from: minute, length: fc.integer({ min: 0, max: DAY_MINUTES }) });
const excluded = fc.record({ station: fc.constantFrom(...STATIONS, '*'), span: stretch });
const story = fc.record({
	now: fc.constantFrom(...NOWS),
	period: fc.constantFrom(...PERIODS),
	incidents: fc.array(incident, { maxLength: 8 }),
	// Undefined: the trigger does not report what is watched.
	watching: fc.option(fc.array(stretch, { minLength: 1, maxLength: 6 }), { nil: undefined }),
	hourly: fc.constantFrom(60, 60, 45),
	excluded: fc.array(excluded, { maxLength: 3 }),
	seed: fc.infiniteStream(fc.nat(1_000)),
});
type Story = typeof story extends fc.Arbitrary<infer Value> ? Value : never;

/** The rows that the trigger would have written, and what they say about each minute. */
class Simulation {
	readonly zone: string;
	readonly now: number;
	private readonly incidents;
	private readonly watching: Array<{ from: number; to: number; named: Set<number> }>;

	constructor(private readonly told: Story) {
		const [zone, wall] = told.now;
		this.zone = zone;
		this.now = DateTime.fromISO(wall, { zone }).toSeconds();
		this.incidents = told.incidents.map(({ length, ...each }) => ({
			...each,
			until: each.open ? Infinity : Math.min(each.since + length, 0),
		}));
		this.watching = (told.watching ?? []).flatMap(({ from, length }) => {
			const rows = [];
			const end = Math.min(from + length, 0);
			for (let start = from; start < end; start += told.hourly) {
				const to = Math.min(start + told.hourly, end);
				const open = this.incidents.flatMap((each, id) => (each.since <= to && to < each.until ? id : []));
				rows.push({ from: start, to, named: new Set(open) });
			}
			return rows;
		});
	}

	private random(): number {
		return Number(this.told.seed.next().value);
	}

	/** The time of a minute, in one of the forms a row may have. */
	private time(at: number): unknown {
		const time = DateTime.fromSeconds(this.now + at * MINUTE, { zone: this.zone });
		return [time, time.toJSDate(), time.toISO(), time.toUTC().toISO()][this.random() % 4];
	}

	rows(): unknown[] {
		const { incidents, watching, told } = this;
		const rows: unknown[] = watching.map(({ from, to, named }) => {
			const open = [...named].map((id) => ({
				incidentId: `i${id}`,
				stationId: Number(incidents[id]?.station),
				since: DateTime.fromSeconds(this.now + (incidents[id]?.since ?? 0) * MINUTE).toISO(),
			}));
			const openIncidents = this.random() % 2 ? open : JSON.stringify(open);
			return this.random() % 2
				? { kind: 'watching', since: this.time(from), until: this.time(to), openIncidents }
				: { event: 'watching', from: this.time(from), to: this.time(to), openIncidents };
		});
		incidents.forEach(({ station: stationId, since, until, ending }, id) => {
			if (ending === 'unknown') return;
			const begun = { kind: 'incident', incidentId: `i${id}`, stationId, since: this.time(since), until: null };
			const ended = ending === 'told' && until !== Infinity;
			if (!ended || this.random() % 2) rows.push(begun);
			if (ended) rows.push({ ...begun, kind: null, event: 'backOnline', until: this.time(until) });
		});
		for (const { station: stationId, span } of told.excluded) {
			const until = this.time(span.from + span.length);
			rows.push({ kind: 'Excluded', stationId, since: this.time(span.from), until });
		}
		return rows
			.map((row) => ({ row, key: this.random() }))
			.sort((a, b) => a.key - b.key)
			.map(({ row }) => row);
	}

	/** Whether the rows show the station as offline in a minute. */
	private isDown(at: number, id: number): boolean {
		const found = this.incidents[id];
		if (!found || at < found.since) return false;
		if (found.ending === 'told' && found.until !== Infinity) return at < found.until;
		if (this.told.watching && this.watching.length > 0) {
			return this.watching.some(({ to, named }) => named.has(id) && at < to);
		}
		return found.ending !== 'unknown';
	}

	/** Whether an incident begins in a minute and no row tells its length, although rows say what was watched. */
	private hasUnknownLength(at: number, id: number): boolean {
		const found = this.incidents[id];
		if (found?.since !== at || found.ending === 'unknown' || this.watching.length === 0) return false;
		const isTold = found.ending === 'told' && found.until !== Infinity;
		return !isTold && !this.watching.some(({ named }) => named.has(id));
	}

	/** The figures of a station, counted minute by minute. */
	figures(
		of: string,
		period: { from: number; to: number },
	): Omit<Figures, 'unknown'> & { unknown: number | undefined } {
		const covers = (from: number, to: number, at: number) => from <= at && at < to;
		const isWatchKnown = this.watching.length > 0;
		const own = this.incidents.flatMap((each, id) => (each.station === of ? id : []));
		const figures = { period: 0, down: 0, excluded: 0, unknown: 0 };
		const lengths = [0];
		let incidentsOfUnknownLength = 0;
		for (let time = period.from; time < Math.min(period.to, this.now); time += MINUTE) {
			const at = (time - this.now) / MINUTE;
			figures.period += MINUTE;
			const down = own.some((id) => this.isDown(at, id));
			if (!down && lengths.at(-1) !== 0) lengths.push(0);
			const isExcluded = this.told.excluded.some(
				({ station: name, span }) => (name === of || name === '*') && covers(span.from, span.from + span.length, at),
			);
			if (!isExcluded) incidentsOfUnknownLength += own.filter((id) => this.hasUnknownLength(at, id)).length;
			if (isExcluded) {
				figures.excluded += MINUTE;
			} else if (isWatchKnown && !this.watching.some(({ from, to }) => covers(from, to, at))) {
				figures.unknown += MINUTE;
			} else if (down) {
				figures.down += MINUTE;
				lengths.push((lengths.pop() ?? 0) + MINUTE);
			} else continue;
			// An outage that continues through time that does not count is one incident.
			if (down && lengths.at(-1) === 0) lengths[lengths.length - 1] = Number.MIN_VALUE;
		}
		const counted = lengths.map((length) => Math.floor(length)).filter((length) => length > 0);
		return {
			...figures,
			unknown: isWatchKnown ? figures.unknown : undefined,
			incidents: counted.length,
			longest: Math.max(0, ...counted),
			incidentsOfUnknownLength,
		};
	}
}

it('figures of random incidents, gaps, quiet ends and maintenance match a minute-by-minute simulation', () => {
	fc.assert(
		fc.property(story, (told) => {
			const simulation = new Simulation(told);
			const { from, to } = periodSpan(told.period, new Date(simulation.now * 1000), simulation.zone);
			const period = { from: from.toSeconds(), to: to.toSeconds() };
			const faults = new Faults();
			const rows = readRows(simulation.rows(), simulation.zone, faults);
			faults.check();
			const uptime = new Uptime(rows, period, simulation.now);
			const all = STATIONS.map((name) => uptime.figuresOf(name));
			const expected = STATIONS.map((name) => simulation.figures(name, period));
			expect(all).toEqual(expected);
			const [share, unknownUp, year] = FORMULAS.map((formula) => uptimePercent(formula, all));
			const sum = (name: 'period' | 'down' | 'excluded' | 'unknown') =>
				expected.reduce((total, each) => total + (each[name] ?? 0), 0);
			const known = sum('period') - sum('excluded') - sum('unknown');
			const counted = sum('period') - sum('excluded');
			expectShare(share, known - sum('down'), known);
			expectShare(unknownUp, counted - sum('down'), counted);
			expectShare(year, 3 * 31_536_000 - sum('down'), 3 * 31_536_000);
			expect(together(all)).toMatchObject({ period: sum('period'), down: sum('down'), excluded: sum('excluded') });
		}),
		{ numRuns: RUNS },
	);
});

/** Rounded down to four decimals. */
function expectShare(percent: number | null | undefined, up: number, of: number): void {
	if (of === 0) {
		expect(percent).toBeNull();
		return;
	}
	expect(percent).toBeLessThanOrEqual((100 * up) / of);
	expect(percent).toBeGreaterThan((100 * up) / of - 0.000_100_1);
}

describe('the worked example in docs/uptime.md', () => {
	const day = (clock: string) => `2026-06-01T${clock}:00Z`;
	const at = (time: string) => Date.parse(time) / 1000;
	const rows = [
		{ kind: 'incident', incidentId: 'a', stationId: 7, since: '2026-05-31T23:30:00Z', until: day('01:00') },
		{ kind: 'incident', incidentId: 'b', stationId: 7, since: day('10:00'), until: day('13:00') },
		{ kind: 'incident', incidentId: 'c', stationId: 7, since: day('20:30'), until: null },
		{ kind: 'excluded', stationId: 7, since: day('12:00'), until: day('14:00') },
		{ kind: 'watching', since: '2026-05-31T00:00:00Z', until: day('16:00'), openIncidents: [] },
		{
			kind: 'watching',
			since: day('18:00'),
			until: day('21:00'),
			openIncidents: [{ incidentId: 'c', stationId: 7, since: day('20:30') }],
		},
		{ kind: 'watching', since: day('21:00'), until: '2026-06-02T00:00:00Z', openIncidents: '[]' },
	];
	const uptime = new Uptime(
		readRows(rows, 'UTC', new Faults()),
		{ from: at(day('00:00')), to: at('2026-06-02T00:00:00Z') },
		at('2026-06-02T03:00:00Z'),
	);

	it('has the minutes of the table', () => {
		expect(uptime.figuresOf('7')).toEqual({
			period: 1440 * MINUTE,
			down: 210 * MINUTE,
			excluded: 120 * MINUTE,
			unknown: 120 * MINUTE,
			incidents: 3,
			longest: 120 * MINUTE,
			incidentsOfUnknownLength: 0,
		});
	});

	it('has the percentages of the table', () => {
		const figures = [uptime.figuresOf('7')];
		expect(FORMULAS.map((formula) => uptimePercent(formula, figures))).toEqual([82.5, 84.0909, 99.96]);
	});

	it('a station without an incident counts in full', () => {
		expect(uptimePercent(FORMULAS[0], [uptime.figuresOf('8')])).toBe(100);
		expect(uptimePercent(FORMULAS[0], [uptime.figuresOf('7'), uptime.figuresOf('8')])).toBe(91.6666);
	});
});
