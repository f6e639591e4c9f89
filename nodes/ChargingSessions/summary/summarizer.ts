import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';

import { codeLabel } from '../../shared/dsquery/catalogue';
import type { DaySpan } from '../../shared/dsquery/values/periods';
import type { KnownCode } from '../../shared/dsquery/types';
import { PlatformError } from '../../shared/platform';
import type { Row } from '../../shared/platform';
import { fieldNameIn } from '../../shared/node/rowFields';
import { readDecimal, type Decimal } from './decimalSum';
import { Figures, Groups, MOST_GROUPS, type GroupValue } from './groups';
import { daysBetween, LocalDays } from './localDays';

/** What sessions are grouped by. */
export interface Grouping {
	status: boolean;
	day: boolean;
	/** A field of the rows, in any case. */
	field?: string;
	/** Values of the field that get an entry of their own, those with most sessions first. The others make one entry. */
	maxGroups: number;
}

/** What a summary depends on besides the sessions. */
export interface SummaryContext {
	/** The workflow's time zone, in which days begin and end. */
	zone: string;
	/** The last day that can have sessions, `YYYY-MM-DD`. */
	today: string;
	/** The days that the filter covers, where it has a beginning and an end. */
	period?: DaySpan;
	statusCodes?: readonly KnownCode[];
}

/** Days without sessions are listed as long as this is no more than three years of days. */
const MOST_DAYS_LISTED = 1_100;
/** Names shown where a field is not there. */
const MOST_NAMES = 25;

/** A time as the platform writes it, and the other ways in which a time may be written. */
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}/;

/**
 * Figures of any number of sessions. Rows are looked at once, in any order, and not kept; the figures are the same in
 * whichever order they came. What is kept grows with the number of days and of different values, which is bounded.
 */
export class SessionSummary {
	private readonly all = new Figures();
	private readonly statuses = new Groups();
	private readonly days = new Groups();
	private readonly values = new Groups();
	private readonly localDays: LocalDays;
	private first = Number.POSITIVE_INFINITY;
	private last = Number.NEGATIVE_INFINITY;
	private withoutStart = 0;
	/** Energies that are neither a number nor missing. */
	private strangeEnergies = 0;
	/** The field to group by, as the rows spell it. */
	private fieldName: string | undefined;
	private readonly names = new Set<string>();

	constructor(
		private readonly grouping: Grouping,
		private readonly context: SummaryContext,
	) {
		this.localDays = new LocalDays(context.zone);
	}

	/** @throws PlatformError where the field to group by cannot be grouped by */
	add(rows: readonly Row[]): void {
		for (const row of rows) this.addRow(row);
	}

	/** The one output item. */
	get json(): IDataObject {
		const { status, day, field } = this.grouping;
		const { zone, period } = this.context;
		return {
			...this.all.json,
			firstStartedAt: this.time(this.first),
			lastStartedAt: this.time(this.last),
			withoutStart: this.withoutStart,
			timeZone: zone,
			period: period ? { ...period } : null,
			...(status && { byStatus: this.byStatus() }),
			...(day && { byDay: this.byDay() }),
			...(field !== undefined && this.byField(field)),
		};
	}

	/** What the user should know about the figures, one sentence each. */
	get hints(): string[] {
		const hints: string[] = [];
		if (this.strangeEnergies > 0) {
			hints.push(
				`${sessions(this.strangeEnergies)} an EnergyConsumed that is not a number. They count as without energy.`,
			);
		}
		if (this.withoutStart > 0) {
			hints.push(
				`${sessions(this.withoutStart)} no StartedAtUtc that is a time. They are counted, but belong to no day.`,
			);
		}
		return hints;
	}

	private addRow(row: Row): void {
		const written = row.EnergyConsumed;
		const energy = readDecimal(written);
		if (!energy && written !== null && written !== undefined && written !== '') this.strangeEnergies++;
		this.all.add(energy);
		if (this.grouping.status) put(this.statuses, statusOf(row), energy, 'Status');
		this.addStart(row.StartedAtUtc, energy);
		if (this.grouping.field !== undefined) this.addValue(row, this.grouping.field, energy);
	}

