import fc from 'fast-check';
import { DateTime } from 'luxon';

import { FORMULAS, lowestUptimePercent, uptimePercent } from '../../../../nodes/ChargingStations/availability/formulas';
import { readRows, type Unit, type UptimeRows } from '../../../../nodes/ChargingStations/availability/rows';
import { together, Uptime } from '../../../../nodes/ChargingStations/availability/uptime';
import { Faults } from '../../../../nodes/shared/dsquery/faults';
import { periodSpan, type Period } from '../../../../nodes/shared/dsquery/values/periods';
import { Turns } from '../../../../nodes/shared/platform';
import { draws } from '../../../support/draws.ts';

const RUNS = draws();
const STATIONS = ['1', '2', '3'];
const CHARGE_POINTS = ['1', '#2'];
const UNITS: Unit[] = STATIONS.flatMap((station) => [
	{ station },
	...CHARGE_POINTS.map((chargePoint) => ({ station, chargePoint })),
]);
const CAUSES = ['offline', 'faulted', 'chargePoint'];
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
const chargePoint = fc.constantFrom(undefined, ...CHARGE_POINTS);
const unitOrAll = fc.oneof(fc.record({ station, chargePoint }), fc.constant<Unit>({ station: '*' }));
/** An outage with the cause chargePoint is always of a charge point; any other may be. */
const whose = fc.oneof(
	fc.record({ station, cause: fc.constantFrom('offline', 'faulted'), chargePoint }),
	fc.record({ station, cause: fc.constant('chargePoint'), chargePoint: fc.constantFrom(...CHARGE_POINTS) }),
);
const incident = fc.record({
	whose,
	since: minute,
	length: fc.oneof(fc.integer({ min: 0, max: 90 }), fc.integer({ min: 0, max: 2 * DAY_MINUTES })),
	// Start and end have a row; only the start has; neither has, so that only rows of kind `watching` name it.
	ending: fc.constantFrom('told', 'told', 'quiet', 'unknown' as const),
	open: fc.boolean(),
});
const stretch = fc.record({ from: minute, length: fc.integer({ min: 0, max: DAY_MINUTES }) });
const timeOfDay = fc.oneof(
	fc.constantFrom(0, 120, DAY_MINUTES),
	fc.integer({ min: 0, max: DAY_MINUTES }),
	fc.integer({ min: 60, max: 240 }),
);
const story = fc.record({
	now: fc.constantFrom(...NOWS),
	period: fc.constantFrom(...PERIODS),
	incidents: fc.array(incident, { maxLength: 8 }),
	/** By cause; a trigger may also not report what is watched. */
	watching: fc.record(
		Object.fromEntries(CAUSES.map((name) => [name, fc.array(stretch, { minLength: 1, maxLength: 5 })])),
		{ requiredKeys: [] },
	),
	hourly: fc.constantFrom(60, 60, 45),
	/** What could not be read, and when. */
	unreadable: fc.array(
		fc.record({ unit: fc.record({ station, chargePoint }), cause: fc.constantFrom(...CAUSES), span: stretch }),
		{ maxLength: 2 },
	),
	// Those of no length are refused.
	excluded: fc.array(fc.record({ unit: unitOrAll, span: stretch.filter(({ length }) => length > 0) }), {
		maxLength: 3,
	}),
	closed: fc.array(
		fc
			.record({
				unit: unitOrAll,
				weekdays: fc.subarray([0, 1, 2, 3, 4, 5, 6], { minLength: 1 }),
				since: timeOfDay,
				until: timeOfDay,
			})
			.filter(({ since, until }) => since - until < DAY_MINUTES),
		{ maxLength: 2 },
	),
	counted: fc.constantFrom(['offline'], ['offline', 'chargePoint'], ['faulted'], ['offline', 'faulted'], CAUSES),
	assumeAlwaysWatched: fc.boolean(),
	seed: fc.infiniteStream(fc.nat(1_000)),
});
type Story = typeof story extends fc.Arbitrary<infer Value> ? Value : never;

