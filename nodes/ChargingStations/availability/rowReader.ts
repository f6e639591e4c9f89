import type { DateTime } from 'luxon';

import { isBlank, isRecord, kindOf, quote } from '../../shared/text';
import { type ValidationIssues } from '../../shared/dsquery/validationIssues';
import { isPlaceholderTime } from '../../shared/dsquery/values/readTime';
import { localDaySpan } from '../../shared/dsquery/values/periods';
import { readDate } from '../../shared/dsquery/values/values';
import { mayHaveThousands, noIdMessage, toWholeNumber } from '../../shared/dsquery/values/wholeNumber';
import type { Span } from './dividePeriod';

const KINDS = ['incident', 'watching', 'excluded', 'closed'] as const;
type RowKind = (typeof KINDS)[number];

/** The triggers' own items have an event instead of a kind. That a station was added or removed is not about uptime. */
const KIND_OF_EVENT: ReadonlyMap<string, RowKind | 'presence'> = new Map([
	['added', 'presence'],
	['backinorder', 'incident'],
	['backonline', 'incident'],
	['instatus', 'incident'],
	['leftstatus', 'incident'],
	['offline', 'incident'],
	['outoforder', 'incident'],
	['removed', 'presence'],
	['startedmatching', 'incident'],
	['stoppedmatching', 'incident'],
	['watching', 'watching'],
]);
/** Events about a filter of the user's: they say nothing about uptime unless the trigger gives them a cause. */
const NEED_CAUSE = ['startedmatching', 'stoppedmatching'];

const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const WEEKDAYS_NEEDED = 'Weekdays with commas are needed, such as mon,tue,wed.';
const CLOCK = /^(\d{1,2}):([0-5]\d)(?::([0-5]\d))?$/;
export const DAY_SECONDS = 86_400;
/** A time as the triggers write it. A table has many of them, and this is faster than reading any form. */
const AS_TRIGGERS_WRITE =
	/^20\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{3})?(?:Z|[+-](?:0\d|1[0-3]):[0-5]\d)$/;
const ONLY_DATE = /^\s*\d{4}-\d{2}-\d{2}\s*$/;

const WHAT = ['kind', 'event', 'events', 'sample', 'cause', 'incidentId', 'stationId', 'chargePointId'] as const;
const WHEN = ['since', 'from', 'until', 'to', 'weekdays', 'reason'] as const;
const WATCHED = ['polls', 'stations', 'openIncidents', 'unreadable'] as const;
export type RowColumn = (typeof WHAT | typeof WHEN | typeof WATCHED)[number];
const COLUMNS = new Map([...WHAT, ...WHEN, ...WATCHED].map((column) => [column.toLowerCase(), column]));

/** Reads the fields of one row. Adds a fault for what cannot be used, except where it says so. */
export class RowReader {
	/** What is filled in. */
	private readonly cells = new Map<RowColumn, unknown>();
	/** Whether it is a line that somebody left empty: it has columns of a row, or none at all, and nothing in them. */
	readonly isEmptyLine: boolean;

	/** Headings are read in any case, and trimmed of blanks and of the byte order mark that files may begin with. */
	constructor(
		row: unknown,
		readonly place: string,
		private readonly zone: string,
		private readonly issues: ValidationIssues,
	) {
		let isRow = isRecord(row) && Object.keys(row).length === 0;
		for (const [heading, value] of isRecord(row) ? Object.entries(row) : []) {
			const column = COLUMNS.get(heading.trim().toLowerCase());
			if (column === undefined) continue;
			isRow = true;
			if (!isBlank(value)) this.cells.set(column, value);
		}
		this.isEmptyLine = isRow && this.cells.size === 0;
	}

	kind(): RowKind | 'presence' | undefined {
		const known = this.isBlank('kind') ? KIND_OF_EVENT.get(this.event()) : undefined;
		if (known) return known;
		const kind = this.cells.get('kind');
		const found = KINDS.find((each) => typeof kind === 'string' && each === kind.trim().toLowerCase());
		if (found) return found;
		const given = kind === undefined ? 'nothing is filled in' : `${quote(kind)} is no kind of row`;
		return this.refuse('kind', `${given}. Each row is one of: ${KINDS.join(', ')}.`);
	}

	/** Whether this is one item for many events. */
	isDigest(): boolean {
		return this.isBlank('kind') && this.event() === 'digest';
	}

	/** Whether this comes from a test of the trigger: nothing of it happened. */
	isSample(): boolean {
		return String(this.cells.get('sample')).trim().toLowerCase() === 'true';
	}

	isBlank(name: RowColumn): boolean {
		return !this.cells.has(name);
	}

	/** The first of two columns, unless only the second is filled in. */
	filled(first: RowColumn, second: RowColumn): RowColumn {
		return this.isBlank(first) && !this.isBlank(second) ? second : first;
	}

	/** The cause as it is written; undefined if the row has none. */
	cause(): string | undefined {
		const value = this.cells.get('cause');
		if (typeof value === 'string' && !value.includes(',')) return value.trim();
		if (value !== undefined) {
			return this.refuse('cause', `${quote(value)} cannot be a cause. It is a word such as offline or faulted.`);
		}
		if (!NEED_CAUSE.includes(this.event())) return undefined;
		const message = 'nothing is filled in. This event counts only with one: add the option Cause in the trigger.';
		return this.refuse('cause', message);
	}

