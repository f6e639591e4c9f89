import type { IPollFunctions } from 'n8n-workflow';

import { readPoll } from '../shared/parameters/reading';
import type { ListResource } from '../shared/resources';
import { pollSettingsOf, type PollSettings } from '../shared/trigger/parameters';
import { parameters, type RowChoice } from './parameters';

export interface RowSettings extends PollSettings {
	event: RowChoice;
	list: ListResource;
	/** The fields that are chosen: all if there are none. */
	watched: readonly string[];
	/** Whether a field is watched, by its name in lower case. */
	isWatched(name: string): boolean;
}

export function readSettings(context: IPollFunctions): RowSettings {
	const reading = readPoll(context, parameters);
	const { event, list, watchedFields: watched = [], ignoredFields: ignored = [] } = reading.values;
	const inLowerCase = (names: readonly string[]) => new Set(names.map((name) => name.toLowerCase()));
	const [chosen, left] = [inLowerCase(watched), inLowerCase(ignored)];
	const isWatched = (name: string) => !left.has(name) && (chosen.size === 0 || chosen.has(name));
	if (chosen.size > 0 && ![...chosen].some(isWatched)) {
		reading.refuse('ignoredFields', 'all watched fields are among them, so there is nothing to watch.');
	}
	reading.faults.check();
	return {
		...pollSettingsOf(context, reading),
		event,
		// Rows are known by their Ids, and read in the order of the Ids: a list without Ids is refused.
		list: { ...list, unknownShape: undefined },
		watched,
		isWatched,
	};
}
