import { and } from '../shared/dsquery/compose';
import type { Group } from '../shared/dsquery/types';
import type { Row } from '../shared/platform';
import { STATIONS } from '../shared/resources';
import type { EventJson } from '../shared/trigger/events/items';
import type { Poll } from '../shared/trigger/poll';
import { firstRows } from '../shared/trigger/reading/lists';
import { keyed } from '../shared/trigger/reading/part';
import { type NothingToShow, sampleOf } from '../shared/trigger/samples';
import { UNKNOWN } from '../shared/trigger/watch/watch';
import { watchingSample } from '../shared/trigger/watching';
import { itemsOf } from './items';
import type { StationSettings } from './settings';

const SAMPLES = 3;

/** Items made from real stations in their current state, as the trigger would send them. */
export async function sampleEvents(poll: Poll<StationSettings>): Promise<EventJson[]> {
	const { settings, now } = poll;
	const rows = new Map(keyed(await findSamples(poll)));
	const values = [...rows].flatMap(([station, row]) =>
		settings.valuesOf(row, true).map(([suffix, value]) => [`${station}${suffix}`, value] as const),
	);
	const changes = values.slice(0, SAMPLES).map(([key, value]) => sampleOf(settings.rule, key, value, now));
	const unreadable = values.filter(([, value]) => value === UNKNOWN).map(([key]) => key);
	const watched = settings.reportsWatching ? watchingSample(changes, unreadable, now) : undefined;
	return await itemsOf(poll, { changes, watched }, { rows });
}

/** Stations that would raise an event now, or any others if there are none. */
async function findSamples(poll: Poll<StationSettings>): Promise<Row[]> {
	const { filter, rule, narrowing } = poll.settings;
	const active = rule.kind !== 'values' && rule.opens !== undefined ? and(filter, narrowing) : filter;
	const read = async (which: Group | undefined) =>
		await firstRows(poll, STATIONS, { filter: which, direction: 'Asc', take: SAMPLES });
	const rows = await read(active);
	return rows.length > 0 || active === filter ? rows : await read(filter);
}

export function nothingToShow({ event }: StationSettings): NothingToShow {
	return {
		list: STATIONS,
		description:
			event === 'filterMatch'
				? 'No station matches at the moment. Once the workflow is live, the trigger fires as soon as one does. To see sample data now, widen the filter for the test.'
				: 'Check the filter, and that the API key belongs to the organization whose stations you expect. A test shows stations as they are now; once the workflow is live, the trigger fires on changes only.',
	};
}