/** What clocks show at each minute from five days before now, in minutes as if it were UTC. */
const walls = new Map<string, number[]>();
function wallsOf(now: number, zone: string): number[] {
	const key = `${zone} ${now}`;
	const known = walls.get(key);
	if (known) return known;
	const all = Array.from({ length: 5 * DAY_MINUTES + 1 }, (_, index) => {
		const local = DateTime.fromSeconds(now + (index - 5 * DAY_MINUTES) * MINUTE, { zone });
		return Date.UTC(local.year, local.month - 1, local.day, local.hour, local.minute) / 60_000;
	});
	walls.set(key, all);
	return all;
}

const DAY_NAMES = ['sun', 'mon', 'tue', 'Wed', 'thursday', 'FRI', 'sat'];

/** The rows that the triggers and people would have written, and what they say about each minute. */
class Simulation {
	readonly zone: string;
	readonly now: number;
	private readonly incidents;
	private readonly watching: Array<{ cause: string; from: number; to: number; named: Set<number>; unread: Unit[] }>;
	/** The minutes of closing times, found by looking at the clock minute by minute. */
	private readonly closings: Array<{ unit: Unit; from: number; to: number; reason: string }> = [];

	private readonly ends: number[] = [];
	private readonly watchedMinutes = new Map<string, Set<number>>();

	constructor(readonly told: Story) {
		const [zone, wall] = told.now;
		this.zone = zone;
		this.now = DateTime.fromISO(wall, { zone }).toSeconds();
		this.incidents = told.incidents.map(({ length, whose: unit, ...each }) => ({
			...unit,
			...each,
			until: each.open ? Infinity : Math.min(each.since + length, 0),
		}));
		this.watching = Object.entries(told.watching).flatMap(([name, stretches]) =>
			(stretches ?? []).flatMap(({ from, length }) => {
				const rows = [];
				const end = Math.min(from + length, 0);
				for (let start = from; start < end; start += told.hourly) {
					const to = Math.min(start + told.hourly, end);
					const open = this.incidents.flatMap((each, id) =>
						each.cause === name && each.since <= to && to < each.until ? id : [],
					);
					const unread = told.unreadable.flatMap(({ unit, cause, span }) =>
						cause === name && span.from < to && start < span.from + span.length ? unit : [],
					);
					rows.push({ cause: name, from: start, to, named: new Set(open), unread });
				}
				return rows;
			}),
		);
		this.findClosings();
	}

	private findClosings(): void {
		const shown = wallsOf(this.now, this.zone);
		const firstShown = (wall: number) => {
			const index = shown.findIndex((each) => each >= wall);
			return index < 0 ? Infinity : index - 5 * DAY_MINUTES;
		};
		const firstDay = Math.ceil((shown[0] ?? 0) / DAY_MINUTES) * DAY_MINUTES;
		for (const [index, { unit, weekdays, since, until }] of this.told.closed.entries()) {
			for (let day = firstDay; day <= (shown.at(-1) ?? 0); day += DAY_MINUTES) {
				if (!weekdays.includes(new Date(day * 60_000).getUTCDay())) continue;
				const to = firstShown(day + until + (until > since ? 0 : DAY_MINUTES));
				this.closings.push({ unit, from: firstShown(day + since), to, reason: `closed ${index}` });
			}
		}
	}

	private random(): number {
		return Number(this.told.seed.next().value);
	}

	private oneOf<Value>(...values: Value[]): Value {
		return values[this.random() % values.length] as Value;
	}

	/** The time of a minute, in one of the forms a row may have. */
	private time(at: number): unknown {
		const time = DateTime.fromSeconds(this.now + at * MINUTE, { zone: this.zone });
		return this.oneOf<unknown>(time, time.toJSDate(), time.toISO(), time.toUTC().toISO());
	}

	private spelling(name: string): string | null {
		return name === 'offline' ? this.oneOf(null, '', name) : this.oneOf(name, name.toUpperCase(), ` ${name}`);
	}

	/** A charge point's Id as a row may have it; an empty cell, or none, for a station. */
	private chargePointId(id: string | undefined): object {
		if (id === undefined) return this.oneOf<object>({}, { chargePointId: null }, { chargePointId: '' });
		return { chargePointId: this.oneOf<unknown>(id, ` ${id}`, id === '1' ? 1 : id) };
	}

