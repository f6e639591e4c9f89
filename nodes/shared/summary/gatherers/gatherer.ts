import { PlatformError, type Row } from '../../platform';
import type { Amounts, GroupValue } from '../measures';

/** The groups of a row: its values in each breakdown. */
export type Places = ReadonlyArray<readonly GroupValue[]>;

/** A row, as a gatherer gets it. */
export interface GatheredRow {
	row: Row;
	/** When it began, in milliseconds since the epoch. */
	start: number | undefined;
	/** The value of the measured field. */
	value: unknown;
	/** The single value of a field. Undefined if there is none. */
	single(field: string | undefined): unknown;
	places: Places;
	/** It is read because of this measure, and is in no other one: it began before or after the period. */
	isBeside: boolean;
}

/**
 * A measure that needs several rows for a value: it notes what it needs of each row, in any order, and adds its amounts to
 * the groups once all have been read.
 */
export interface Gatherer {
	/** How long before the period rows are needed, in milliseconds. */
	readonly before: number;
	/** Until when rows behind the period are needed, as far as is known by now. */
	readonly until: number;
	/** What is noted of rows. */
	readonly noted: Noted<unknown>;
	/** What belongs in a field for the measure to make sense: `check` names it if no row has it. */
	readonly fields: ReadonlyArray<string | undefined>;
	note(row: GatheredRow): void;
	/** Adds to the groups. Returns what the user should know, one sentence each. */
	settle(put: Put): string[];
}

/** Adds to a group of a breakdown. */
export type Put = (breakdown: number, values: readonly GroupValue[], amounts: Amounts) => void;

/** The most rows that are noted. More would take more memory than an n8n usually has to spare. */
export const MOST_NOTED = 1_000_000;
const MOST_TEXT = 50_000_000;

/** What is noted of rows, and a number for each text that tells them apart, such as their driver. */
export class Noted<Entry> {
	readonly entries: Entry[] = [];
	private readonly numbers = new Map<string, number>();
	private text = 0;

	add(entry: Entry): void {
		this.entries.push(entry);
		if (this.entries.length > MOST_NOTED) throw tooMuch();
	}

	numberOf(text: string): number {
		let number = this.numbers.get(text);
		if (number === undefined) {
			number = this.numbers.size;
			this.text += text.length;
			if (this.text > MOST_TEXT) throw tooMuch();
			this.numbers.set(text, number);
		}
		return number;
	}
}

function tooMuch(): PlatformError {
	return new PlatformError('configuration', 'There is too much to measure at once', {
		description: `Visits and hours in use need something of each row to be kept, of ${MOST_NOTED.toLocaleString('en')} at most. Choose a shorter period, or narrow the filter.`,
	});
}
