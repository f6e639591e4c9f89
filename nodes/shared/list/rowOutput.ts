import { listDropdown } from './dropdowns/liveRows';
import { fieldNamesParameter } from '../parameters/dropdownParameters';
import type { ListParameter } from './list';
import { constant, showParameterWhen, type Parameter } from '../parameters/parameter';
import { flag, oneOf } from '../parameters/simple';

/** Fields in a simplified row: as many as n8n's guidelines advise for a table and for an AI model. */
export const MOST_SIMPLE_FIELDS = 10;

/** What each returned row holds. */
export function rowOutput(list: ListParameter) {
	const output = oneOf({
		label: 'Output',
		description:
			'How much of each row to return: all fields, at most 10 simple ones (simplified), or only those you choose (selected). Fewer fields suit tables and AI models.',
		choices: [
			{ name: 'All Fields', value: 'all', description: 'Everything that the platform sends' },
			{
				name: 'Simplified',
				value: 'simplified',
				description: `At most ${MOST_SIMPLE_FIELDS} fields with a single value each, the important ones first. Lists and objects are left out; what an option adds comes in addition.`,
			},
			{ name: 'Selected Fields', value: 'selected', description: 'The ID, and the fields that you choose' },
		],
		default: 'all',
	});
	const chosen = fieldNamesParameter({
		label: 'Field Names or IDs',
		description: 'The fields to return. The ID is always among them',
		dropdown: listDropdown(list, 'getOutputFields'),
	});
	const withId = { ...chosen, read: (...from: Parameters<typeof chosen.read>) => idFirst(chosen.read(...from)) };
	return { output, outputFields: showParameterWhen('output', ['selected'], withId) };
}

/** An item says which row it is: the Id comes first, unless its place was chosen. */
function idFirst(names: readonly string[]): string[] {
	return names.some((name) => name.toLowerCase() === 'id') ? [...names] : ['Id', ...names];
}

/** Options that add fields to each row. Status names only for lists in which the meaning of a code is known. */
export function addedFields({ common: { statusExample } }: ListParameter) {
	const addStatusNames: Parameter<boolean, boolean> =
		statusExample === undefined
			? constant(false)
			: flag({
					label: 'Add Status Names',
					description: `Whether to add what each status code means beside the code, for example ${statusExample}. A code whose meaning is not public is called by its number, "Code 5".`,
					default: true,
				});
	return { addLocalTimes, addStatusNames };
}

const addLocalTimes = flag({
	label: 'Add Local Times',
	description:
		'Whether to add each UTC time in the time zone of the workflow too, written for spreadsheets, for example "StartedAtLocal": "2026-01-31 18:00:00" beside "StartedAtUtc": "2026-01-31T17:00:00"',
	default: true,
});
