import { and, condition } from '../../shared/dsquery/compose';
import type { Condition } from '../../shared/dsquery/types';
import { type Page, PlatformError, type Row } from '../../shared/platform';
import type { ListResource } from '../../shared/resources';
import { settle } from '../../shared/settle';
import { type ProbeClient, type ListSample, SMALL_PAGE } from './probeClient';
import type { ListFacts, PlatformFacts } from './facts';
import { cannotTellVerdict, type Verdict } from './findings';
import { describeFailure, failureEvidence } from './failureTexts';

/** A list under check. */
export interface CheckedList extends ListSample {
	asking: ProbeClient;
	facts: ListFacts;
	/** Facts of the platform as a whole, to which checks add. */
	platform: PlatformFacts;
	/** Names of fields for a finding. */
	namesOf(names: readonly string[]): string;
}

/**
 * One check of a list. It says “as specified” only where the answer would be another one if it were not so; otherwise it
 * cannot tell.
 */
interface CheckDefinition<Answer> {
	name: string;
	/** The only list that it is about. */
	of?: ListResource;
	/** Asks. Undefined where nothing can be asked; left out where the first pages tell. */
	query?(list: CheckedList): Promise<Answer> | undefined;
	/** What the answer, or the first pages, say. It may add to the facts of the platform. */
	expect(list: CheckedList, answer: Answer): Verdict | Promise<Verdict>;
	/** What a refusal that lasts says. Left out where it only says that this cannot be told. */
	refused?(error: PlatformError): Verdict;
}

export interface ListCheck {
	name: string;
	of?: ListResource;
	find(list: CheckedList): Promise<Verdict>;
}

export function check<Answer = undefined>({ name, of, query, expect, refused }: CheckDefinition<Answer>): ListCheck {
	return {
		name,
		of,
		async find(list) {
			if (list.rows.length === 0) return cannotTellVerdict('The list has no rows to look at.');
			const asked = query?.(list);
			if (query && !asked) return cannotTellVerdict('These rows do not show it.');
			const answer = await settle(asked ?? Promise.resolve(undefined as Answer));
			if (answer.ok) return await expect(list, answer.value);
			const { error } = answer;
			if (!(error instanceof PlatformError) || error.kind === 'canceled') throw error;
			if (refused && !error.transient) return refused(error);
			return cannotTellVerdict(
				`${isFilterContradiction(error) ? FILTER_IGNORED : describeFailure(error)}.`,
				failureEvidence(error),
			);
		},
	};
}

export const FILTER_IGNORED = 'The platform does not apply the filter';

/** Whether rows contradict the filter. */
export function isFilterContradiction({ kind, status }: PlatformError): boolean {
	return kind === 'configuration' && status === undefined;
}

/** Asks the list like its first page, from this place on. */
export async function readPageAt({ asking, list, query }: CheckedList, skip: number, take: number): Promise<Page> {
	return await asking.page(list, { ...query, pager: { skip, take } });
}

/** Asks for the rows that match, in no order. */
export async function readMatchingPage(
	{ asking, list }: CheckedList,
	conditions: Condition[],
	take = SMALL_PAGE,
): Promise<Page> {
	return await asking.page(list, { filter: and(...conditions), sorts: [], pager: { skip: 0, take } });
}

/** Asks for the rows of a window of time: it may hold many. */
export const readTimeWindow = async (list: CheckedList, low: string, high: string) =>
	await readMatchingPage(list, [condition('StartedAtUtc', 'GteLt', `${low},${high}`)], list.query.pager?.take);

export const idCondition = (row: Row) => condition('Id', 'Eq', String(row.Id));
export const pageEvidence = ({ rows, totalCount }: Page) => `${rows.length} of ${totalCount ?? '?'} rows came`;
