import { PlatformError } from '../answers/errors';
import { settle } from '../../settle';
import { interrupted } from './messages';
import type { AskPage } from './types';

/** What a gateway answers while the platform behind it is away. */
const NOTHING_THERE: ReadonlySet<number | undefined> = new Set([404, 410, 416]);

/**
 * Asks for the pages of one reading. Its count, or an envelope or an array without rows, ends a list, and nothing else
 * does: behind the first answer, an answer without content, or one that says that there is nothing at this address, would
 * cut the list short.
 *
 * @param goesOn whether rows of this list came before this reading
 */
export function oneReading(ask: AskPage, plural: string, goesOn = false): AskPage {
	let hasBegun = false;
	return async (query) => {
		const answer = await settle(ask(query));
		if (!answer.ok) {
			const { error } = answer;
			const isGone = error instanceof PlatformError && NOTHING_THERE.has(error.status) && error.kind !== 'url-too-long';
			throw hasBegun && isGone ? interrupted(plural, `status ${error.status}`, error.status) : error;
		}
		if (answer.value.isBlank && (hasBegun || goesOn)) throw interrupted(plural, 'nothing');
		hasBegun = true;
		return answer.value;
	};
}
