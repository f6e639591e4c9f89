import { isRecord } from '../../shared/text';
import { type Faults } from '../../shared/dsquery/faults';
import { DAY_SECONDS, RowReader, type Column } from './rowReader';
import { byTime, type Span, type Turns } from './spans';

/** The cause of incidents and watched times that name none. */
export const OFFLINE = 'offline';

/** The cause of what the Charge Point Trigger reports. It is always about a charge point. */
export const CHARGE_POINT = 'chargePoint';

/** What rows are about: a station, or one of its charge points. */
export interface Unit {
	/** A station's Id; of what does not count also `EVERY_STATION`. */
	station: string;
	/** The Id of a charge point, which may be unique only within its station. */
	chargePoint?: string;
}

/** A time in which a station or a charge point was down, according to the rows. */
export interface Incident extends Unit {
	cause: string;
	since: number;
	/** When it ended, if a row says so. */
	until?: number;
	/** The end of the last `watching` row that names it as open. */
	openAt?: number;
}

/** When the trigger watched for one cause. */
export interface Watched {
	spans: Span[];
	/** Number of polls in these times, as far as the rows tell. */
	polls: number;
	/** The latest of these times: its end, and how many stations were watched, if the row says so. */
	latest: { to: number; stations?: number };
	/** What could not be read, and the whole of each watched time in which that was so. */
	unreadable: Array<Span & Unit>;
}

/** A time that does not count, such as maintenance. */
export interface Excluded extends Span, Unit {
	reason?: string;
}

/** Hours in which a station is closed on some weekdays. They do not count. */
export interface Closed extends Unit {
	/** The days on which the hours begin: 0 is Sunday. */
	weekdays: ReadonlySet<number>;
	/** Seconds since midnight, as clocks show them. */
	from: number;
	/** The same: on the next day unless it is later than `from`. */
	to: number;
	reason?: string;
}

/** What the input rows tell. Times are whole seconds since 1970. */
export interface UptimeRows {
	incidents: Incident[];
	/** By cause. */
	watched: Map<string, Watched>;
	excluded: Excluded[];
	closed: Closed[];
	/** The causes of incidents and watched times, each in one spelling. */
	causes: string[];
}

/** Each cause is computed for each station. */
const MOST_CAUSES = 50;

/** A `stationId` that excludes a time for all stations. An empty cell must not do that. */
export const EVERY_STATION = '*';

/**
 * Reads the input rows. Adds a fault for everything that cannot be used, with its place, such as `Row 3 > since`.
 *
 * @param items one per row; blank ones are skipped
 * @param zone the time zone of times that have none
 * @param turns there may be many rows, in any order
 * @param spellings causes as they are to be written, whatever their case is in the rows
 */
export async function readRows(
	items: readonly unknown[],
	zone: string,
	faults: Faults,
	turns: Turns,
	spellings: readonly string[] = [],
): Promise<UptimeRows> {
	const incidents = new IncidentRows(spellings);
	const rows: UptimeRows = { incidents: [], watched: new Map(), excluded: [], closed: [], causes: [] };
	const watching: RowReader[] = [];
	await turns.map(readersOf(items, zone, faults), (row) => {
		switch (row.kind()) {
			case 'incident':
				incidents.take(row);
				break;
			case 'watching':
				watching.push(row);
				break;
			case 'excluded':
				takeExcluded(rows, row);
				break;
			case 'closed':
				takeClosed(rows, row);
		}
	});
	await turns.map(watching, (row) => takeWatching(rows, incidents, row));
	rows.incidents = await byTime(await incidents.finish(turns), 'since', turns);
	rows.excluded = await byTime(rows.excluded, 'from', turns);
	for (const watched of rows.watched.values()) watched.spans = await byTime(watched.spans, 'from', turns);
	rows.causes = [...new Set([...(await turns.map(rows.incidents, ({ cause }) => cause)), ...rows.watched.keys()])];
	if (rows.causes.length > MOST_CAUSES) {
		faults.add('Field cause', `there are ${rows.causes.length} different causes. At most ${MOST_CAUSES} are possible.`);
	}
	return rows;
}

