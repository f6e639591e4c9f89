import type { Query } from '../../dsquery/types';
import type { PlatformError } from '../answers/errors';

/** The largest Take that a list accepts. It is not public, so it is learned from refusals. */
export class LargestTake {
	private most = Number.POSITIVE_INFINITY;
	private granted = 0;

	/** The query with its page cut to what the platform accepts. */
	cut(query: Query | undefined): Query | undefined {
		if (!query?.pager) return query;
		return { ...query, pager: { ...query.pager, take: Math.min(query.pager.take, this.most) } };
	}

	/** The query was answered. */
	accepted(query: Query | undefined): void {
		this.granted = Math.max(this.granted, query?.pager?.take ?? 0);
	}

	/** The query was refused. Returns whether to retry with a shorter page: list reading accepts shorter pages. */
	refused(query: Query | undefined, { kind, status }: PlatformError): boolean {
		const take = query?.pager?.take ?? 0;
		// A page this long was given before, so the platform refuses something else, such as a large Skip.
		if (kind !== 'too-large' || status === 413 || take < 2 || take <= this.granted) return false;
		this.most = Math.min(this.most, Math.floor(take / 2));
		return true;
	}
}
