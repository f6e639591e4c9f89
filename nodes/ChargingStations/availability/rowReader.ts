import { isBlank, isRecord, kindOf, quote } from '../../shared/text';
import { type Faults } from '../../shared/dsquery/faults';
import { isNoTime } from '../../shared/dsquery/values/readTime';
import { ValueWriter } from '../../shared/dsquery/values/values';
import type { Span } from './spans';

const KINDS = ['incident', 'watching', 'excluded', 'closed'] as const;

/** The triggers' own items have an event instead of a kind. */
const KIND_OF_EVENT: Readonly<Record<string, string>> = {
	backinorder: 'incident',
	backonline: 'incident',
	offline: 'incident',
	outoforder: 'incident',
	startedmatching: 'incident',
	stoppedmatching: 'incident',
	watching: 'watching',
};
/** Events about a filter of the user's: they say nothing about uptime unless the trigger gives them a cause. */
const NEED_CAUSE = ['startedmatching', 'stoppedmatching'];

const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const CLOCK = /^(\d{1,2}):([0-5]\d)(?::([0-5]\d))?$/;
export const DAY_SECONDS = 86_400;
/** A time as the triggers write it. A table has many of them, and this is faster than reading any form. */
const AS_TRIGGERS_WRITE =
	/^20\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{3})?(?:Z|[+-](?:0\d|1[0-3]):[0-5]\d)$/;

const ONLY_DATE = /^\s*\d{4}-\d{2}-\d{2}\s*$/;

const LONGEST_TEXT = 500;

/** Every column that is read of some kind of row. */
const COLUMNS = [
	...['kind', 'event', 'events', 'sample', 'cause', 'incidentId', 'stationId', 'chargePointId', 'since', 'from'],
	...['until', 'to', 'weekdays', 'reason', 'polls', 'stations', 'openIncidents', 'unreadable'],
] as const;
export type Column = (typeof COLUMNS)[number];
type Columns = readonly [Column, ...Column[]];

/** Reads the fields of one row. Adds a fault for what cannot be used, except where it says so. */
export class RowReader {
	constructor(
		private readonly row: Readonly<Record<string, unknown>>,
		readonly place: string,
		private readonly zone: string,
		private readonly faults: Faults,
	) {}

	/** Whether it has columns of a row, but nothing in them, as a line may that somebody left empty; or nothing at all. */
	isBlankRow(): boolean {
		const names = Object.keys(this.row);
		if (names.length === 0) return true;
		return COLUMNS.some((name) => this.headingsOf(name).length > 0) && COLUMNS.every((name) => this.isBlank(name));
	}

	kind(): (typeof KINDS)[number] | undefined {
		const kind = this.value('kind');
		const name = isBlank(kind) ? KIND_OF_EVENT[this.event()] : kind;
		const found = KINDS.find((each) => typeof name === 'string' && each === name.trim().toLowerCase());
		if (found) return found;
		const given = isBlank(kind) ? 'nothing is filled in' : `${quote(kind)} is no kind of row`;
		return this.refuse('kind', `${given}. Each row is one of: ${KINDS.join(', ')}.`);
	}

	/** Whether this is one item for many events. */
	isDigest(): boolean {
		return this.isBlank('kind') && this.event() === 'digest';
	}

	/** Whether this comes from a test of the trigger: nothing of it happened. */
	isSample(): boolean {
		const sample = this.value('sample');
		return sample === true || (typeof sample === 'string' && sample.trim().toLowerCase() === 'true');
	}

	isBlank(name: Column): boolean {
		return isBlank(this.value(name));
	}

	/** The cause as it is written; undefined if the row has none. */
	cause(): string | undefined {
		const value = this.value('cause');
		if (!isBlank(value)) {
			if (typeof value === 'string' && value.length <= LONGEST_TEXT && !value.includes(',')) return value.trim();
			return this.refuse('cause', `${quote(value)} cannot be a cause. It is a word such as offline or faulted.`);
		}
		if (!NEED_CAUSE.includes(this.event())) return undefined;
		return this.refuse(
			'cause',
			'nothing is filled in. This event counts only with one: add the option Cause in the trigger.',
		);
	}

	/** An identifier as text. */
	id(name: Column): string | undefined {
		const value = this.value(name);
		if (isBlank(value)) return this.refuse(name, 'nothing is filled in.');
		return idText(value) ?? this.refuse(name, `${quote(value)} cannot be an ID.`);
	}

	/** An optional text, cut off if it is long: anything else is ignored without a fault. */
	text(name: Column): string | undefined {
		const value = this.value(name);
		return typeof value === 'string' && !isBlank(value) ? value.trim().slice(0, LONGEST_TEXT) : undefined;
	}

	/**
	 * Start and end, each from the first of its fields that is filled in. An end that is only a date is the end of that day.
	 *
	 * @param open whether the end may be missing
	 * @param endless whether a time that stands for none is very early or late
	 */
	span(fromNames: Columns, toNames: Columns, { open = false, endless = false } = {}): Partial<Span> {
		const nameOf = (names: Columns) => names.find((name) => !this.isBlank(name)) ?? names[0];
		const toName = nameOf(toNames);
		const from = this.time(nameOf(fromNames), endless);
		const end = this.value(toName);
		const to = open && (isBlank(end) || isNoTime(end)) ? undefined : this.end(toName, endless);
		if (from === undefined || to === undefined || from <= to) return { from, to };
		this.refuse(toName, 'this is before the time at which the row begins.');
		return {};
	}