	private watchingRows(): unknown[] {
		return this.watching.map(({ cause: name, from, to, named, unread }) => {
			const open = [...named].map((id) => ({
				incidentId: `i${id}`,
				stationId: Number(this.incidents[id]?.station),
				...this.chargePointId(this.incidents[id]?.chargePoint),
				since: DateTime.fromSeconds(this.now + (this.incidents[id]?.since ?? 0) * MINUTE).toISO(),
			}));
			const units = unread.map((unit) => ({ stationId: unit.station, ...this.chargePointId(unit.chargePoint) }));
			const more = {
				cause: this.spelling(name),
				openIncidents: this.oneOf<unknown>(open, JSON.stringify(open)),
				...(units.length > 0 && { unreadable: this.oneOf<unknown>(units, JSON.stringify(units)) }),
			};
			return this.oneOf<unknown>(
				{ kind: 'watching', since: this.time(from), until: this.time(to), ...more },
				{ event: 'watching', from: this.time(from), to: this.time(to), ...more },
			);
		});
	}

	private incidentRows(): unknown[] {
		return this.incidents.flatMap(({ station: stationId, chargePoint: of, cause: name, since, until, ending }, id) => {
			if (ending === 'unknown') return [];
			const matching = name === 'chargePoint' ? ['outOfOrder', 'backInOrder'] : ['startedMatching', 'stoppedMatching'];
			const events = name === 'offline' ? ['offline', 'backOnline'] : matching;
			const whole = { incidentId: `i${id}`, stationId, since: this.time(since), cause: this.spelling(name) };
			const about = { ...whole, ...this.chargePointId(of) };
			const begun = { ...about, ...this.oneOf<object>({ kind: 'incident' }, { event: events[0] }), until: null };
			if (ending !== 'told' || until === Infinity) return [begun];
			const ended = { ...about, event: events[1], until: this.time(until) };
			const byHand = { ...about, kind: 'Incident', incidentId: this.oneOf('', `i${id}`), until: this.time(until) };
			const earlier = { ...begun, until: this.time(since) };
			return this.oneOf<unknown[]>(
				[byHand],
				[begun, ended],
				[ended],
				[{ event: 'digest', events: [begun, ended] }],
				[earlier, ended],
			);
		});
	}

	/** In any order. */
	rows(): unknown[] {
		const clock = (at: number) => `${Math.floor(at / 60)}:${String(at % 60).padStart(2, '0')}`;
		const rows = [...this.watchingRows(), ...this.incidentRows()];
		for (const [index, { unit, span }] of this.told.excluded.entries()) {
			const until = this.time(span.from + span.length);
			const about = { stationId: unit.station, ...this.chargePointId(unit.chargePoint) };
			rows.push({ kind: 'Excluded', ...about, since: this.time(span.from), until, reason: `excluded ${index}` });
		}
		for (const [index, { unit, weekdays, since, until }] of this.told.closed.entries()) {
			const days = weekdays.map((day) => DAY_NAMES[day]).join(this.oneOf(',', ', '));
			const reason = `closed ${index}`;
			const about = { stationId: unit.station, ...this.chargePointId(unit.chargePoint), weekdays: days };
			rows.push({ kind: 'closed', ...about, since: clock(since), until: clock(until), reason });
		}
		rows.push({ event: 'offline', incidentId: 'sample', stationId: 1, since: this.time(START), sample: true });
		return rows
			.map((row) => ({ row, key: this.random() }))
			.sort((a, b) => a.key - b.key)
			.map(({ row }) => row);
	}

	/** The causes that the rows name. */
	causes(): Set<string> {
		const told = this.incidents.filter(({ ending }) => ending !== 'unknown');
		return new Set([...told, ...this.watching].map(({ cause: name }) => name));
	}

	/** Whether rows say when somebody watched for a cause. */
	private isReported(name: string): boolean {
		return this.watching.some((each) => each.cause === name);
	}

