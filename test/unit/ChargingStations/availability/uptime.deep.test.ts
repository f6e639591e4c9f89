import fc from 'fast-check';

import { parseUptimeRows } from '../../../../nodes/ChargingStations/availability/rows';
import type { UptimeUnit } from '../../../../nodes/ChargingStations/availability/uptimeRows';
import { UptimeCalculator } from '../../../../nodes/ChargingStations/availability/uptime';
import { ValidationIssues } from '../../../../nodes/shared/dsquery/validationIssues';
import { LongWork } from '../../../../nodes/shared/longWork';
import { draws } from '../../../support/draws.ts';

// Random tables, painted: each minute of the period, for each station and charge point, is looked at on its own.

const CAUSES = ['offline', 'faulted', 'chargePoint'];
const DAY = 1440;
const NOW = 3 * DAY;
const PERIOD = { from: DAY, to: 2.5 * DAY };
const BEGIN = Date.parse('2026-01-01T00:00:00Z');

const station = fc.constantFrom('1', '2');
const chargePoint = fc.constantFrom(undefined, undefined, '1', '#2');
const unit: fc.Arbitrary<UptimeUnit> = fc.record({ station, chargePoint });
const unitOrAll = fc.oneof(
	{ weight: 3, arbitrary: unit },
	{ weight: 1, arbitrary: fc.constant<UptimeUnit>({ station: '*' }) },
);
const UNITS: UptimeUnit[] = ['1', '2'].flatMap((of) => [
	{ station: of },
	...['1', '#2'].map((point) => ({ station: of, chargePoint: point })),
]);

const length = fc.oneof(fc.integer({ min: 1, max: 90 }), fc.integer({ min: 1, max: 2 * DAY }));
const span = fc
	.record({ from: fc.integer({ min: 0, max: NOW - 1 }), length })
	.map(({ from, length: minutes }) => ({ from, to: Math.min(from + minutes, NOW) }));
const cause = fc.constantFrom(...CAUSES);

const table = fc.record({
	incidents: fc.array(
		// How its rows tell it: begin and end in one row or two, or the begin alone, or only rows of kind watching name it.
		fc.record({ unit, cause, span, by: fc.constantFrom('one', 'two', 'begin', 'nothing' as const) }).map((each) =>
			// What the Charge Point Trigger reports is always about one.
			each.cause === 'chargePoint'
				? { ...each, unit: { ...each.unit, chargePoint: each.unit.chargePoint ?? '1' } }
				: each,
		),
		{ maxLength: 8 },
	),
	watching: fc.array(fc.record({ cause, span, unreadable: fc.array(unit, { maxLength: 1 }) }), { maxLength: 8 }),
	excluded: fc.array(fc.record({ unit: unitOrAll, span }), { maxLength: 3 }),
	causes: fc.subarray(CAUSES, { minLength: 1 }),
	assumeAlwaysWatched: fc.boolean(),
	order: fc.infiniteStream(fc.nat()),
});
type Table = typeof table extends fc.Arbitrary<infer Value> ? Value : never;
type Incident = Table['incidents'][number];

const time = (minute: number) => new Date(BEGIN + minute * 60_000).toISOString();
const isIn = (minute: number, { from, to }: { from: number; to: number }) => from <= minute && minute < to;
/** Whether what a row says of one holds for the other: what is said of a station holds for its charge points. */
const holdsFor = (said: UptimeUnit, of: UptimeUnit) =>
	said.station === '*' ||
	(said.station === of.station && (said.chargePoint === undefined || said.chargePoint === of.chargePoint));

/** The watching rows that name an incident: those at whose end it goes on. */
function naming({ watching }: Table, incident: Incident) {
	return watching.filter((row) => row.cause === incident.cause && isIn(row.span.to, incident.span));
}

function rowsOf(told: Table): object[] {
	const about = ({ station: stationId, chargePoint: chargePointId }: UptimeUnit) => ({ stationId, chargePointId });
	const rows = told.incidents.flatMap(({ unit: of, cause: name, span: { from, to }, by }, incidentId): object[] => {
		const begun = { kind: 'incident', cause: name, incidentId, ...about(of), since: time(from) };
		const ended = { ...begun, until: time(to) };
		return { one: [ended], two: [begun, ended], begin: [begun], nothing: [] }[by];
	});
	for (const row of told.watching) {
		const open = told.incidents.flatMap((each, incidentId) =>
			naming(told, each).includes(row) ? { incidentId, ...about(each.unit), since: time(each.span.from) } : [],
		);
		rows.push({
			kind: 'watching',
			cause: row.cause,
			since: time(row.span.from),
			until: time(row.span.to),
			openIncidents: JSON.stringify(open),
			unreadable: row.unreadable.map(about),
		});
	}
	for (const each of told.excluded) {
		rows.push({ kind: 'excluded', ...about(each.unit), since: time(each.span.from), until: time(each.span.to) });
	}
	const keyed = rows.map((row) => ({ row, key: Number(told.order.next().value) }));
	return keyed.sort((one, other) => one.key - other.key).map(({ row }) => row);
}

