import { chosenList } from '../shared/parameters/chosenList';
import { filterNotice, filters } from '../shared/parameters/filters';
import { options } from '../shared/parameters/options';
import { notice, type Parameter } from '../shared/parameters/parameter';
import { eventOutput, pollingNotice, pollOptions } from '../shared/trigger/parameters';

/** The only event, so it is not shown. n8n takes the words of its node panel from here. */
const event: Parameter<'newRow'> = {
	properties: (name) => [
		{
			displayName: 'Trigger On',
			name,
			type: 'hidden',
			noDataExpression: true,
			options: [{ name: 'New Row in a List', value: 'newRow', action: 'On new row in list' }],
			default: 'newRow',
		},
	],
	read: () => 'newRow',
};

const filtered = filters(chosenList);

/** The trigger's parameters. n8n adds the poll times itself. */
export const parameters = {
	event,
	pollingNotice: pollingNotice(
		'New rows are found by their ID, so the IDs must be whole numbers that increase. If not, the trigger says so when the workflow goes live.',
	),
	list: chosenList,
	filters: filtered,
	filterNotice: filterNotice(
		filtered,
		'filtered',
		notice('Filters apply when a row is found: a row that does not match then is never reported.'),
	),
	output: eventOutput('many rows send one message'),
	options: options(pollOptions),
};