/** A reader for each row: for each event of a digest, and for none that is blank or comes from a test of the trigger. */
function* readersOf(items: readonly unknown[], zone: string, faults: Faults): Iterable<RowReader> {
	for (const [index, item] of items.entries()) {
		const row = new RowReader(isRecord(item) ? item : {}, `Row ${index + 1}`, zone, faults);
		if (isRecord(item) && row.isBlankRow()) continue;
		for (const each of row.isDigest() ? row.list('events') : [row]) if (!each.isSample()) yield each;
	}
}

/** What one row says about an incident. */
type Telling = Omit<Incident, 'cause' | 'openAt'> & { cause?: string };

/** What all rows about an incident say. */
interface Told extends Telling {
	openAt?: number;
	/** Set if only `watching` rows name it. */
	isOnlyNamed?: true;
	/** Where the first of these rows is, for messages. */
	place: string;
	/** Of the rows with both begin and end: the latest begin and the earliest end, and where they are. */
	latestBegin?: Told['earliestEnd'];
	earliestEnd?: { at: number; place: string };
}

const OWN_ID = 'Give each outage an incidentId of its own; a row with an end needs none.';

/** Collects what several rows say about each incident, whatever their order. */
class IncidentRows {
	/** By incidentId. An incident without one has no other row, and its row is its key. */
	private readonly told = new Map<unknown, Told>();
	/** By the cause in lower case. */
	private readonly spellings: Map<string, string>;

	constructor(spellings: readonly string[]) {
		this.spellings = new Map([...spellings, OFFLINE, CHARGE_POINT].map((cause) => [cause.toLowerCase(), cause]));
	}

	/** A cause is one whatever its case: it is written as it came first. */
	spell(cause: string): string {
		const key = cause.toLowerCase();
		const spelling = this.spellings.get(key) ?? cause;
		this.spellings.set(key, spelling);
		return spelling;
	}

	/** The row written when an incident begins has no end; the one of its end, or an update of the first, has one. */
	take(row: RowReader): void {
		const id = row.isBlank('incidentId') && !row.isBlank('until') ? row : row.id('incidentId');
		const written = row.cause();
		const cause = written === undefined ? undefined : this.spell(written);
		const unit = unitOf(row, cause);
		const { from: since, to: until } = row.span(['since'], ['until'], { open: true });
		if (id === undefined || unit === undefined || since === undefined) return;
		const told: Told = this.told.get(id) ?? { ...unit, cause, since, place: row.place };
		refuseAnother(row, told, { ...unit, cause, since, until });
		told.cause ??= cause;
		told.since = Math.min(told.since, since);
		if (until !== undefined) addEnd(told, since, until, row.place);
		this.told.set(id, told);
	}

	/**
	 * Remembers that a `watching` row names an incident as open at its end. Where no row is about the incident itself, the
	 * earliest of the begins named counts.
	 */
	takeOpen(entry: RowReader, cause: string, at: number): void {
		const id = entry.id('incidentId');
		if (id === undefined) return;
		const known = this.told.get(id);
		if (known) {
			known.openAt = Math.max(at, known.openAt ?? at);
			if (known.isOnlyNamed) known.since = Math.min(known.since, entry.time('since') ?? known.since);
			return;
		}
		// It began without an event: before the trigger watched, or while it did not report outages.
		const unit = unitOf(entry, cause);
		const since = entry.time('since');
		if (unit === undefined || since === undefined) return;
		this.told.set(id, { ...unit, cause, since, openAt: at, place: entry.place, isOnlyNamed: true });
	}

	async finish(turns: Turns): Promise<Incident[]> {
		return await turns.map(this.told.values(), ({ station, chargePoint, cause, since, until, openAt }) => ({
			...{ station, chargePoint, cause: cause ?? OFFLINE, since, until, openAt },
		}));
	}
}

/** What a row that excludes a time is about: a station, one of its charge points, or every station. */
function excludedUnitOf(row: RowReader): Unit | undefined {
	const unit = pointUnitOf(row);
	if (unit?.station !== EVERY_STATION || unit.chargePoint === undefined) return unit;
	return row.refuse('stationId', `${EVERY_STATION} is every station, but this row names a charge point of one.`);
}

