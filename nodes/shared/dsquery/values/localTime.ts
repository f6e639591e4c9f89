import { Info } from 'luxon';

import { HOUR_MS, MINUTE_MS } from './durations';

/** The UTC offset of a time zone at an instant, in milliseconds. */
function offsetAt(zone: string, instant: number): number {
	return Math.round(Info.normalizeZone(zone).offset(instant) * MINUTE_MS);
}

/**
 * The instant at which clocks in a time zone first show a wall-clock time or, if they skip it, the first instant after
 * it. Luxon answers differently: where it moves a skipped midnight depends on how the time was made, and it may take
 * the second of two midnights, which would cut an hour off a day.
 * @param wall the wall-clock time, in milliseconds, as if it were UTC
 * @returns milliseconds since the epoch
 */
export function localToInstant(wall: number, zone: string): number {
	// Offsets are between -12 and +14 hours, so the first and last of these instants enclose every possible answer.
	const around = [offsetAt(zone, wall - 15 * HOUR_MS), offsetAt(zone, wall), offsetAt(zone, wall + 13 * HOUR_MS)];
	const exact = around.map((offset) => wall - offset).filter((instant) => instant + offsetAt(zone, instant) === wall);
	if (exact.length > 0) return Math.min(...exact);
	// Skipped: clocks jump over the time at one instant between these two; a binary search finds it.
	let before = wall - Math.max(...around);
	let after = wall - Math.min(...around);
	while (after - before > 1) {
		const middle = Math.floor((before + after) / 2);
		if (middle + offsetAt(zone, middle) >= wall) after = middle;
		else before = middle;
	}
	return after;
}
