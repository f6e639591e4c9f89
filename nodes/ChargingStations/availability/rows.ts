import maxBy from 'lodash/maxBy';
import minBy from 'lodash/minBy';

import type { ValidationIssues } from '../../shared/dsquery/validationIssues';
import { DAY_SECONDS, RowReader, type RowColumn } from './rowReader';
import { CHARGE_POINT, EVERY_STATION, OFFLINE, UptimeRows, type UptimeUnit } from './uptimeRows';

/** Gives way during long work: `shared/longWork.ts`, which is not pure. */
interface LongWorkMapper {
	map<Item, Result>(items: Iterable<Item>, make: (item: Item) => Result): Promise<Result[]>;
}

/** How rows are to be understood. */
interface RowReadContext {
	/** The time zone of times that have none. */
	zone: string;
	/** Whole seconds since 1970. */
	now: number;
	/** Causes as they are to be written, whatever their case is in the rows. */
	spellings?: readonly string[];
}

/**
 * Reads the input rows, in any order; blank ones are skipped. Adds a fault for everything that cannot be used, with its
 * place, such as `Row 3 > since`.
 */
export async function parseUptimeRows(
	items: readonly unknown[],
	{ zone, now, spellings = [] }: RowReadContext,
	issues: ValidationIssues,
	longWork: LongWorkMapper,
): Promise<UptimeRows> {
	const table = new UptimeRowCollector(spellings, issues);
	await longWork.map(readersOf(items, zone, issues), (row) => table.take(row));
	await longWork.map(table.named, (open) => table.takeOpen(open));
	await longWork.map(table.incidents.values(), (incident) => table.addOutage(incident, now));
	return table.rows;
}

/** A reader for each row: for each event of a digest, and for none that is blank or comes from a test of the trigger. */
function* readersOf(items: readonly unknown[], zone: string, issues: ValidationIssues): Iterable<RowReader> {
	for (const [index, item] of items.entries()) {
		const row = new RowReader(item, `Row ${index + 1}`, zone, issues);
		if (row.isEmptyLine) continue;
		for (const each of row.isDigest() ? row.list('events') : [row]) if (!each.isSample()) yield each;
	}
}

/** What all rows about one incident say. */
interface IncidentRows {
	unit: UptimeUnit;
	cause?: string;
	/** The earliest begin. */
	since: number;
	/** The rows with an end. */
	ended: Array<{ since: number; until: number; place: string }>;
	/** The end of the last `watching` row that names it as open. */
	openAt?: number;
	/** Where the first row about it is; undefined if only `watching` rows name it. */
	place?: string;
}

/** An incident that a `watching` row names as open at its end. */
interface OpenIncident {
	entry: RowReader;
	cause: string;
	at: number;
}

const OWN_ID = 'Give each outage an incidentId of its own; a row with an end needs none.';
const NO_LENGTH = 'there is no time between begin and end.';

/** Collects what the rows say. */
class UptimeRowCollector {
	readonly rows = new UptimeRows();
	/** By incidentId. An incident without one has no other row, and its row is its key. */
	readonly incidents = new Map<unknown, IncidentRows>();
	readonly named: OpenIncident[] = [];
	/** By the cause in lower case. */
	private readonly spellings: Map<string, string>;

	constructor(
		spellings: readonly string[],
		private readonly issues: ValidationIssues,
	) {
		this.spellings = new Map([...spellings, OFFLINE, CHARGE_POINT].map((cause) => [cause.toLowerCase(), cause]));
	}

	take(row: RowReader): void {
		switch (row.kind()) {
			case 'incident':
				return this.takeIncident(row);
			case 'watching':
				return this.takeWatching(row);
			case 'excluded':
				return this.takeExcluded(row);
			case 'closed':
				return this.takeClosed(row);
			case 'presence':
				this.rows.skipped++;
		}
	}

	/** Adds an incident once all rows are read. */
	addOutage({ unit, cause = OFFLINE, since: from, ended, openAt }: IncidentRows, now: number): void {
		const { stretches } = this.rows.own(unit);
		if (ended.length > 0) {
			const to = ended.reduce((end, { until }) => Math.max(end, until), from);
			stretches.push({ from, to, state: 'down', cause, end: 'told' });
			if (ended.length > 1) this.refuseApart(ended);
		} else if (!this.rows.watched.has(cause)) stretches.push({ from, to: now, state: 'down', cause, end: 'seen' });
		else if (openAt === undefined) stretches.push({ from, to: from, state: 'down', cause, end: 'unknown' });
		else stretches.push({ from, to: Math.max(from, openAt), state: 'down', cause, end: 'seen' });
	}

	/** Rows with one incidentId must be about one outage: else short ones would count as a long one. */
	private refuseApart(ended: IncidentRows['ended']): void {
		const [latest, earliest] = [maxBy(ended, 'since'), minBy(ended, 'until')];
		if (!latest || !earliest || latest.since <= earliest.until) return;
		const message = `${earliest.place} has the same incidentId, but ended before this row begins. ${OWN_ID}`;
		this.issues.add(`${latest.place} > since`, message);
	}

	/** The row written when an incident begins has no end; the one of its end, or an update of the first, has one. */
	private takeIncident(row: RowReader): void {
		const id = row.isBlank('incidentId') && !row.isBlank('until') ? row : row.id('incidentId');
		const cause = this.spelled(row.cause());
		const unit = unitOf(row, cause);
		const { from: since, to: until } = row.span('since', 'until', { open: true });
		if (id === undefined || unit === undefined || since === undefined) return;
		const told: IncidentRows = this.incidents.get(id) ?? { unit, cause, since, ended: [], place: row.place };
		this.incidents.set(id, told);
		refuseAnother(row, told, unit, cause);
		told.cause ??= cause;
		told.since = Math.min(told.since, since);
		if (until !== undefined) told.ended.push({ since, until, place: row.place });
	}

