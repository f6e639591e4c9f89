import { clock, duration, period, shown } from '../shared/trigger/text';
import { isPlace, pointId } from './state/points';
import type { ChargePointEvent } from './state/types';

/**
 * One or two sentences in English: "Charge point 71 of Zürich Market Square 003 has been out of order since 04:46."
 *
 * @param name what the station is called
 */
export function textOf(event: ChargePointEvent, name: string, zone: string): string {
	const { since, until, detectedAt, from, to } = event;
	const point = `Charge point ${shown(pointId(event.point))} of ${shown(name)}`;
	const status = to === null ? '' : ` (${shown(to)})`;
	switch (event.name) {
		case 'outOfOrder':
			return `${point} has been out of order${status} since ${clock(since, detectedAt, zone)}${duration(detectedAt - since)}.${hint(event)}`;
		case 'backInOrder': {
			const ended = until ?? detectedAt;
			return `${point} is no longer out of order. It was ${period(since, ended, detectedAt, zone)}${duration(ended - since)}.${hint(event)}`;
		}
		case 'statusChanged':
			if (from === null) return `${point} has the status ${shown(to ?? 'not set')}.${hint(event)}`;
			return `${point} changed from ${shown(from)} to ${shown(to ?? 'not set')} at ${clock(since, detectedAt, zone)}.${hint(event)}`;
	}
}

/** Says how the charge point is known, if not by its Id. */
function hint({ point }: ChargePointEvent): string {
	return isPlace(point) ? ' It has no ID and is known by its place in the list of the station.' : '';
}
