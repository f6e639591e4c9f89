import partition from 'lodash/partition';
import type { INodeExecutionData } from 'n8n-workflow';

import { MINUTE_MS } from '../dsquery/values/durations';
import { textFilterAdvice } from '../dsquery/words';
import { PlatformError } from '../platform';
import type { TriggerDefinition } from './definition';
import { toOutputItems } from './events/digest';
import { markAsSample, sampleId } from './events/items';
import type { TriggerSettings } from './parameters';
import type { Poll } from './poll';
import type { PollReading } from './watch/evaluate';
import {
	type DetectedChange,
	type AlertRuleOf,
	type ObservedValue,
	UNKNOWN,
	type WatchedValue,
} from './watch/alertRule';

/** @throws PlatformError if there is nothing to show */
export async function createSampleItems<Settings extends TriggerSettings>(
	trigger: TriggerDefinition<Settings, PollReading>,
	poll: Poll<Settings>,
): Promise<INodeExecutionData[][]> {
	// The editor tries expressions with the first item.
	const [watching, events] = partition(await trigger.samples(poll), ({ event }) => event === 'watching');
	const samples = [...events, ...watching].map(markAsSample);
	if (samples.length > 0) return [toOutputItems(samples, poll.settings, trigger.row)];
	const { filter } = poll.settings;
	const { list, none, description } = trigger.nothingToShow(poll.settings);
	const which = filter ? ' that match the filter' : '';
	throw new PlatformError(
		'configuration',
		`${none?.(which) ?? `There are no ${list.plural}${which}`}, so there is nothing to show`,
		{ description: [...(filter ? textFilterAdvice(filter) : []), description].join(' ') },
	);
}

/** How long an ended incident lasted, in a sample. */
const LASTED_MS = 10 * MINUTE_MS;

/** The change that would be reported about a thing as it is now. */
export function createSampleChange(
	rule: AlertRuleOf<'state' | 'often' | 'values'>,
	key: string,
	seen: ObservedValue,
	now: number,
): DetectedChange {
	const to: WatchedValue = typeof seen === 'symbol' ? null : seen;
	const change = { key, from: null, to, isRemoved: false, id: sampleId() };
	if (rule.kind === 'values') {
		return { ...change, name: rule.changes, since: now - rule.afterMs, until: null, incidentId: null };
	}
	if (rule.kind === 'often') return { ...change, name: rule.opens, since: now, until: null, incidentId: null };
	const isOpen = rule.opens !== undefined && (rule.closes === undefined || (seen !== UNKNOWN && rule.isIn(to)));
	const name = (isOpen ? rule.opens : rule.closes) ?? '';
	const since = now - (rule.openAfterMs || (isOpen ? 0 : LASTED_MS));
	return { ...change, name, since, until: isOpen ? null : now, incidentId: isOpen ? change.id : sampleId() };
}
