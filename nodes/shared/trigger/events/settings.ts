import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import type { Group } from '../../dsquery/types';
import { configOf } from '../hash';
import { usualDistanceMs } from '../memory';
import { pollSettingsOf, type PollSettings } from '../parameters';
import type { Poll } from '../poll';
import type { WatchRules } from '../watch/types';
import type { EventRecord } from './records';

/** What the parameters of every watch say, checked. */
export interface WatchSettings extends Omit<PollSettings, 'reportsWatching'>, Omit<WatchRules, 'config' | 'usualMs'> {
	event: string;
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
		reportInitialState: values.options.emitInitialState,
		reportsFirst: values.options.emitInitialState,
		reportsWatching: values.options.reportWatching ?? false,
		keepsIncidents,
		meaning: reading.meaning(context.getNode().parameters),
	};
}

/** The settings together with the platform they apply to. */
export function rulesOf<Settings extends WatchSettings>(poll: Poll<Settings>): Settings & WatchRules {
	const { connection, settings, memory } = poll;
	const { baseUrl, environment } = connection;
	const config = configOf([settings.event, baseUrl, environment], settings.meaning);
	return { ...settings, config, usualMs: usualDistanceMs(memory) };
}
