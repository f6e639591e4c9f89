import { and, condition } from '../../../dsquery/compose';
import type { FilterNode, Group } from '../../../dsquery/types';
import { brokenPart, emptyPart, oppositeOf } from '../../../dsquery/verdict';
import type { ListResource } from '../../../resources';
import { isSameId } from '../../answers/envelope';
import { Turns } from '../../http/turns';
import type { Row } from '../../types';
import { readInItsOwnWay, rowContradicts } from '../messages';
import { unlessRefused } from '../refused';
import { identityOf } from '../rows';
import type { AskPage, Check } from '../types';

/** Rows that are looked into. A list that moves may show a few that no longer match. */
const MOST_SUSPICIONS = 3;

interface Suspect {
	row: Row;
	part: FilterNode;
}

type Brought = 'row' | 'others' | undefined;

const bothBring = (found: readonly Brought[]): boolean => found.every((came) => came === 'row');

/**
 * Compares rows with the filter they were asked for with. On a row that certainly does not satisfy it, or that has null
 * where a value was asked for, two requests more: its Id with the condition, and with the opposite. If both bring it,
 * twice, the condition is not applied. If one does, the platform reads the value in its own way, or the row has changed:
 * that is said in a note.
 */
export class FilterCheck implements Check {
	readonly notes: string[] = [];
	private suspicions = 0;

	constructor(
		private readonly ask: AskPage,
		private readonly list: ListResource,
		private readonly filter: Group | undefined,
	) {}

	/** @throws PlatformError if the platform does not apply the filter */
	async page(rows: readonly Row[]): Promise<void> {
		const { filter, list } = this;
		if (!filter || this.notes.length > 0 || this.suspicions >= MOST_SUSPICIONS) return;
		const broken = await suspects(rows, (row) => brokenPart(filter, row, list));
		const empty = await suspects(rows, (row) => emptyPart(filter, row));
		const [first] = broken;
		const suspect = [...broken, ...empty].find(({ row }) => identityOf(row) !== undefined);
		if (suspect) await this.lookInto(suspect.row, suspect.part);
		else if (first && broken.length * 2 > rows.length) throw rowContradicts(list, first.row, first.part);
	}

	private async lookInto(row: Row, part: FilterNode): Promise<void> {
		this.suspicions++;
		let found = await this.bringEither(row, part);
		// Replicas and late indexes may bring a row that has just changed for both: then only once.
		if (bothBring(found)) found = await this.bringEither(row, part);
		// Other rows than the one with this Id: the filter is not applied at all.
		if (bothBring(found) || found.includes('others')) throw rowContradicts(this.list, row, part);
		if (found.includes('row')) this.note(readInItsOwnWay(this.list, row, part));
	}

	/** What comes for the row's Id with the condition, and with its opposite. */
	private async bringEither(row: Row, part: FilterNode): Promise<Brought[]> {
		const id = condition('Id', 'Eq', String(row.Id));
		const bring = async (one: FilterNode | undefined) => one && (await this.bring(row, and(id, one)));
		return await Promise.all([part, oppositeOf(part)].map(bring));
	}

	/** What comes for a filter that at most this row satisfies. */
	private async bring(row: Row, filter: Group | undefined): Promise<Brought> {
		const page = await unlessRefused(this.ask({ filter, sorts: [], pager: { skip: 0, take: 2 } }));
		const [first, ...more] = page?.rows ?? [];
		if (!first) return undefined;
		return more.length === 0 && isSameId(first.Id, String(row.Id)) ? 'row' : 'others';
	}

	/** One note is enough: pages are compared side by side. */
	private note(text: string): void {
		if (this.notes.length === 0) this.notes.push(text);
	}
}

/** The rows that do not satisfy a part of the filter. Gives way: there may be many rows, and many conditions. */
async function suspects(rows: readonly Row[], partOf: (row: Row) => FilterNode | undefined): Promise<Suspect[]> {
	const found = await new Turns().map(rows, (row) => ({ row, part: partOf(row) }));
	return found.flatMap(({ row, part }) => (part ? [{ row, part }] : []));
}