	/** Whether somebody watched for a cause in a minute. */
	private isWatched(at: number, name: string): boolean {
		if (!this.isReported(name)) return this.told.assumeAlwaysWatched || this.watching.length === 0;
		const known = this.watchedMinutes.get(name) ?? new Set();
		if (known.size === 0) {
			this.watchedMinutes.set(name, known);
			for (const { cause: of, from, to } of this.watching) {
				for (let each = from; each < to && of === name; each++) known.add(each);
			}
		}
		return known.has(at);
	}

	/** Whether the rows say how much of the time was watched. */
	isWatchKnown(causes: readonly string[]): boolean {
		if (causes.some((name) => this.isReported(name))) return true;
		return causes.length > 0 && this.watching.length > 0 && !this.told.assumeAlwaysWatched;
	}

	/** Whether the rows show a station as down in a minute, by one of its incidents. */
	private isDown(at: number, id: number): boolean {
		const { since = Infinity } = this.incidents[id] ?? {};
		this.ends[id] ??= this.endOf(id);
		return since <= at && at < this.ends[id];
	}

	private endOf(id: number): number {
		const { ending, until = 0, cause: of = '' } = this.incidents[id] ?? {};
		if (ending === 'told' && until !== Infinity) return until;
		if (this.isReported(of)) return Math.max(...this.watching.map(({ to, named }) => (named.has(id) ? to : -Infinity)));
		return ending === 'unknown' ? -Infinity : Infinity;
	}

	/** Whether an incident begins in a minute and no row tells its length, although rows say what was watched. */
	private hasUnknownLength(at: number, id: number): boolean {
		const found = this.incidents[id];
		if (found?.since !== at || found.ending === 'unknown' || !this.isReported(found.cause)) return false;
		const isTold = found.ending === 'told' && found.until !== Infinity;
		return !isTold && !this.watching.some(({ named }) => named.has(id));
	}

	/** The reasons why a minute is excluded. */
	private reasons(at: number, of: Unit): string[] {
		const isOf = (unit: Unit) => unit.station === '*' || isAbout(unit, of);
		const excluded = this.told.excluded.flatMap(({ unit, span: { from, length } }, index) =>
			isOf(unit) && from <= at && at < from + length ? `excluded ${index}` : [],
		);
		const closed = this.closings.filter(({ unit, from, to }) => isOf(unit) && from <= at && at < to);
		return [...excluded, ...closed.map(({ reason }) => reason)];
	}

	/** Whether a row says that something could not be read in a minute. */
	private isUnread(at: number, of: Unit, { from, to, unread }: { from: number; to: number; unread: Unit[] }): boolean {
		return from <= at && at < to && unread.some((unit) => isAbout(unit, of));
	}

	/** How a minute counts. */
	private kind(at: number, of: Unit, causes: readonly string[]): 'excluded' | 'unknown' | 'counted' {
		if (this.reasons(at, of).length > 0) return 'excluded';
		if (this.watching.some((row) => this.isUnread(at, of, row) && causes.includes(row.cause))) return 'unknown';
		return causes.every((name) => this.isWatched(at, name)) ? 'counted' : 'unknown';
	}

	private minutesOf({ from, to }: Span): number[] {
		const end = Math.min(to, this.now);
		const first = (from - this.now) / MINUTE;
		return Array.from({ length: Math.max(0, (end - from) / MINUTE) }, (_, index) => first + index);
	}

