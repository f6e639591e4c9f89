import { searchStations } from '../shared/list/dropdowns/search';
import { RowShaper } from '../shared/list/output';
import { operation } from '../shared/operation/operation';
import { locator } from '../shared/parameters/locator';
import { fixedListParameter } from '../shared/list/list';
import { includeInputFields, options, timeoutOptions } from '../shared/parameters/options';
import { addedFields, rowOutput } from '../shared/list/rowOutput';
import { STATIONS } from '../shared/resources';

const list = fixedListParameter(STATIONS);

/** Get: the full detail of one station, with its EVSEs, firmware identity and connectivity metadata. */
export const get = operation({
	name: 'Get Station',
	value: 'get',
	action: 'Get full detail of charging station',
	description:
		'Return everything the platform knows about one station, including its charge points (EVSEs) and their states',
	parameters: {
		stationId: locator({
			label: 'Station',
			description:
				'The station to return. The search may be case-sensitive, so it also tries your text in upper case, in lower case, and with a capital letter for each word.',
			search: { method: 'searchStations', search: searchStations },
			select: 'Select a station...',
			typed: { label: 'By ID', name: 'id', placeholder: 'e.g. 1207' },
		}),
		...rowOutput(list),
		options: options({ includeInputFields, ...addedFields(list), ...timeoutOptions }),
	},
	async run(values, { connection, zone }) {
		const row = await connection.getStation(values.stationId);
		const shaper = new RowShaper({ ...values, ...values.options, zone }, STATIONS);
		return { pages: [shaper.shape([row])], notes: shaper.notes(STATIONS.plural) };
	},
});
