import pick from 'lodash/pick';
import type { IPollFunctions } from 'n8n-workflow';

import { codeOf } from '../dsquery/catalogue';
import type { Parameters } from '../node/parameters';
import type { Paging, PlatformOptions } from '../platform';
import { bounded } from './state/status';
import type { StatusValue } from './types';

/** Parameters that every trigger has. */
export interface PollSettings {
	output: 'items' | 'digest';
	pageSize: number;
	/** Requests for single rows that may be under way at once. */
	parallel: number;
	/**
	 * The same for pages of the list. Reading one page after the other costs the fewest requests, and every poll pays
	 * for them, so this is 1 unless the user sets it.
	 */
	scanParallel: number;
	platformOptions: PlatformOptions;
	/** What to do if the platform does not apply the filter: leave out what is not certain, or believe it. */
	onContradiction: Paging['onContradiction'];
}

/** Reads the parameters that every trigger has. Notes faults. */
export function readPollSettings(parameters: Parameters): PollSettings {
	const { pageSize, parallel, onContradiction } = parameters.paging();
	return {
		output: parameters.choice('output', ['items', 'digest']),
		pageSize,
		parallel,
		scanParallel: parameters.hasOption('parallelRequests') ? parallel : 1,
		platformOptions: parameters.platformOptions(),
		onContradiction,
	};
}

/** Status codes, as a list or as text. */
export function readCodes(parameters: Parameters, name: string): Set<StatusValue> {
	return new Set(parameters.texts(name).map(readCode));
}

/** A code as typed or chosen. `none` means a row without such a status. */
export function readCode(text: string): StatusValue {
	return text === 'none' ? null : bounded(codeOf(text));
}

/** Parameters as they are stored: a filter on "the last seven days" is the same filter tomorrow. */
export function storedParameters(context: IPollFunctions, paths: readonly string[]): object {
	return pick(context.getNode().parameters, paths);
}
