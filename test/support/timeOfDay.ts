/** Sets the time of day of this test file and lets it stand still. Timers run; it can be set again at any time. */
export function setTimeOfDay(now: number): void {
	jest.useFakeTimers({
		now,
		doNotFake: [
			'nextTick',
			'setImmediate',
			'clearImmediate',
			'setInterval',
			'clearInterval',
			'setTimeout',
			'clearTimeout',
			'queueMicrotask',
			'performance',
			'hrtime',
		],
	});
}
