import isEmpty from 'lodash/isEmpty';

import { Faults, isBlank, isRecord, kindOf, quote } from '../../shared/dsquery/faults';
import { writeScalar } from '../../shared/dsquery/values/values';
import type { Span } from './spans';

/** A time in which a station was offline, according to the rows. */
export interface Incident {
	station: string;
	since: number;
	/** When it ended, if a row says so. */
	until?: number;
	/** The end of the last `watching` row that names it as open. */
	openAt?: number;
}

/** A time that does not count, such as maintenance. */
export interface Excluded extends Span {
	/** A station's Id, or `EVERY_STATION`. */
	station: string;
}

/** What the input rows tell. Times are whole seconds since 1970. */
export interface UptimeRows {
	/** By incidentId: several rows may be about one incident. */
	incidents: Map<string, Incident>;
	/** Times in which the trigger watched. */
	watching: Span[];
	/** Number of polls in these times, as far as the rows tell. */
	polls: number;
	/** The latest of these times: its end, and how many stations were watched, if the row says so. */
	latest?: { to: number; stations?: number };
	excluded: Excluded[];
}

const KINDS = ['incident', 'watching', 'excluded'] as const;

/** The trigger's own items have an event instead of a kind. */
const KIND_OF_EVENT: Readonly<Record<string, string>> = {
	offline: 'incident',
	backonline: 'incident',
	watching: 'watching',
};

/** A `stationId` that excludes a time for all stations. An empty cell must not do that. */
export const EVERY_STATION = '*';

/**
 * Reads the input rows. Adds a fault for everything that cannot be used, with its place, such as `Row 3 > since`.
 *
 * @param items one per row; a single empty item means no rows
 * @param zone the time zone of times that have none
 */
export function readRows(items: readonly unknown[], zone: string, faults: Faults): UptimeRows {
	const rows: UptimeRows = { incidents: new Map(), watching: [], polls: 0, excluded: [] };
	if (items.length === 1 && isEmpty(items[0])) return rows;
	for (const [index, item] of items.entries()) {
		const row = new RowReader(isRecord(item) ? item : {}, `Row ${index + 1}`, zone, faults);
		switch (row.kind()) {
			case 'incident':
				takeIncident(rows, row);
				break;
			case 'watching':
				takeWatching(rows, row);
				break;
			case 'excluded':
				takeExcluded(rows, row);
		}
	}
	return rows;
}

/** The row written when an incident begins has no end; the one of its end, or an update of the first, has one. */
function takeIncident({ incidents }: UptimeRows, row: RowReader): void {
	const id = row.id('incidentId');
	const station = row.id('stationId');
	const { from: since, to: until } = row.span(['since'], ['until'], { open: true });
	if (id === undefined || station === undefined || since === undefined) return;
	const known = incidents.get(id);
	incidents.set(id, {
		...known,
		station,
		since: Math.min(since, known?.since ?? since),
		until: until ?? known?.until,
	});
}

function takeWatching(rows: UptimeRows, row: RowReader): void {
	const { from, to } = row.span(['since', 'from'], ['until', 'to']);
	const open = row.list('openIncidents');
	if (from === undefined || to === undefined) return;
	rows.watching.push({ from, to });
	rows.polls += row.count('polls') ?? 0;
	if (!rows.latest || to >= rows.latest.to) rows.latest = { to, stations: row.count('stations') };
	for (const entry of open) {
		const id = entry.id('incidentId');
		if (id === undefined) continue;
		const known = rows.incidents.get(id);
		if (known) {
			known.openAt = Math.max(to, known.openAt ?? to);
			continue;
		}
		// It began without an event: before the trigger watched, or while it did not report outages.
		const station = entry.id('stationId');
		const since = entry.time('since');
		if (station !== undefined && since !== undefined) rows.incidents.set(id, { station, since, openAt: to });
	}
}

function takeExcluded({ excluded }: UptimeRows, row: RowReader): void {
	const station = row.id('stationId');
	const { from, to } = row.span(['since'], ['until']);
	if (station === undefined || from === undefined || to === undefined) return;
	excluded.push({ station, from, to });
}

const LONGEST_ID = 500;

/** Reads the fields of one row. Adds a fault for what cannot be used, except where noted. */
class RowReader {
	constructor(
		private readonly row: Readonly<Record<string, unknown>>,
		private readonly place: string,
		private readonly zone: string,
		private readonly faults: Faults,
	) {}

	kind(): (typeof KINDS)[number] | undefined {
		const { kind, event } = this.row;
		const name = isBlank(kind) && typeof event === 'string' ? KIND_OF_EVENT[event.toLowerCase()] : kind;
		const found = KINDS.find((each) => typeof name === 'string' && each === name.trim().toLowerCase());
		if (found) return found;
		const given = isBlank(kind) ? 'nothing is filled in' : `${quote(kind)} is no kind of row`;
		return this.refuse('kind', `${given}. Each row is one of: ${KINDS.join(', ')}.`);
	}

	/** An identifier as text: a table may store it as a number or as text. */
	id(name: string): string | undefined {
		const value = this.row[name];
		if (isBlank(value)) return this.refuse(name, 'nothing is filled in.');
		if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value);
		if (typeof value === 'string' && value.length <= LONGEST_ID) return value.trim();
		return this.refuse(name, `${quote(value)} cannot be an ID.`);
	}

	/**
	 * Start and end, each from the first of its fields that is filled in.
	 *
	 * @param open whether the end may be missing
	 */
	span(fromNames: readonly string[], toNames: readonly string[], { open = false } = {}): Partial<Span> {
		const nameOf = (names: readonly string[]) => names.find((name) => !isBlank(this.row[name])) ?? names[0] ?? '';
		const toName = nameOf(toNames);
		const from = this.time(nameOf(fromNames));
		const to = open && isBlank(this.row[toName]) ? undefined : this.time(toName);
		if (from === undefined || to === undefined || from <= to) return { from, to };
		this.refuse(toName, 'this is before the time at which the row begins.');
		return {};
	}

	time(name: string): number | undefined {
		const value = this.row[name];
		if (isBlank(value)) return this.refuse(name, 'nothing is filled in. A date with a time is needed.');
		const written = writeScalar(value, { name, type: 'date' }, 'lte', this.zone);
		if ('refusal' in written) return this.refuse(name, written.refusal);
		return Date.parse(`${written.value}Z`) / 1000;
	}

	/** An optional count: anything else is ignored without a fault. */
	count(name: string): number | undefined {
		const value = Number(this.row[name] ?? Number.NaN);
		return Number.isSafeInteger(value) && value >= 0 ? value : undefined;
	}

	/** A list of objects, or its JSON text, as tables store it. */
	list(name: string): RowReader[] {
		const value = this.row[name];
		if (isBlank(value)) return [];
		const entries = typeof value === 'string' ? parsed(value) : value;
		if (!Array.isArray(entries)) {
			this.refuse(name, `a list, or the JSON text of one, is needed here, but this is ${kindOf(value)}.`);
			return [];
		}
		return entries.map((entry: unknown, index) => {
			const place = `${this.place} > ${name} > ${index + 1}`;
			return new RowReader(isRecord(entry) ? entry : {}, place, this.zone, this.faults);
		});
	}

	private refuse(name: string, message: string): undefined {
		return this.faults.add(`${this.place} > ${name}`, message);
	}
}

function parsed(text: string): unknown {
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return undefined;
	}
}
