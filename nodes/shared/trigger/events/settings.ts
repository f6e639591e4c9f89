import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import type { Group } from '../../dsquery/types';
import { pollSettingsOf, type PollSettings } from '../parameters';
import type { EventRecord } from './records';

/** What the parameters of every watch say, checked. */
export interface WatchSettings extends PollSettings {
	event: string;
	/** Whether incidents that were reported stay open when settings change, so that their end is reported, too. */
	keepsIncidents: boolean;
	filter?: Group;
	meaning: unknown;
}

interface Read {
	values: Parameters<typeof pollSettingsOf>[0] & {
		event: string;
		filters: { filter?: Group };
		options: { emitInitialState: boolean; reportWatching?: boolean };
	};
	meaning(stored: IDataObject): unknown;
}

export function watchSettingsOf(
	context: IPollFunctions,
	{ keepsIncidents }: Pick<EventRecord, 'keepsIncidents'>,
	reading: Read,
): WatchSettings {
	const { values } = reading;
	return {
		...pollSettingsOf(values),
		event: values.event,
		filter: values.filters.filter,
		reportsFirst: values.options.emitInitialState,
		reportsWatching: values.options.reportWatching ?? false,
		keepsIncidents,
		meaning: reading.meaning(context.getNode().parameters),
	};
}
