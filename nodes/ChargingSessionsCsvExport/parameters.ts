import type { Refuse } from '../shared/dsquery/validationIssues';
import type { SessionId } from '../shared/csv/sessions';
import { isBlank, kindOf } from '../shared/text';
import { filterNotice, filtersParameter, sortParameter } from '../shared/list/filters';
import { isEmptyListText } from '../shared/dsquery/values/unusableText';
import { fixedListParameter } from '../shared/list/list';
import { options, paging, timeoutOptions } from '../shared/parameters/options';
import {
	withDefault,
	inputItemsParameter,
	notice,
	optional,
	showParameterWhen,
	propertiesShownUnder,
	type Parameter,
} from '../shared/parameters/parameter';
import { flag, oneOf, textParameter, integer } from '../shared/parameters/simple';
import { SESSIONS } from '../shared/resources';
import { asTool } from './asTool';
import { cleanFileName } from './fileName';
import { gatherSessionIds, readSessionIds } from './sessionIds';

/** Bounds the answer to one request, which is held in memory until it has arrived whole. */
const MAX_IDS_PER_REQUEST = 5000;
/** Longest name of a field, path to it, or name of a column, in characters. */
const LONGEST_NAME = 1000;

/** The name of a field or column; '' if it cannot be used. */
function readName(name: unknown, refuse: Refuse): string {
	if (isBlank(name)) refuse('the name is empty.');
	else if (typeof name !== 'string') refuse(`a name is needed here, but this is ${kindOf(name)}.`);
	else if (name.length > LONGEST_NAME) refuse('the name is too long.');
	else return name.trim();
	return '';
}

/** The operations share their options, so these are hidden where no list is read. */
function forFilter<Value, Absent>(option: Parameter<Value, Absent>): Parameter<Value, Absent> {
	return { ...option, properties: propertiesShownUnder(option, { show: { '/operation': ['exportByFilter'] } }) };
}

const exportOptions = options({
	pageSize: forFilter(paging.pageSize),
	parallelRequests: forFilter(paging.parallelRequests),
	byteOrderMark: oneOf({
		label: 'Excel Umlauts',
		description:
			'A byte order mark: three invisible bytes at the start of the file, with which Excel reads umlauts and accents correctly. Without this option they are as the platform sends them.',
		choices: [
			{
				name: 'Add',
				value: 'add',
				description: 'Excel then shows umlauts and other special characters correctly. Only before UTF-8.',
			},
			{ name: 'As the Platform Sends It', value: 'keep' },
			{
				name: 'Remove',
				value: 'remove',
				description: 'For programs that would read it as part of the first column',
			},
		],
		default: 'add',
	}),
	escapeFormulas: flag({
		label: 'Escape Formulas',
		description:
			'Whether to put an apostrophe before text that a spreadsheet would run as a formula, such as <code>=HYPERLINK(…)</code> in the name of a user. Add it for files that people open in Excel and the like, not for programs that need the text as it is.',
		default: true,
	}),
	idsPerRequest: withDefault(
		integer({
			label: 'IDs per Request',
			description:
				'How many sessions to export in one request. The node joins the answers into one file. If the platform says it is too many, the node continues with half.',
			default: 500,
			min: 1,
			max: MAX_IDS_PER_REQUEST,
		}),
	),
	sessionIdColumn: textParameter(
		{
			label: 'Session ID Column',
			description:
				'The column of the CSV that holds the session ID, where it is not named ID or Session ID, such as in another language. With it the node asks again for sessions that are missing, and puts the rows in order.',
			placeholder: 'e.g. Vorgangsnummer',
		},
		readName,
	),
	sessionsPerFile: integer({
		label: 'Sessions per File',
		description:
			'Make several files with at most this many sessions each, one output item per file, named "... -part-1-of-3". Without this option there is one file.',
		default: 10_000,
		min: 1,
	}),
	whenNothingMatches: withDefault(
		oneOf({
			label: 'When Nothing Matches',
			description: 'What to do when there is no session to export',
			choices: [
				{ name: 'Return an Item Without File', value: 'itemWithoutFile' },
				{ name: 'Return No Item', value: 'noItem', description: 'The nodes after this one do not run' },
				{ name: 'Stop the Workflow', value: 'fail' },
			],
			default: 'noItem',
		}),
	),
	...timeoutOptions,
});

const file = {
	fileName: optional(
		textParameter(
			{
				label: 'File Name',
				description:
					'Leave it empty for a name that says the month or the days that the filter covers. Characters that a file name cannot have are replaced.',
				placeholder: 'e.g. charging-sessions-2026-10.csv',
			},
			(value, refuse) => {
				const isText = typeof value === 'string' || typeof value === 'number';
				if (!isText) refuse(`a text is needed here, but this is ${kindOf(value)}.`);
				return isText ? cleanFileName(value) : undefined;
			},
		),
	),
	binaryPropertyName: textParameter(
		{
			label: 'Put Output File in Field',
			placeholder: 'e.g. data',
			hint: 'The name of the output binary field to put the file in',
			required: true,
			default: 'data',
		},
		readName,
	),
	options: exportOptions,
};

const list = fixedListParameter(SESSIONS);

export const byFilter = {
	...asTool,
	list,
	filters: filtersParameter(list),
	everythingNotice: filterNotice(
		'unfiltered',
		notice(
			'Without a condition, every charging session is exported. For those of last month, add Started At and choose In Period.',
		),
	),
	...file,
	sort: sortParameter(list),
};

const sessionIdsFrom = oneOf({
	label: 'Take Session IDs From',
	isFixed: true,
	choices: [
		{ name: 'The Field Below', value: 'field', description: 'One file for each input item' },
		{
			name: 'All Input Items Together',
			value: 'items',
			description: 'One file for all input items, each of which brings one or more IDs',
		},
	],
	default: 'field',
});

/** An empty list is one: there is nothing to export. */
function orNoIds(parameter: Parameter<SessionId[], undefined>): Parameter<SessionId[], undefined> {
	return {
		...parameter,
		read(name, source) {
			const { value } = source.given(name, '');
			const isEmptyList = value === '' || isEmptyListText(value) || (Array.isArray(value) && value.length === 0);
			return isEmptyList ? [] : parameter.read(name, source);
		},
	};
}

const idField = showParameterWhen(
	'sessionIdsFrom',
	['items'],
	textParameter(
		{
			label: 'ID Field',
			description: 'The field of the input items that holds the session ID',
			placeholder: 'e.g. sessionId',
			hint: 'Write the name without braces, for example Id or session.Id',
			required: true,
			default: 'Id',
		},
		readName,
	),
);

export const byIds = {
	...asTool,
	sessionIdsFrom,
	sessionIds: showParameterWhen(
		'sessionIdsFrom',
		['field'],
		orNoIds(
			textParameter(
				{
					label: 'Session IDs',
					description:
						'Separate the IDs with commas or line breaks, or use an expression that returns a list. Duplicates are exported once.',
					placeholder: 'e.g. 10482, 10483',
					required: true,
				},
				(value, _, { issues }) => readSessionIds(value, issues),
			),
		),
	),
	idField,
	gatheredIds: showParameterWhen(
		'sessionIdsFrom',
		['items'],
		inputItemsParameter((items, source) => {
			const field = source.valueOf(idField);
			return field ? gatherSessionIds(items, field, source.issues) : [];
		}),
	),
	...file,
};
