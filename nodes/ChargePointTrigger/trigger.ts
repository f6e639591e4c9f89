import { counted } from '../shared/text';
import { rowId } from '../shared/trigger/keys';
import { tooMany } from '../shared/trigger/reading/lists';
import type { Trigger } from '../shared/trigger/trigger';
import { itemsOf } from './items';
import { partsOf, pointId } from './points';
import { type PointsFound, readRound } from './read';
import { nothingToShow, sampleEvents } from './samples';
import { parameters } from './parameters';
import { type ChargePointSettings, readSettings } from './settings';

/** The most charge points whose status is remembered. */
const MOST_STATUSES = 20_000;

export const chargePointTrigger: Trigger<ChargePointSettings, PointsFound> = {
	plural: 'charge points',
	parameters,
	row: 'station',
	readSettings,
	watches({ connection: { baseUrl, environment }, settings: { event, rule, keepsIncidents, meaning } }) {
		const refusal = () => tooMany(MOST_STATUSES, 'charge points');
		const most = rule.kind === 'values' ? { most: { count: MOST_STATUSES, refusal } } : {};
		return { point: { rule, place: [event, baseUrl, environment], meaning, keepsIncidents, ...most } };
	},
	read: readRound,
	items: itemsOf,
	unreadable(keys) {
		const points = keys.filter((key) => partsOf(key)[1] !== undefined).length;
		const stations = keys.length - points;
		const parts = [stations > 0 && counted(stations, 'station'), points > 0 && counted(points, 'charge point')];
		const [station, point] = partsOf(keys[0] ?? '');
		const first = `station ${String(rowId(station))}`;
		return {
			counted: parts.filter(Boolean).join(' and '),
			first: point === undefined ? first : `charge point ${pointId(point)} of ${first}`,
		};
	},
	samples: sampleEvents,
	nothingToShow,
};