	time(name: Column, endless = false): number | undefined {
		const value = this.value(name);
		if (isBlank(value)) return this.refuse(name, 'nothing is filled in. A date with a time is needed.');
		if (typeof value === 'string' && AS_TRIGGERS_WRITE.test(value)) return Math.floor(Date.parse(value) / 1000);
		if (!endless && isNoTime(value)) return this.refuse(name, `${quote(value)} stands for no time, but one is needed.`);
		return secondsOf(this.writer(name).scalar(value, 'lte'));
	}

	private end(name: Column, endless: boolean): number | undefined {
		const value = this.value(name);
		if (typeof value !== 'string' || !ONLY_DATE.test(value)) return this.time(name, endless);
		return secondsOf(this.writer(name).localDay(value)?.split(',')[1]);
	}

	private writer(name: Column): ValueWriter {
		return new ValueWriter({ name, type: 'date' }, this.zone, (message) => this.refuse(name, message));
	}

	/** A time of day, such as 22:00, in seconds since midnight. */
	clock(name: Column): number | undefined {
		const value = this.value(name);
		const [, hours, minutes, seconds = '0'] = (typeof value === 'string' && CLOCK.exec(value.trim())) || [];
		const time = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
		if (time <= DAY_SECONDS) return time;
		const given = isBlank(value) ? 'nothing is filled in' : `${quote(value)} is no time of day`;
		return this.refuse(name, `${given}. A time of day such as 22:00 is needed.`);
	}

	/** Names of weekdays, or their first three letters: 0 is Sunday. */
	weekdays(name: Column): Set<number> | undefined {
		const value = this.value(name);
		if (isBlank(value)) return this.refuse(name, `nothing is filled in. ${WEEKDAYS_NEEDED}`);
		const text = Array.isArray(value) ? value.join(',') : value;
		if (typeof text !== 'string' || text.length > LONGEST_TEXT) return this.refuse(name, WEEKDAYS_NEEDED);
		const days = new Set<number>();
		for (const word of text.toLowerCase().split(/[\s,;]+/)) {
			if (word === '') continue;
			const day = WEEKDAYS.findIndex((each) => word === each || word === each.slice(0, 3));
			if (day < 0) return this.refuse(name, `${quote(word)} is no weekday. ${WEEKDAYS_NEEDED}`);
			days.add(day);
		}
		return days.size > 0 ? days : this.refuse(name, `nothing is filled in. ${WEEKDAYS_NEEDED}`);
	}

	/** An optional count: anything else is ignored without a fault. */
	count(name: Column): number | undefined {
		const value = Number(this.value(name) ?? Number.NaN);
		return Number.isSafeInteger(value) && value >= 0 ? value : undefined;
	}

	/** A list of objects, or its JSON text, as tables store it. */
	list(name: Column): RowReader[] {
		const value = this.value(name);
		if (isBlank(value)) return [];
		const entries = typeof value === 'string' ? parsed(value) : value;
		if (entries === null) return [];
		if (!Array.isArray(entries)) {
			this.refuse(name, `a list, or the JSON text of one, is needed here, but this is ${kindOf(value)}.`);
			return [];
		}
		return entries.map((entry: unknown, index) => {
			const place = `${this.place} > ${name} > ${index + 1}`;
			return new RowReader(isRecord(entry) ? entry : {}, place, this.zone, this.faults);
		});
	}

	refuse(name: Column, message: string): undefined {
		return this.faults.add(`${this.place} > ${name}`, message);
	}

	private value(name: Column): unknown {
		const exact = this.row[name];
		if (!isBlank(exact)) return exact;
		const heading = this.headingsOf(name).find((other) => !isBlank(this.row[other]));
		return heading === undefined ? exact : this.row[heading];
	}

	/** A column's headings: in any case, and trimmed of blanks and of the byte order mark that files may begin with. */
	private headingsOf(name: Column): string[] {
		const wanted = name.toLowerCase();
		const isIt = (heading: string) => heading.length >= name.length && heading.trim().toLowerCase() === wanted;
		return Object.keys(this.row).filter(isIt);
	}

	private event(): string {
		const event = this.value('event');
		return typeof event === 'string' ? event.toLowerCase() : '';
	}
}

/** An Id as text: a table or the platform may have it as a number or as text. Undefined for anything else. */
export function idText(value: unknown): string | undefined {
	if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value);
	return typeof value === 'string' && value.length <= LONGEST_TEXT ? value.trim() : undefined;
}

/** @param written as the platform takes it, in UTC */
function secondsOf(written: string | undefined): number | undefined {
	return written === undefined ? undefined : Date.parse(`${written}Z`) / 1000;
}

const WEEKDAYS_NEEDED = 'Weekdays with commas are needed, such as mon,tue,wed.';

function parsed(text: string): unknown {
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return undefined;
	}
}
