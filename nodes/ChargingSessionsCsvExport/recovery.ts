import chunk from 'lodash/chunk';
import range from 'lodash/range';

import { refuseOtherHeader } from './csv/merge';
import type { CsvPart } from './csv/part';
import { cellsOf } from './csv/records';

/** Extra requests allowed for one part after the first. */
const MAX_MORE_REQUESTS = 64;
/** Parts of up to this many sessions are always resolved: halving them to single sessions stays within the limit. */
export const ALWAYS_RESOLVED = MAX_MORE_REQUESTS / 2;

/**
 * Why a session is not in the file: it is not in the platform's list; it is in the list, but never in the CSV; or too
 * few records came for a group of sessions, and it could not be determined which of them are missing.
 */
export type MissingReason = 'notFound' | 'leftOut' | 'notConfirmed';
export type MissingSessions = Map<number, MissingReason>;

/** How many different records a part has. A duplicate record must not hide a missing one. */
export function countDifferent({ records }: CsvPart): number {
	return new Set(records).size;
}

/** With this many records, a column with a session id in each is no coincidence, whatever its name. */
const SURE_FROM = 10;
const SESSION_ID = /^(?:(?:charging\W?)?session\W?)?id$/i;

/** The records of an answer in which one column shows the session of each. */
interface IdentifiedRecords {
	column: number;
	/** By session id, without duplicate records. */
	byId: Map<number, string>;
}

/**
 * Finds the column that holds the session id: it has a different one of the requested ids in every record. The
 * specification does not name the columns, so the name is used only if several columns fit or there are few records.
 *
 * @param known the column, if an earlier answer showed it
 */
export function identifyRecords(part: CsvPart, ids: readonly number[], known?: number): IdentifiedRecords | undefined {
	const asked = new Set(ids);
	// If records are missing, the last one may have been cut off within its last cell.
	const isCertain = part.rows.endsWith('\n') || countDifferent(part) === ids.length;
	const records = [...new Set(isCertain ? part.records : part.records.slice(0, -1))];
	if (records.length === 0) return known === undefined ? undefined : { column: known, byId: new Map() };
	const rows = records.map((record) =>
		cellsOf(record, part.delimiter).map((cell) => (/^\d{1,16}$/.test(cell) ? Number(cell) : undefined)),
	);
	const idsIn = (column: number) => rows.flatMap((row) => row[column] ?? []).filter((id) => asked.has(id));
	const candidates = known === undefined ? range(rows[0]?.length ?? 0) : [known];
	const columns = candidates.filter((column) => new Set(idsIn(column)).size === records.length);
	const names = cellsOf(part.header, part.delimiter);
	const only = columns.length === 1 && (known !== undefined || records.length >= SURE_FROM) ? columns[0] : undefined;
	const column = only ?? columns.find((each) => SESSION_ID.test(names[each] ?? ''));
	if (column === undefined) return undefined;
	return { column, byId: new Map(idsIn(column).map((id, index) => [id, records[index] ?? ''])) };
}

/** The answer to a request for sessions; undefined if the platform has no record of any of them. */
export type Answer = CsvPart | 'too-large' | undefined;

/**
 * Gets the records of existing sessions that the platform's first answer lacks. If a column shows whose records came,
 * it asks again for the others; if not, it asks in halves until an answer has as many records as sessions were asked
 * for. A session that several answers leave out counts as left out by the platform.
 */
export class Recovery {
	/** By session id: its record, or all records of the group that begins with this session. */
	private readonly records = new Map<number, string[]>();
	private requestsLeft = MAX_MORE_REQUESTS;
	/** The largest number of sessions in a request whose answer had records. */
	private answered = 0;
	/** The last answer that had records. */
	private latest: CsvPart;
	/** False once a column proved wrong: from then on only halves are used. */
	private trustsColumns = true;

	/**
	 * @param first the first answer
	 * @param ask requests sessions from the platform
	 * @param missing sessions without a record are added here
	 */
	constructor(
		private readonly first: CsvPart,
		private readonly ask: (ids: readonly number[]) => Promise<Answer>,
		private readonly missing: MissingSessions,
	) {
		this.latest = first;
	}

	/** The part with all records that the platform gives, in the order of the ids. */
	async complete(ids: readonly number[]): Promise<CsvPart> {
		if (!(await this.take(this.first, ids))) {
			this.trustsColumns = false;
			this.records.clear();
			for (const id of ids) if (this.missing.get(id) !== 'notFound') this.missing.delete(id);
			await this.take(this.first, ids);
		}
		const { latest } = this;
		const records = ids.flatMap((id) => this.records.get(id) ?? []);
		const end = latest.rows.endsWith('\n') ? latest.lineEnd : '';
		return { ...latest, records, rows: records.length > 0 ? records.join(latest.lineEnd) + end : '' };
	}

	/**
	 * Keeps the records that came for these sessions, and asks again for the others.
	 *
	 * @param column the id column, if the answer before showed it
	 * @returns false if that column cannot hold the id after all
	 */
	private async take(answer: Answer, asked: readonly number[], column?: number): Promise<boolean> {
		const part = answer === 'too-large' ? undefined : answer;
		const ids = asked.filter((id) => !this.missing.has(id));
		const hasRecords = part !== undefined && part.records.length > 0;
		const found = hasRecords && this.trustsColumns ? identifyRecords(part, ids, column) : undefined;
		if (hasRecords) {
			if (this.latest.records.length > 0) refuseOtherHeader(this.latest.header, part);
			if (column !== undefined && !found) return false;
			this.latest = part;
			this.answered = Math.max(this.answered, ids.length);
			if (!found && (countDifferent(part) === ids.length || ids.length === 1)) {
				this.records.set(ids[0] ?? 0, part.records);
				return true;
			}
		}
		found?.byId.forEach((record, id) => this.records.set(id, [record]));
		const others = ids.filter((id) => !this.records.has(id));
		// An answer without records may also mean that too many sessions were asked for.
		const areLeftOut = ids.length === 1 || (!hasRecords && ids.length <= this.answered);
		if (areLeftOut && answer !== this.first && answer !== 'too-large') {
			this.note(others, 'leftOut');
			return true;
		}
		for (const group of chunk(others, found?.byId.size ? others.length : Math.ceil(ids.length / 2))) {
			if (this.requestsLeft === 0) {
				this.note(group, 'notConfirmed');
				continue;
			}
			this.requestsLeft--;
			const isTaken = await this.take(await this.ask(group), group, found?.column ?? column);
			if (!isTaken) return false;
		}
		return true;
	}

	private note(ids: readonly number[], reason: MissingReason): void {
		for (const id of ids) this.missing.set(id, reason);
	}
}
