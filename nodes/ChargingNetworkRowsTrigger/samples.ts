import { type EventJson, sampleId } from '../shared/trigger/events/items';
import { firstRows } from '../shared/trigger/reading/lists';
import { newestRows } from '../shared/trigger/reading/newRows';
import { keyed } from '../shared/trigger/reading/part';
import type { Poll } from '../shared/trigger/poll';
import { toJson } from './items';
import { numbered, valuesOf } from './read';
import type { RowSettings } from './settings';

const SAMPLES = 3;

/**
 * Items made from the newest rows. What they were before is not known: the values are those of now.
 *
 * @throws PlatformError if new rows cannot be found in this list
 */
export async function sampleEvents(poll: Poll<RowSettings>): Promise<EventJson[]> {
	const { event, list, filter } = poll.settings;
	if (event === 'newRow') await newestRows(poll, numbered(poll));
	const rows = await firstRows(poll, list, { filter, direction: 'Desc', take: SAMPLES });
	return [...keyed(rows)].map(([key, row]) => {
		const before = valuesOf(poll.settings, row);
		const isGone = event === 'goneRow';
		return toJson(poll, {
			...{ key, eventId: sampleId(), row: isGone ? null : row },
			...(event !== 'newRow' && { change: { before, now: isGone ? {} : before } }),
		});
	});
}