	private takeWatching(row: RowReader): void {
		const cause = this.spelled(row.cause()) ?? OFFLINE;
		const { from, to } = row.span(row.filled('since', 'from'), row.filled('until', 'to'));
		const open = row.list('openIncidents');
		const unreadable = row.list('unreadable').flatMap((entry) => unitOf(entry) ?? []);
		if (from === undefined || to === undefined) return;
		const watched = this.rows.watched.get(cause) ?? { spans: [], seconds: 0, polls: 0, latest: { to } };
		this.rows.watched.set(cause, watched);
		watched.spans.push({ from, to });
		watched.seconds += to - from;
		watched.polls += row.count('polls') ?? 0;
		if (to >= watched.latest.to) watched.latest = { to, stations: row.count('stations') };
		for (const unit of unreadable) this.rows.own(unit).stretches.push({ from, to, state: 'unknown', cause });
		for (const entry of open) this.named.push({ entry, cause, at: to });
	}

	/**
	 * Takes what a `watching` row says of an incident, once all incidents are read. Where no row is about the incident
	 * itself, the earliest of the begins named counts.
	 */
	takeOpen({ entry, cause, at }: OpenIncident): void {
		const id = entry.id('incidentId');
		if (id === undefined) return;
		const known = this.incidents.get(id);
		if (known) {
			known.openAt = Math.max(at, known.openAt ?? at);
			if (known.place === undefined) known.since = Math.min(known.since, entry.time('since') ?? known.since);
			return;
		}
		// It began without an event: before the trigger watched, or while it did not report outages.
		const unit = unitOf(entry, cause);
		const since = entry.time('since');
		if (unit && since !== undefined) this.incidents.set(id, { unit, cause, since, ended: [], openAt: at });
	}

	private takeExcluded(row: RowReader): void {
		const unit = excludedUnitOf(row);
		const { from, to } = row.span('since', 'until');
		if (unit === undefined || from === undefined || to === undefined) return;
		if (from === to)
			return row.refuse('until', `${NO_LENGTH} For a whole day, write its date in both, without a time.`);
		this.rows.own(unit).stretches.push({ from, to, state: 'excluded', reason: row.text('reason') });
	}

	private takeClosed(row: RowReader): void {
		const unit = excludedUnitOf(row);
		const weekdays = row.weekdays();
		const [from, to] = [row.clock('since'), row.clock('until')];
		if (unit === undefined || weekdays === undefined || from === undefined || to === undefined) return;
		// The same time twice may mean a whole day, or that it is not closed.
		if (from === to || from - to === DAY_SECONDS)
			return row.refuse('until', `${NO_LENGTH} A whole day is 00:00 to 24:00.`);
		this.rows.own(unit).closed.push({ weekdays, from, to, reason: row.text('reason') });
	}

	/** A cause is one whatever its case: it is written as it came first. */
	private spelled(cause: string | undefined): string | undefined {
		if (cause === undefined) return undefined;
		const key = cause.toLowerCase();
		const spelling = this.spellings.get(key) ?? cause;
		this.spellings.set(key, spelling);
		return spelling;
	}
}

/** Rows with one incidentId must be about one outage: else several would count as one. */
function refuseAnother(
	row: RowReader,
	told: IncidentRows,
	{ station, chargePoint }: UptimeUnit,
	cause: string | undefined,
): void {
	const refuse = (name: RowColumn, what: string) =>
		row.refuse(name, `${told.place} has the same incidentId, but another ${what}. ${OWN_ID}`);
	if (station !== told.unit.station) refuse('stationId', 'station');
	else if (chargePoint !== told.unit.chargePoint) refuse('chargePointId', 'charge point');
	if (cause !== undefined && told.cause !== undefined && cause !== told.cause) refuse('cause', 'cause');
}

/** What a row that excludes a time is about: a station, one of its charge points, or every station. */
function excludedUnitOf(row: RowReader): UptimeUnit | undefined {
	const unit = anyUnitOf(row);
	if (unit?.station !== EVERY_STATION || unit.chargePoint === undefined) return unit;
	return row.refuse('stationId', `${EVERY_STATION} is every station, but this row names a charge point of one.`);
}

/** What a row is about. It names a station, and may name one of its charge points. */
function unitOf(row: RowReader, cause?: string): UptimeUnit | undefined {
	const unit = anyUnitOf(row, cause);
	if (unit?.station !== EVERY_STATION) return unit;
	const advice = 'Write a row for each station that was down, with its Id.';
	return row.refuse(
		'stationId',
		`${EVERY_STATION} is every station, and only rows that exclude a time can be. ${advice}`,
	);
}

function anyUnitOf(row: RowReader, cause?: string): UptimeUnit | undefined {
	const station = row.unitId('stationId');
	if (row.isBlank('chargePointId')) {
		if (cause !== CHARGE_POINT) return station === undefined ? undefined : { station };
		return row.refuse('chargePointId', 'nothing is filled in. Keep the chargePointId of the trigger in a column, too.');
	}
	const chargePoint = row.unitId('chargePointId');
	return station === undefined || chargePoint === undefined ? undefined : { station, chargePoint };
}
