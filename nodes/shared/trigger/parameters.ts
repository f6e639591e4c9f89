import sortBy from 'lodash/sortBy';
import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import { refuseInvalidStatuses, resolveStatusCode, type StatusValue } from '../dsquery/listSchema';
import type { FilterGroup, KnownCode } from '../dsquery/types';
import { listDropdown } from '../list/dropdowns/liveRows';
import type { ListParameter } from '../list/list';
import {
	multiDropdownParameter,
	optionalFieldNameParameter,
	type DropdownDeclaration,
} from '../parameters/dropdownParameters';
import type { PlatformOptions } from '../platform';
import {
	paging,
	parallelRequests,
	toPagingOptions,
	timeoutOptions,
	toPlatformOptions,
	type options,
} from '../parameters/options';
import { notice, showParameterWhen, type Parameter, type ValuesOf } from '../parameters/parameter';
import { oneOf, type Choice } from '../parameters/simple';
import { truncateStatus } from './status';

/** What every trigger's parameters say of its polls, checked. */
export interface TriggerSettings {
	filter?: FilterGroup;
	output: 'items' | 'digest';
	/** The field whose values have a digest each. */
	digestField?: string;
	pageSize: number;
	/** Requests for details that may be under way at once. */
	parallel: number;
	platformOptions: PlatformOptions;
	/** Whether the very first reading reports what it finds. */
	reportsFirst: boolean;
	/** Whether to report once an hour what was watched. */
	reportsWatching: boolean;
	/** What is watched, by the stored parameters: after a change of it, the next poll only notes how things are. */
	meaning: unknown;
}

export const pollOptions = {
	...paging,
	parallelRequests: parallelRequests(
		'How many details of stations may be read at the same time. A list is read one page after the other.',
	),
	...timeoutOptions,
};

interface PollParameterReading {
	values: Pick<TriggerSettings, 'output' | 'digestField'> & {
		filters: { filter?: FilterGroup };
		options: ValuesOf<{ options: ReturnType<typeof options<typeof pollOptions>> }>['options'] & {
			emitInitialState?: boolean;
			reportWatching?: boolean;
		};
	};
	meaning(stored: IDataObject): unknown;
}

export function triggerSettingsOf(context: IPollFunctions, { values, meaning }: PollParameterReading): TriggerSettings {
	const { output, digestField, filters, options: chosen } = values;
	return {
		output,
		digestField,
		filter: filters.filter,
		...toPagingOptions(chosen),
		platformOptions: toPlatformOptions(chosen),
		reportsFirst: chosen.emitInitialState ?? false,
		reportsWatching: chosen.reportWatching ?? false,
		meaning: meaning(context.getNode().parameters),
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

/**
 * How events are handed over.
 *
 * @param list whose rows are in the events
 * @param purpose what a digest is good for: "many sessions send one message"
 */
export function eventOutput(list: ListParameter, purpose: string) {
	const output = oneOf({
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
	const digestField = optionalFieldNameParameter({
		label: 'Digest Field Name or ID',
		description:
			'One digest item for each value of this field, such as the site: a site that loses its connection is one message with all its stations. Without a choice, one item for all',
		dropdown: listDropdown(list, 'getSecondGroupFields'),
	});
	return { output, digestField: showParameterWhen('output', ['digest'], digestField) };
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

export function statusCodesParameter(
	declared: DropdownDeclaration & {
		default?: readonly string[];
		/** Why at least one must be chosen. Left out if none may be chosen. */
		whyNone?: string;
		/** Where the status is a number: the codes whose names are known. Left out where it may be a word. */
		known?: readonly KnownCode[];
	},
): Parameter<ReadonlySet<StatusValue>, undefined> {
	const { whyNone, known, ...rest } = declared;
	return multiDropdownParameter(rest, (texts, refuse) => {
		if (texts.length === 0 && whyNone !== undefined) refuse(whyNone);
		refuseInvalidStatuses(texts, refuse, known);
		return new Set(texts.map((text) => readCode(text, known)));
	});
}

/** A code as typed or chosen, also by its name: `Finished`, `Code 5`. `none` means a row without such a status. */
export function readCode(text: string, known?: readonly KnownCode[]): StatusValue {
	return text === 'none' ? null : truncateStatus(resolveStatusCode(known, text));
}