	private addStart(written: unknown, energy: Decimal | undefined): void {
		const instant =
			typeof written === 'string' && TIMESTAMP.test(written)
				? DateTime.fromISO(written.replace(' ', 'T'), { zone: 'utc' }).toMillis()
				: Number.NaN;
		if (Number.isNaN(instant)) {
			this.withoutStart++;
			return;
		}
		this.first = Math.min(this.first, instant);
		this.last = Math.max(this.last, instant);
		if (this.grouping.day) put(this.days, this.localDays.dayOf(instant), energy, 'day');
	}

	private addValue(row: Row, field: string, energy: Decimal | undefined): void {
		const name = fieldNameIn(row, field);
		if (name === undefined) {
			for (const other of Object.keys(row)) if (this.names.size < MOST_NAMES) this.names.add(other);
		}
		this.fieldName ??= name;
		const value = name === undefined ? null : (row[name] ?? null);
		if (typeof value === 'object' && value !== null) {
			throw new PlatformError('configuration', `Sessions cannot be grouped by ${field}: it holds a list or an object`, {
				description: 'Choose a field that holds a single value, such as a text, a number or a code.',
			});
		}
		put(this.values, value, energy, field);
	}

	private byStatus(): IDataObject[] {
		return this.statuses.inOrder.map(([status, figures]) => ({ status, label: this.label(status), ...figures.json }));
	}

	private label(status: GroupValue): string {
		if (status === null) return 'No status';
		return typeof status === 'number' ? codeLabel(this.context.statusCodes, status) : String(status);
	}

	private byDay(): IDataObject[] {
		const none = new Figures().json;
		return this.listedDays().map((day) => ({ day, ...(this.days.get(day)?.json ?? none) }));
	}

	/** The days from the filter's first to its last, or from the first session's to the last session's. */
	private listedDays(): string[] {
		const { period, today } = this.context;
		const withSessions = this.days.inOrder.map(([day]) => String(day));
		const last = period && period.to < today ? period.to : today;
		const bounds = period && period.from <= last ? [period.from, last] : [];
		const ends = [...bounds, ...withSessions].sort();
		const [from, to] = [ends[0], ends.at(-1)];
		return (from && to && daysBetween(from, to, MOST_DAYS_LISTED)) || withSessions;
	}

	private byField(field: string): IDataObject {
		const groups = this.values.largestFirst;
		if (groups.length > 0 && this.fieldName === undefined) {
			throw new PlatformError('configuration', `None of the sessions has a field ${field} to group by`, {
				description: `Check the name in Group By Field. The sessions have: ${[...this.names].join(', ')}.`,
			});
		}
		const others = groups.slice(this.grouping.maxGroups);
		const rest = new Figures();
		for (const [, figures] of others) rest.addAll(figures);
		return {
			groupedBy: this.fieldName ?? field,
			byField: groups.slice(0, this.grouping.maxGroups).map(([value, figures]) => ({ value, ...figures.json })),
			otherValues: { values: others.length, ...rest.json },
		};
	}

	private time(instant: number): string | null {
		return Number.isFinite(instant) ? DateTime.fromMillis(instant, { zone: this.context.zone }).toISO() : null;
	}
}

function put(groups: Groups, value: GroupValue, energy: Decimal | undefined, field: string): void {
	if (groups.add(value, energy)) return;
	throw new PlatformError('configuration', `Sessions cannot be grouped by ${field}: it has too many different values`, {
		description: `There are more than ${MOST_GROUPS.toLocaleString('en')}, or they are very long texts. Grouped by such a field, an ID or a time of day for example, there would be nearly as many groups as sessions. Choose another field, or narrow the filter.`,
	});
}

function statusOf(row: Row): GroupValue {
	const status = row.Status;
	if (typeof status === 'string' && /^\d{1,15}$/.test(status)) return Number(status);
	return typeof status === 'number' || typeof status === 'string' ? status : null;
}

function sessions(count: number): string {
	return count === 1 ? 'One session has' : `${count} sessions have`;
}
