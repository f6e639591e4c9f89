import upperFirst from 'lodash/upperFirst';

import { knownField, statusName } from '../shared/dsquery/catalogue';
import { counted } from '../shared/text';
import type { Row } from '../shared/platform';
import { STATIONS } from '../shared/resources';
import { eventJson, stationWords, textOf, watchingJson } from '../shared/trigger/events/items';
import type { EventJson } from '../shared/trigger/items';
import { rowId } from '../shared/trigger/keys';
import type { Poll } from '../shared/trigger/poll';
import type { WatchingEvent } from '../shared/trigger/watch/types';
import { SENTENCES } from './events';
import type { StationEvent } from './state/types';

export interface AboutStation {
	station: Row | null;
	stationName: string | undefined;
	/** Why a requested full detail is missing. */
	detailMissing?: string;
	/** What uptime calls the incidents. */
	cause?: string;
}

export function toJson(poll: Poll, event: StationEvent, about: AboutStation): EventJson {
	const { station, stationName, detailMissing, cause = null } = about;
	const { dimension, from, to } = event;
	const StatusName = dimension === null ? null : statusName(knownField(STATIONS, dimension)?.codes, to);
	return eventJson(poll, event, {
		stationName,
		text: stationText(event, stationName, poll.zone),
		cause: event.incidentId === null ? null : cause,
		status: { dimension, from, to, StatusName },
		rows: { ...(detailMissing !== undefined && { detailMissing }), station },
	});
}

/** "Zürich Market Square 003 has been offline since 04:46, for 10 minutes." */
export function stationText(event: StationEvent, stationName: string | undefined, zone: string): string {
	const { station, dimension } = event;
	const field = knownField(STATIONS, dimension ?? '');
	const about = { name: stationWords(stationName, station), field: field?.label ?? dimension ?? undefined };
	return textOf(SENTENCES, event, about, zone, (value) => statusName(field?.codes, value));
}

/**
 * The JSON of the item for a time that was watched.
 *
 * @param cause what was watched for
 * @param stations how many stations were watched, if that is known
 */
export function toWatchingJson(poll: Poll, event: WatchingEvent, cause: string, stations?: number): EventJson {
	const many = stations === undefined ? 'The stations were' : counted(stations, 'station was', 'stations were');
	return watchingJson(poll, event, {
		watched: `${many} watched`,
		state: upperFirst(cause),
		cause,
		counts: { stations: stations ?? null },
		idsOf: (station) => ({ stationId: rowId(station) }),
	});
}
