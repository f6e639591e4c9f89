import { fieldAt } from '../../dsquery/fieldName';
import type { SortEntry } from '../../dsquery/types';
import { settle } from '../../settle';
import type { ListResource } from '../../resources';
import { PlatformError } from '../answers/errors';
import type { Page, Row } from '../types';
import { compareFilter, compareSort } from './contradictions';
import type { AskPage, ReadRequest, Sink } from './types';

/** What a gateway answers while the platform behind it is away. */
const NOTHING_THERE: ReadonlySet<number | undefined> = new Set([404, 410, 416]);

/**
 * Asks for the pages of one reading, and compares them with the question.
 *
 * Its count, or an envelope or an array without rows, ends a list, and nothing else does: behind the first answer, an
 * answer without content, or one that says that there is nothing at this address, would cut the list short.
 */
export class Asked {
	/** The first answer. */
	first?: Page;
	/** What it gave reason to say. */
	readonly notes: string[] = [];

	/** @param sorts the order that the platform makes */
	constructor(
		private readonly list: ListResource,
		private readonly send: AskPage,
		private readonly request: ReadRequest,
		private readonly sorts: readonly SortEntry[],
	) {}

	/** @throws PlatformError also where an answer contradicts the question, or comes from something else */
	readonly ask: AskPage = async (query) => {
		const { list, request, sorts, notes } = this;
		const { query: wanted, narrowing } = request;
		const isFirst = this.first === undefined;
		const page = await this.answer(query);
		// What narrows a reading was true when a poll looked last: a status may have changed since, an Id has not. And where
		// a later page ignores the Ids that were asked for, the rest of the filter is ignored, too.
		if (wanted.filter ?? narrowing) compareFilter({ ...list, fields: [] }, query.filter, page.rows);
		if (isFirst) {
			notes.push(...compareFilter(list, wanted.filter, page.rows), ...compareSort(list, sorts, page.rows));
		}
		return page;
	};

	private async answer(query: Parameters<AskPage>[0]): Promise<Page> {
		const { list, request } = this;
		const answer = await settle(this.send(query));
		if (!answer.ok) {
			const { error } = answer;
			const isGone = error instanceof PlatformError && NOTHING_THERE.has(error.status) && error.kind !== 'url-too-long';
			throw this.first && isGone ? interrupted(list, `status ${error.status}`, error.status) : error;
		}
		if (answer.value.isBlank && (this.first || request.goesOn)) throw interrupted(list, 'nothing');
		this.first ??= answer.value;
		return answer.value;
	}
}

/** Hands on the rows that are wanted, and notices which fields they have. */
export class Wanted {
	/** Rows handed on since the reading began. */
	count = 0;
	/** Fields to sort by that no row had until now. */
	readonly absent: Set<string>;

	/** @param by what whoever keeps the rows sorts them by */
	constructor(
		private readonly sink: Sink,
		private readonly wanted: number,
		private readonly by: readonly SortEntry[],
	) {
		this.absent = new Set(by.map(({ field }) => field));
	}

	begin(): void {
		this.count = 0;
		this.sink.begin(this.by);
	}

	add(rows: Row[], lane: number): void {
		const some = rows.slice(0, this.wanted - this.count);
		if (some.length === 0) return;
		this.count += some.length;
		for (const field of this.absent) {
			if (some.some((row) => fieldAt(row, field) !== undefined)) this.absent.delete(field);
		}
		this.sink.add(some, lane);
	}
}

/** A gateway answered in the middle of a reading, in place of the platform. @param what "status 404" */
function interrupted({ plural }: ListResource, what: string, status?: number): PlatformError {
	return new PlatformError('invalid-answer', `The platform answered with ${what} in the middle of the ${plural}`, {
		description:
			"Gateways answer so while the platform is being updated, so it does not count as the end of the list. Run the node again later; if this keeps happening, tell the platform's support.",
		status,
		transient: true,
	});
}
