import { builderHint, exampleHint, fieldsHint, INSTEAD_OF_HTTP_REQUEST } from '../shared/operation/builderHints';
import { LOCATIONS } from '../shared/resources';

export const locationsHint = builderHint({
	hints: [
		'For the locations (sites, addresses) of an EV charging network.',
		'How many: operation count.',
		INSTEAD_OF_HTTP_REQUEST,
		'Where the list refuses API keys, set authentication to signedInUser with a credential chargingNetworkUserApi.',
		fieldsHint(LOCATIONS),
		exampleHint('All locations of a city (City: the field of your rows that has it)', {
			operation: 'getAll',
			returnAll: true,
			filters: { other: [{ field: 'City|text', textOperator: 'Eq', value: 'Graz' }] },
		}),
	],
	relatedNodes: [['chargingStations', 'The stations at the locations']],
});
