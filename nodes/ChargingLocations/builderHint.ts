import { builderHint, fieldsHint, INSTEAD_OF_HTTP_REQUEST } from '../shared/node/builderHints';
import { LOCATIONS } from '../shared/resources';

export const locationsHint = builderHint({
	node: 'chargingLocations',
	hints: [
		'For the locations (sites, addresses) of an EV charging network.',
		'How many: operation count.',
		INSTEAD_OF_HTTP_REQUEST,
		'Where the list refuses API keys, set authentication to signedInUser with a credential chargingNetworkUserApi.',
		fieldsHint(LOCATIONS),
	],
	relatedNodes: [['chargingStations', 'The stations at the locations']],
	patterns: [
		{
			title: 'One location, to see which fields there are',
			name: 'First Location',
			parameters: { operation: 'getAll', returnAll: false, limit: 1 },
		},
	],
});