/** From when to when rows tell that it was down: to nothing if they do not tell how long. */
function toldSpan(told: Table, incident: Incident): { from: number; to: number } | 'unknown' | 'untold' {
	const {
		cause: name,
		by,
		span: { from, to },
	} = incident;
	if (by === 'one' || by === 'two') return { from, to };
	const ends = naming(told, incident).map((row) => row.span.to);
	if (ends.length > 0) return { from, to: Math.max(...ends) };
	if (by === 'nothing') return 'untold';
	return told.watching.some((row) => row.cause === name) ? 'unknown' : { from, to: NOW };
}

/** How a minute counts, but for outages. */
function apart(told: Table, of: UptimeUnit, minute: number): 'excluded' | 'unknown' | 'counted' {
	if (told.excluded.some((row) => holdsFor(row.unit, of) && isIn(minute, row.span))) return 'excluded';
	const isUnread = told.watching.some(
		(row) =>
			told.causes.includes(row.cause) && isIn(minute, row.span) && row.unreadable.some((each) => holdsFor(each, of)),
	);
	if (isUnread) return 'unknown';
	const isWatched = (name: string) => {
		const rows = told.watching.filter((row) => row.cause === name);
		if (rows.length > 0) return rows.some((row) => isIn(minute, row.span));
		return told.assumeAlwaysWatched || told.watching.length === 0;
	};
	return told.causes.every(isWatched) ? 'counted' : 'unknown';
}

/** What the minutes of a unit add up to, of these incidents. Outages may begin before the period and end after it. */
function paint(told: Table, of: UptimeUnit, incidents: readonly Incident[], causes: readonly string[]) {
	const painted = { up: 0, down: 0, excluded: 0, unknown: 0 };
	const downByCause = Object.fromEntries(causes.map((name) => [name, 0]));
	const outages: Array<{ from: number; to: number; down: number; excluded: number; unknown: number }> = [];
	for (let minute = 0; minute < NOW; minute++) {
		const isDown = ({ span: whole, ...each }: Incident) => {
			const known = toldSpan(told, { span: whole, ...each });
			return typeof known === 'object' && isIn(minute, known);
		};
		const down = new Set(incidents.filter(isDown).map((each) => each.cause));
		const kind = apart(told, of, minute);
		const seconds = isIn(minute, PERIOD) ? 60 : 0;
		const state = kind !== 'counted' ? kind : down.size > 0 ? 'down' : 'up';
		painted[state] += seconds;
		if (down.size === 0 || state === 'up') continue;
		let outage = outages.at(-1);
		if (outage?.to !== minute) outages.push((outage = { from: minute, to: minute, down: 0, excluded: 0, unknown: 0 }));
		outage.to = minute + 1;
		outage[state] += seconds;
		if (state === 'down') for (const name of down) downByCause[name] = (downByCause[name] ?? 0) + seconds;
	}
	const touching = outages.filter(({ down, excluded, unknown }) => down + excluded + unknown > 0);
	return { ...painted, downByCause, outages: touching };
}

const at = (minute: number) => BEGIN / 1000 + minute * 60;
const inMinutes = <Item extends { from: number; to: number }>({ from, to, ...rest }: Item) => ({
	from: (from - at(0)) / 60,
	to: (to - at(0)) / 60,
	...rest,
});

async function check(told: Table): Promise<void> {
	const issues = new ValidationIssues();
	const rows = await parseUptimeRows(
		rowsOf(told),
		{ zone: 'UTC', now: at(NOW), spellings: CAUSES },
		issues,
		new LongWork(),
	);
	issues.check();
	const period = { from: at(PERIOD.from), to: at(PERIOD.to) };
	const uptime = new UptimeCalculator(rows, period, { ...told, zone: 'UTC' });
	const counts = told.incidents.filter((each) => told.causes.includes(each.cause));
	const hasUnknownLength = (each: Incident) => toldSpan(told, each) === 'unknown' && isIn(each.span.from, PERIOD);
	const painted = UNITS.map((of) => {
		const own = counts.filter((each) => holdsFor(each.unit, of));
		return { ...paint(told, of, own, told.causes), incidentsOfUnknownLength: own.filter(hasUnknownLength).length };
	});
	const figures = UNITS.map((of) => uptime.figuresOf(of));
	expect(figures.map((each) => ({ ...each, outages: each.outages.map(inMinutes) }))).toEqual(painted);
	for (const name of ['1', '2']) {
		const lines = UNITS.filter((each) => each.station === name).flatMap((of) =>
			told.causes.flatMap((by) => {
				const own = counts.filter(
					(each) => each.cause === by && each.unit.station === name && each.unit.chargePoint === of.chargePoint,
				);
				const known = paint(told, of, own, [by]).outages.map(({ from, ...parts }) => [of.chargePoint, by, from, parts]);
				const unknown = own.filter(hasUnknownLength).map(({ span: { from } }) => [of.chargePoint, by, from, null]);
				return [...known, ...unknown];
			}),
		);
		const listed = uptime.outagesOf(name).map(({ chargePoint: point, cause: by, since, parts }) => {
			const { from, ...rest } = parts ? inMinutes(parts) : { from: (since - at(0)) / 60 };
			return [point, by, from, parts ? rest : null];
		});
		const sorted = (all: unknown[]) => all.map((line) => JSON.stringify(line)).sort();
		expect(sorted(listed)).toEqual(sorted(lines));
	}
}

it('the uptime of random tables is what painting each minute gives: stations, charge points and outages', async () => {
	await fc.assert(fc.asyncProperty(table, check), { numRuns: draws() });
}, 1_800_000);
