import { counted } from '../shared/text';
import { rowId } from '../shared/trigger/keys';
import type { Poll } from '../shared/trigger/poll';
import { tooMany } from '../shared/trigger/reading/lists';
import type { Watch } from '../shared/trigger/watch/steps';
import type { Trigger } from '../shared/trigger/trigger';
import { STATIONS } from '../shared/resources';
import { itemsOf } from './items';
import { MOST_STATIONS, MOST_STATUSES, readStations, type StationsFound, tooManyStatuses } from './read';
import { nothingToShow, sampleEvents } from './samples';
import { parameters } from './parameters';
import { readSettings, type StationSettings } from './settings';

export const stationTrigger: Trigger<StationSettings, StationsFound> = {
	plural: 'charging stations',
	parameters,
	row: 'station',
	readSettings,
	watches: watchesOf,
	read: readStations,
	items: itemsOf,
	unreadable: (stations) => ({
		counted: counted(stations.length, 'station'),
		first: `station ${String(rowId(stations[0] ?? ''))}`,
	}),
	samples: sampleEvents,
	nothingToShow,
};

function watchesOf({ connection: { baseUrl, environment }, settings }: Poll<StationSettings>): Record<string, Watch> {
	const { event, rule, fleet, fleetMeaning, keepsIncidents, meaning } = settings;
	const platform = [baseUrl, environment];
	const statuses = { count: MOST_STATUSES, refusal: tooManyStatuses };
	const stations = { count: MOST_STATIONS, refusal: () => tooMany(MOST_STATIONS, STATIONS.plural) };
	return {
		station: {
			...{ rule, place: [event, ...platform], meaning, keepsIncidents },
			...(rule.kind === 'values' && { most: statuses }),
		},
		...(fleet && {
			fleet: {
				...{ rule: { kind: 'presence', ...fleet }, place: platform, meaning: fleetMeaning },
				most: stations,
			},
		}),
	};
}
