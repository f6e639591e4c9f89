import { counted } from '../text';
import { PlatformError } from '../platform';
import { rowId } from './keys';
import type { Silence } from './outage';
import type { Poll } from './poll';
import { clock } from './text';
import type { Unreadable } from './watch/unreadable';
import type { RowKey } from './types';

/** Says once what could not be read for an hour: in the log, and in a failed execution. */
export function sayOverdue(poll: Poll, { overdue }: Unreadable, pointId: (point: RowKey) => string = String): void {
	const [first] = overdue;
	if (!first) return;
	const stations = overdue.filter(({ point }) => point === undefined).length;
	const points = overdue.length - stations;
	const parts = [stations > 0 && counted(stations, 'station'), points > 0 && counted(points, 'charge point')];
	const station = `station ${String(rowId(first.station))}`;
	const name = first.point === undefined ? station : `charge point ${pointId(first.point)} of ${station}`;
	const message = `The status of ${parts.filter(Boolean).join(' and ')} cannot be read, for an hour now`;
	const description = `The first is ${name}. Nothing is reported about what cannot be read, nothing that is open ends, and this time does not count as watched. Look at what the platform sends with Get of Charging Stations, and tell its support.`;
	poll.alerts.push(new PlatformError('invalid-answer', message, { description }));
	poll.context.logger.warn(`${message}. The first is ${name}.`);
}

/** What a failed execution says of polls that could read nothing. @param reason why the last of them could not */
export function blindSince(
	{ since }: Silence,
	{ plural, zone, reason }: { plural: string; zone: string; reason: PlatformError },
): PlatformError {
	const now = Date.now();
	const began = clock(now - (performance.now() - since), now, zone);
	const why = [`${reason.message}.`, reason.description].filter(Boolean).join(' ');
	const goesOn =
		'Nothing is reported until then. The trigger goes on asking, and reports what is the case once it can read again. This is said again every 6 hours.';
	return new PlatformError(reason.kind, `The ${plural} could not be read since ${began}`, {
		...reason,
		description: `${why} ${goesOn}`,
	});
}
