import type { IPollFunctions } from 'n8n-workflow';

import type { Group } from '../shared/dsquery/types';
import { readPoll } from '../shared/parameters/reading';
import type { ListResource } from '../shared/resources';
import { pollSettingsOf, type PollSettings } from '../shared/trigger/parameters';
import { parameters, type RowChoice } from './parameters';

/** What the node's parameters say, checked. */
export interface RowSettings extends PollSettings {
	event: RowChoice;
	list: ListResource;
	filter?: Group;
	/** The fields to watch, all if there are none, and those of them to leave out. */
	watched: readonly string[];
	ignored: readonly string[];
	/** What gives the saved state of watched rows its meaning. */
	meaning: unknown;
}

/** @throws QueryError naming every parameter that cannot be used */
export function readSettings(context: IPollFunctions): RowSettings {
	const reading = readPoll(context, parameters);
	const { event, list, filters, watchedFields: watched = [], ignoredFields: ignored = [] } = reading.values;
	const left = new Set(ignored.map((name) => name.toLowerCase()));
	if (watched.length > 0 && watched.every((name) => left.has(name.toLowerCase()))) {
		reading.refuse('ignoredFields', 'all watched fields are among them, so there is nothing to watch.');
	}
	reading.faults.check();
	return {
		...pollSettingsOf(reading.values),
		event,
		// Rows are known by their Ids, and read in the order of the Ids: only the paged envelope will do.
		list: { ...list, unknownShape: undefined },
		filter: filters.filter,
		watched,
		ignored,
		meaning: reading.meaning(context.getNode().parameters),
	};
}
