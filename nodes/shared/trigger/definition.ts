import type { IPollFunctions } from 'n8n-workflow';

import type { Parameters } from '../parameters/parameter';
import type { ListResource } from '../resources';
import type { EventJson } from './events/items';
import type { TriggerSettings } from './parameters';
import type { Poll } from './poll';
import type { TriggerState } from './watch/savedState';
import type { PollEvaluation, PollReading, WatchDefinition } from './watch/evaluate';
import type { DetectedChange } from './watch/alertRule';

/** What one trigger is, in the order of a poll. Everything else is the same for all of them. */
export interface TriggerDefinition<Settings extends TriggerSettings, Read extends PollReading> {
	/** What is polled, in messages: "charging stations". */
	plural: string;
	/** The property of its items that has the row. */
	row: string;
	/** By their stored names. */
	parameters: Parameters;
	/** @throws InvalidParametersError naming every parameter that cannot be used */
	readSettings(context: IPollFunctions): Settings;
	watches(poll: Poll<Settings>): Readonly<Record<string, WatchDefinition>>;
	/** Asks the platform. Nothing is concluded yet. */
	read(poll: Poll<Settings>, state: TriggerState): Promise<Read>;
	/** Which changes match the filter, if it selects events and not what is read. Undefined if all do. */
	match?(poll: Poll<Settings>, changes: readonly DetectedChange[], found: Read): Promise<EventMatch | undefined>;
	/** The items about the changes, in their order. */
	items(poll: Poll<Settings>, compared: PollEvaluation, found: Read): EventJson[] | Promise<EventJson[]>;
	/** What failed executions call what cannot be read for an hour: "2 stations", and the first of them. */
	unreadable?(keys: readonly string[]): { counted: string; first: string };
	/** What a manual test shows, made from real rows. `sample: true` is added to each. */
	samples(poll: Poll<Settings>): Promise<EventJson[]>;
	/** Why a manual test shows nothing. */
	nothingToShow(settings: Settings): NoSamplesReason;
}

/** What the filter says of changes. */
export interface EventMatch {
	/** Whether a change is reported. */
	matches(change: DetectedChange): boolean;
	/** The keys for which the filter could not be asked: they stay as they were. */
	unmatched: ReadonlySet<string>;
}

/** Why a manual test has no samples, and what to do. */
export interface NoSamplesReason {
	list: ListResource;
	/** What there is none of; by default the rows of the list. @param which " that match the filter", if there is one */
	none?(which: string): string;
	description: string;
}
