/**
 * Milliseconds on a clock that only ever goes forward, for measuring how long something takes. It has no date: a clock
 * of the machine that is set back or forward does not change it. It begins with the process, so it cannot be stored.
 */
export function elapsedMs(): number {
	return performance.now();
}
