import { Faults } from '../../shared/dsquery/faults';
import { readIdentifier } from '../../shared/operations/identifier';
import { readOptions, readPlatformOptions, wantsStatusNames } from '../../shared/operations/parameters';
import { addStatusNames } from '../../shared/operations/statusNames';
import type { Operation } from '../../shared/operations/types';
import { refuseRoundedIds } from '../../shared/platform/listRows';
import { labelsOption, optionsProperty } from '../../shared/ui/listParameters';
import { stationList } from './kind';

const { catalogue, statusExample } = stationList;

/** Get: the full detail of one station, with its EVSEs, firmware identity and connectivity metadata. */
export const get: Operation = {
	name: 'Get',
	value: 'get',
	action: 'Get a charging station',
	description:
		'Return everything the platform knows about one station, including its charge points (EVSEs) and their states',
	properties: [
		{
			displayName: 'Station',
			name: 'stationId',
			type: 'resourceLocator',
			required: true,
			default: { mode: 'list', value: '' },
			description: 'The station to return',
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
		optionsProperty({ paging: false, extra: [labelsOption(statusExample)] }),
	],
	prepare(context, itemIndex) {
		const faults = new Faults();
		const value = context.getNodeParameter('stationId', itemIndex, '', { extractValue: true });
		const id = readIdentifier(value, 'Station', faults);
		const options = readOptions(context, itemIndex);
		const platformOptions = readPlatformOptions(options, faults);
		const names = wantsStatusNames(options, faults);
		faults.check();
		return {
			key: JSON.stringify({ id, platformOptions, names }),
			platformOptions,
			async run(platform) {
				const row = await platform.getStation(id);
				refuseRoundedIds([row]);
				if (names) addStatusNames([row], catalogue);
				return { pages: [[row]], hints: [] };
			},
		};
	},
};
