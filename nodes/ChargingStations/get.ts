import type { INodeProperties } from 'n8n-workflow';

import { readOutput, RowShaper } from '../shared/node/output';
import { Parameters } from '../shared/node/parameters';
import type { Operation } from '../shared/node/operation';
import { refuseLargeIds } from '../shared/platform';
import { additionOptions, includeInputOption, optionsProperty } from '../shared/node/form/listParameters';
import { outputProperties } from '../shared/node/form/outputForm';
import { STATIONS } from '../shared/resources';

const properties: INodeProperties[] = [
	{
		displayName: 'Station',
		name: 'stationId',
		type: 'resourceLocator',
		required: true,
		default: { mode: 'list', value: '' },
		description:
			'The station to return. The search may be case-sensitive, so it also tries your text in upper case, in lower case, and with a capital letter for each word.',
		modes: [
			{
				displayName: 'From List',
				name: 'list',
				type: 'list',
				placeholder: 'Select a station...',
				typeOptions: { searchListMethod: 'searchStations', searchable: true },
			},
			{
				displayName: 'By ID',
				name: 'id',
				type: 'string',
				placeholder: 'e.g. 1207',
			},
		],
	},
	...outputProperties,
	optionsProperty({ paging: false, extra: [includeInputOption, ...additionOptions(STATIONS)] }),
];

/** Get: the full detail of one station, with its EVSEs, firmware identity and connectivity metadata. */
export const get: Operation = {
	name: 'Get Station',
	value: 'get',
	action: 'Get full detail of charging station',
	description:
		'Return everything the platform knows about one station, including its charge points (EVSEs) and their states',
	properties,
	prepare(context, itemIndex) {
		const parameters = Parameters.ofItem(context, itemIndex, properties);
		const id = parameters.identifier('stationId');
		const platformOptions = parameters.platformOptions();
		const output = readOutput(parameters);
		const includeInput = parameters.flag('includeInputFields');
		parameters.check();
		return {
			key: JSON.stringify({ id, platformOptions, output, includeInput }),
			platformOptions,
			async run(connection) {
				const row = await connection.getStation(id);
				refuseLargeIds([row]);
				const shaper = new RowShaper(output, STATIONS);
				return { pages: [shaper.shape([row])], hints: shaper.hints(STATIONS.plural), includeInput };
			},
		};
	},
};
