import sortBy from 'lodash/sortBy';

import { codeOf } from '../dsquery/catalogue';
import { chosenSome, type FromDropdown } from '../parameters/chosen';
import type { PlatformOptions } from '../platform';
import { paging, pagingOf, patience, platformOptions, type options } from '../parameters/options';
import { notice, type Parameter, type ValuesOf } from '../parameters/parameter';
import { oneOf, type Choice } from '../parameters/simple';
import { bounded } from './status';
import type { StatusValue } from './types';

/** What every trigger's parameters say of its polls. */
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
	/** Whether the very first reading reports what it finds. */
	reportsFirst?: boolean;
	/** Whether to report once an hour what was watched. */
	reportsWatching?: boolean;
}

export const pollOptions = { ...paging, ...patience };

export function pollSettingsOf(values: {
	output: PollSettings['output'];
	options: ValuesOf<{ options: ReturnType<typeof options<typeof pollOptions>> }>['options'];
}): PollSettings {
	return {
		output: values.output,
		...pagingOf(values.options),
		scanParallel: values.options.parallelRequests ?? 1,
		platformOptions: platformOptions(values.options),
	};
}

export function eventChoices<Name extends string>(
	events: Readonly<Record<Name, { label: string; description: string }>>,
): Array<Choice<Name>> {
	const all = (Object.keys(events) as Name[]).map((value) => {
		const { label, description } = events[value];
		return { name: label, value, description };
	});
	return sortBy(all, 'name');
}

/** How events are handed over. `purpose` says what a digest is good for: "many sessions send one message". */
export function eventOutput(purpose: string) {
	return oneOf({
		label: 'Output',
		choices: [
			{ name: 'One Item per Event', value: 'items' },
			{
				name: 'One Digest Item per Poll',
				value: 'digest',
				description: `All events of a poll in one item, so that ${purpose}`,
			},
		],
		default: 'items',
	});
}

/**
 * What a person decides with Poll Times.
 *
 * @param advice what else matters for this trigger: whole sentences
 */
export function pollingNotice(advice = '') {
	return notice(
		`How soon do you want to know? <b>Poll Times</b> decides: with a poll every 5 minutes, you know at most 5 minutes later. The platform recommends 1 to 5 minutes. ${advice}`.trim(),
	);
}

export function codes(
	declared: FromDropdown & {
		default?: readonly string[];
		/** Why one at least must be chosen, if it must. */
		whyNone?: string;
	},
): Parameter<ReadonlySet<StatusValue>, undefined> {
	const { whyNone, ...rest } = declared;
	return chosenSome(rest, (texts, refuse) => {
		if (texts.length === 0 && whyNone !== undefined) refuse(whyNone);
		return new Set(texts.map(readCode));
	});
}

/** A code as typed or chosen. `none` means a row without such a status. */
export function readCode(text: string): StatusValue {
	return text === 'none' ? null : bounded(codeOf(text));
}