/** What a row is about. It names a station, and may name one of its charge points. */
function unitOf(row: RowReader, cause?: string): Unit | undefined {
	const unit = pointUnitOf(row, cause);
	if (unit?.station !== EVERY_STATION) return unit;
	const advice = 'Write a row for each station that was down, with its Id.';
	return row.refuse(
		'stationId',
		`${EVERY_STATION} is every station, and only rows that exclude a time can be. ${advice}`,
	);
}

function pointUnitOf(row: RowReader, cause?: string): Unit | undefined {
	const station = row.id('stationId');
	if (row.isBlank('chargePointId')) {
		if (cause !== CHARGE_POINT) return station === undefined ? undefined : { station };
		return row.refuse('chargePointId', 'nothing is filled in. Keep the chargePointId of the trigger in a column, too.');
	}
	const chargePoint = row.id('chargePointId');
	return station === undefined || chargePoint === undefined ? undefined : { station, chargePoint };
}

/** Adds what a row with begin and end says. */
function addEnd(told: Told, since: number, until: number, place: string): void {
	told.until = Math.max(told.until ?? until, until);
	if (since >= (told.latestBegin?.at ?? since)) told.latestBegin = { at: since, place };
	if (until <= (told.earliestEnd?.at ?? until)) told.earliestEnd = { at: until, place };
}

/** Rows with one incidentId must be about one outage: else several would count as one, or short ones as a long one. */
function refuseAnother(row: RowReader, told: Told, { station, chargePoint, cause, since, until }: Telling): void {
	const refuse = (name: Column, place: string, what: string) =>
		row.refuse(name, `${place} has the same incidentId, but ${what}. ${OWN_ID}`);
	if (station !== told.station) refuse('stationId', told.place, 'another station');
	else if (chargePoint !== told.chargePoint) refuse('chargePointId', told.place, 'another charge point');
	if (cause !== undefined && told.cause !== undefined && cause !== told.cause) {
		refuse('cause', told.place, 'another cause');
	}
	const { latestBegin, earliestEnd } = told;
	if (until === undefined || !latestBegin || !earliestEnd) return;
	if (since > earliestEnd.at) refuse('since', earliestEnd.place, 'ended before this row begins');
	else if (until < latestBegin.at) refuse('until', latestBegin.place, 'begins after this row ends');
}

function takeWatching(rows: UptimeRows, incidents: IncidentRows, row: RowReader): void {
	const cause = incidents.spell(row.cause() ?? OFFLINE);
	const { from, to } = row.span(['since', 'from'], ['until', 'to']);
	const open = row.list('openIncidents');
	const unreadable = row.list('unreadable').flatMap((entry) => unitOf(entry) ?? []);
	if (from === undefined || to === undefined) return;
	const watched = rows.watched.get(cause) ?? { spans: [], polls: 0, latest: { to }, unreadable: [] };
	rows.watched.set(cause, watched);
	watched.spans.push({ from, to });
	watched.polls += row.count('polls') ?? 0;
	if (to >= watched.latest.to) watched.latest = { to, stations: row.count('stations') };
	for (const unit of unreadable) watched.unreadable.push({ ...unit, from, to });
	for (const entry of open) incidents.takeOpen(entry, cause, to);
}

const NO_LENGTH = 'there is no time between begin and end.';

function takeExcluded({ excluded }: UptimeRows, row: RowReader): void {
	const unit = excludedUnitOf(row);
	const { from, to } = row.span(['since'], ['until'], { endless: true });
	if (unit === undefined || from === undefined || to === undefined) return;
	if (from === to) return row.refuse('until', `${NO_LENGTH} For a whole day, write its date in both, without a time.`);
	excluded.push({ ...unit, from, to, reason: row.text('reason') });
}

function takeClosed({ closed }: UptimeRows, row: RowReader): void {
	const unit = excludedUnitOf(row);
	const weekdays = row.weekdays('weekdays');
	const [from, to] = [row.clock('since'), row.clock('until')];
	if (unit === undefined || weekdays === undefined || from === undefined || to === undefined) return;
	if (from - to === DAY_SECONDS) return row.refuse('until', `${NO_LENGTH} A whole day is 00:00 to 24:00.`);
	closed.push({ ...unit, weekdays, from, to, reason: row.text('reason') });
}