	/** An identifier as text. */
	id(name: RowColumn): string | undefined {
		const value = this.cells.get(name);
		if (value === undefined) return this.refuse(name, 'nothing is filled in.');
		return toIdText(value) ?? this.refuse(name, `${quote(value)} cannot be an ID.`);
	}

	/** The Id of a station or of a charge point. */
	unitId(name: 'stationId' | 'chargePointId'): string | undefined {
		const value = this.cells.get(name);
		return mayHaveThousands(value) ? this.refuse(name, noIdMessage(value)) : this.id(name);
	}

	/** An optional text: anything else is ignored without a fault. */
	text(name: RowColumn): string | undefined {
		const value = this.cells.get(name);
		return typeof value === 'string' ? value.trim() : undefined;
	}

	/**
	 * Begin and end. An end that is only a date is the end of that day.
	 *
	 * @param open whether the end may be missing
	 */
	span(fromName: RowColumn, toName: RowColumn, { open = false } = {}): Partial<Span> {
		const from = this.time(fromName);
		const end = this.cells.get(toName);
		const to = open && (end === undefined || standsForNone(end)) ? undefined : this.end(toName);
		if (from === undefined || to === undefined || from <= to) return { from, to };
		this.refuse(toName, 'this is before the time at which the row begins.');
		return {};
	}

	time(name: RowColumn): number | undefined {
		const value = this.cells.get(name);
		if (value === undefined) return this.refuse(name, 'nothing is filled in. A date with a time is needed.');
		if (isAsWritten(value)) return Math.floor(Date.parse(value) / 1000);
		if (standsForNone(value)) return this.refuse(name, `${quote(value)} stands for no time, but one is needed.`);
		return secondsOf(this.date(name, value));
	}

	private end(name: RowColumn): number | undefined {
		const value = this.cells.get(name);
		if (typeof value !== 'string' || !ONLY_DATE.test(value)) return this.time(name);
		const day = this.date(name, value);
		return secondsOf(day && localDaySpan(day, this.zone).to);
	}

	private date(name: RowColumn, value: unknown): DateTime | undefined {
		return readDate(value, this.zone, (message) => this.refuse(name, message));
	}

	/** A time of day, such as 22:00, in seconds since midnight. */
	clock(name: RowColumn): number | undefined {
		const value = this.cells.get(name);
		const [, hours, minutes, seconds = '0'] = (typeof value === 'string' && CLOCK.exec(value.trim())) || [];
		const time = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
		if (time <= DAY_SECONDS) return time;
		const given = value === undefined ? 'nothing is filled in' : `${quote(value)} is no time of day`;
		return this.refuse(name, `${given}. A time of day such as 22:00 is needed.`);
	}

	/** Names of weekdays, or their first three letters: 0 is Sunday. */
	weekdays(): Set<number> | undefined {
		const words = String(this.cells.get('weekdays') ?? '')
			.toLowerCase()
			.split(/[\s,;]+/)
			.filter(Boolean);
		if (words.length === 0) return this.refuse('weekdays', `nothing is filled in. ${WEEKDAYS_NEEDED}`);
		const dayOf = (word: string) => WEEKDAYS.findIndex((each) => word === each || word === each.slice(0, 3));
		const wrong = words.find((word) => dayOf(word) < 0);
		if (wrong === undefined) return new Set(words.map(dayOf));
		return this.refuse('weekdays', `${quote(wrong)} is no weekday. ${WEEKDAYS_NEEDED}`);
	}

	/** An optional count. */
	count(name: RowColumn): number | undefined {
		const value = this.cells.get(name);
		const count = toWholeNumber(value);
		if (value === undefined || (count !== undefined && count >= 0)) return count;
		return this.refuse(name, `${quote(value)} is no whole number. Use only digits, such as 31.`);
	}

	/** A list of objects, or its JSON text, as tables store it. */
	list(name: RowColumn): RowReader[] {
		const value = this.cells.get(name);
		const entries = typeof value === 'string' ? parsed(value) : value;
		if (value === undefined || entries === null) return [];
		if (!Array.isArray(entries)) {
			this.refuse(name, `a list, or the JSON text of one, is needed here, but this is ${kindOf(value)}.`);
			return [];
		}
		return entries.map((entry: unknown, index) => {
			const place = `${this.place} > ${name} > ${index + 1}`;
			return new RowReader(entry, place, this.zone, this.issues);
		});
	}

	refuse(name: RowColumn, message: string): undefined {
		return this.issues.add(`${this.place} > ${name}`, message);
	}

	private event(): string {
		return String(this.cells.get('event') ?? '').toLowerCase();
	}
}

/** An Id as text: a table or the platform may have it as a number or as text. Undefined for anything else. */
export function toIdText(value: unknown): string | undefined {
	if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value);
	return typeof value === 'string' ? value.trim() : undefined;
}

function isAsWritten(value: unknown): value is string {
	return typeof value === 'string' && AS_TRIGGERS_WRITE.test(value);
}

function standsForNone(value: unknown): boolean {
	if (isAsWritten(value)) return false;
	return isPlaceholderTime(typeof value === 'string' && ONLY_DATE.test(value) ? `${value.trim()}T00:00` : value);
}

function secondsOf(time: DateTime | undefined): number | undefined {
	return time && Math.floor(time.toSeconds());
}

function parsed(text: string): unknown {
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return undefined;
	}
}