	/** The figures of a station or charge point, counted minute by minute. */
	figures(of: Unit, period: Span, causes: readonly string[]) {
		const own = this.incidents.flatMap((each, id) => (isAbout(each, of) && causes.includes(each.cause) ? id : []));
		const figures = { period: 0, down: 0, excluded: 0, excludedOutage: 0, unknown: 0, incidentsOfUnknownLength: 0 };
		const downByCause = Object.fromEntries(causes.map((name) => [name, 0]));
		// An outage that continues through time that does not count is one incident.
		const lengths: number[] = [];
		let wasDown = false;
		for (const at of this.minutesOf(period)) {
			figures.period += MINUTE;
			figures.incidentsOfUnknownLength += own.filter((id) => this.hasUnknownLength(at, id)).length;
			const down = own.filter((id) => this.isDown(at, id));
			if (down.length > 0 && !wasDown) lengths.push(0);
			wasDown = down.length > 0;
			const kind = this.kind(at, of, causes);
			if (kind !== 'counted') figures[kind] += MINUTE;
			if (kind === 'excluded' && wasDown) figures.excludedOutage += MINUTE;
			if (kind !== 'counted' || !wasDown) continue;
			figures.down += MINUTE;
			lengths.push((lengths.pop() ?? 0) + MINUTE);
			for (const name of new Set(down.map((id) => this.incidents[id]?.cause ?? ''))) {
				downByCause[name] = (downByCause[name] ?? 0) + MINUTE;
			}
		}
		const counted = lengths.filter((length) => length > 0);
		return {
			...figures,
			downByCause,
			unknown: this.isWatchKnown(causes) ? figures.unknown : undefined,
			incidents: counted.length,
			longest: Math.max(0, ...counted),
		};
	}

	/** The outages of a station, or of one of its charge points alone, and their parts, found minute by minute. */
	outages(of: Unit, period: Span, causes: readonly string[]) {
		const minutes = new Set(this.minutesOf(period));
		return causes.flatMap((name) => {
			const own = this.incidents.flatMap((each, id) => (isSame(each, of) && each.cause === name ? id : []));
			const runs: Array<{
				chargePoint?: string;
				cause: string;
				since: number;
				end: number;
				parts: Record<string, number>;
				reasons: Set<string>;
			}> = [];
			for (let at = START; at < 0; at++) {
				if (!own.some((id) => this.isDown(at, id))) continue;
				const since = this.now + at * MINUTE;
				let run = runs.at(-1);
				if (run?.end !== since) {
					const parts = { down: 0, excluded: 0, unknown: 0 };
					run = { ...{ chargePoint: of.chargePoint, cause: name, since, end: since }, parts, reasons: new Set() };
					runs.push(run);
				}
				run.end += MINUTE;
				const kind = this.kind(at, of, causes);
				const part = kind === 'counted' ? 'down' : kind;
				if (!minutes.has(at)) continue;
				run.parts[part] = (run.parts[part] ?? 0) + MINUTE;
				for (const reason of this.reasons(at, of)) run.reasons.add(reason);
			}
			return runs.filter(({ parts }) => Object.values(parts).some((seconds) => seconds > 0));
		});
	}

	/** How many incidents of a station and its charge points begin in a period and have no known length. */
	ofUnknownLength(of: string, period: Span, causes: readonly string[]): number {
		const own = this.incidents.flatMap((each, id) => (each.station === of && causes.includes(each.cause) ? id : []));
		return this.minutesOf(period).flatMap((at) => own.filter((id) => this.hasUnknownLength(at, id))).length;
	}

	isAnythingKnown(units: readonly Unit[], period: Span, causes: readonly string[]): boolean {
		const minutes = this.minutesOf(period);
		if (causes.length === 0) return false;
		if (this.isWatchKnown(causes)) return minutes.some((at) => causes.every((name) => this.isWatched(at, name)));
		const isOfUnits = (each: Unit) => units.some((unit) => isAbout(each, unit));
		const own = this.incidents.flatMap((each, id) => (causes.includes(each.cause) && isOfUnits(each) ? id : []));
		return this.told.assumeAlwaysWatched || minutes.some((at) => own.some((id) => this.isDown(at, id)));
	}
}

interface Span {
	from: number;
	to: number;
}

function isSame(one: Unit, other: Unit): boolean {
	return one.station === other.station && one.chargePoint === other.chargePoint;
}

/** Whether what a row says about one holds for the other: what is said about a station holds for its charge points. */
function isAbout(row: Unit, of: Unit): boolean {
	return row.station === of.station && (row.chargePoint === undefined || row.chargePoint === of.chargePoint);
}

/** Compares everything that is computed, for one choice of causes. */
async function compare(simulation: Simulation, rows: UptimeRows, period: Span, causes: readonly string[]) {
	const { assumeAlwaysWatched } = simulation.told;
	const { zone, now } = simulation;
	const uptime = await Uptime.of(rows, period, now, { causes, assumeAlwaysWatched, zone }, new Turns());
	const all = await Promise.all(UNITS.map(async (unit) => await uptime.figuresOf(unit)));
	const expected = UNITS.map((unit) => simulation.figures(unit, period, causes));
	expect(all).toEqual(expected);
	for (const units of [UNITS.filter((unit) => unit.chargePoint === undefined), UNITS.slice(0, 3), UNITS.slice(-1)]) {
		expect(await uptime.isAnythingKnown(units)).toBe(simulation.isAnythingKnown(units, period, causes));
	}
	for (const name of STATIONS) {
		const outages = await uptime.outagesOf(name);
		const known = outages.filter(({ parts }) => parts !== undefined);
		const own = UNITS.filter((unit) => unit.station === name);
		const runs = own.flatMap((unit) => simulation.outages(unit, period, causes));
		const inOrder = <Item extends Begun>(items: Item[]) =>
			items
				.map(({ chargePoint: of, cause, since, parts }) => ({ chargePoint: of, cause, since, parts }))
				.map((item) => ({ item, key: `${item.since} ${item.cause} ${item.chargePoint}` }))
				.sort((a, b) => a.key.localeCompare(b.key))
				.map(({ item }) => item);
		expect(inOrder(known)).toEqual(inOrder(runs));
		for (const { chargePoint: of, cause, since, until, reasons } of known) {
			const run = runs.find((each) => each.chargePoint === of && each.cause === cause && each.since === since);
			if (until !== undefined) expect(until).toBe(run?.end);
			expect(new Set(reasons.names)).toEqual(run?.reasons);
		}
		const ofUnknownLength = simulation.ofUnknownLength(name, period, causes);
		expect(outages.length - known.length).toBe(ofUnknownLength);
		expect(await uptime.unknownLengths(own)).toBe(ofUnknownLength);
	}
	return { all, expected };
}

interface Begun {
	chargePoint?: string;
	cause: string;
	since: number;
	parts?: object;
}

it('figures and outages of random rows match a minute-by-minute simulation, for every formula', async () => {
	await fc.assert(
		fc.asyncProperty(story, async (told) => {
			const simulation = new Simulation(told);
			const { from, to } = periodSpan(told.period, new Date(simulation.now * 1000), simulation.zone);
			const period = { from: from.toSeconds(), to: to.toSeconds() };
			const faults = new Faults();
			const rows = await readRows(simulation.rows(), simulation.zone, faults, new Turns(), CAUSES);
			faults.check();
			expect(new Set(rows.causes)).toEqual(simulation.causes());
			const compared = await compare(simulation, rows, period, told.counted);
			for (const formula of FORMULAS) {
				const { all, expected } = compared;
				const sum = (name: 'period' | 'down' | 'excluded' | 'unknown') =>
					expected.reduce((total, each) => total + (each[name] ?? 0), 0);
				const of = {
					share: sum('period') - sum('excluded') - sum('unknown'),
					unknownUp: sum('period') - sum('excluded'),
					minutesOfYear: UNITS.length * 31_536_000,
				}[formula.value];
				expectShare(uptimePercent(formula, all), (of ?? NaN) - sum('down'), of ?? NaN);
				const whole = formula.value === 'share' ? sum('period') - sum('excluded') : (of ?? NaN);
				const lowest = lowestUptimePercent(formula, all);
				if (expected[0]?.unknown === undefined) expect(lowest).toBeNull();
				else expectShare(lowest, whole - sum('down') - sum('unknown'), whole);
				expect(together(all)).toMatchObject({ period: sum('period'), down: sum('down'), excluded: sum('excluded') });
			}
		}),
		{ numRuns: RUNS },
	);
}, 1_800_000);

/** Rounded down to four decimals. */
function expectShare(percent: number | null, up: number, of: number): void {
	if (of === 0) {
		expect(percent).toBeNull();
		return;
	}
	expect(percent).toBeLessThanOrEqual((100 * up) / of);
	expect(percent).toBeGreaterThan((100 * up) / of - 0.000_100_1);
}
