/**
 * A clock to simulate whole days of polling, or long waits, in seconds. It can be moved forward, and timers end early
 * and move it to the time they were set for, so the waits of the platform client pass quickly. The time limits of its
 * requests stay as they are. Otherwise the clock runs in real time, so a slow machine's work does not seem to take
 * longer. Elapsed time (`performance.now`) never goes back; the time of day can be set as a person or a time server
 * would. All tests of a file share it.
 */
export interface FastClock {
	/** The time of day, milliseconds since 1970. */
	now(): number;
	/** Lets time pass, in milliseconds. */
	forward(ms: number): void;
	/** Sets the time of day forward, or back if negative; no time passes. */
	set(ms: number): void;
	restore(): void;
}

/** The name of the function that axios calls when connecting has taken too long: a limit, which is no wait. */
const LIMIT = 'handleTimeout';

/** @param speed how many times faster timers end */
export function installFastClock(speed = 40): FastClock {
	const { now: realNow } = Date;
	const { setTimeout: realTimeout, clearTimeout: realClear } = globalThis;
	const realElapsed = performance.now.bind(performance);
	const began = realNow();
	const beganElapsed = realElapsed();
	let passed = 0;
	let setBy = 0;
	const elapsed = () => passed + realElapsed() - beganElapsed;
	const now = () => Math.floor(began + elapsed() + setBy);
	Date.now = now;
	performance.now = elapsed;
	const cleared = new WeakSet<object>();
	const faster = (callback: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) => {
		// A request to the stand-in may take long where many tests run.
		if (callback.name === LIMIT) return realTimeout(callback, ms, ...args);
		const due = elapsed() + ms;
		const end = () => {
			if (cleared.has(timer)) return;
			passed += Math.max(0, due - elapsed());
			callback(...args);
		};
		// What arrived while a slow machine worked comes first: it may clear the timer.
		const timer = realTimeout(() => realTimeout(end, 0), ms / speed);
		return timer;
	};
	globalThis.setTimeout = Object.assign(faster, realTimeout) as typeof setTimeout;
	globalThis.clearTimeout = (timer) => {
		if (typeof timer === 'object') cleared.add(timer);
		realClear(timer);
	};
	return {
		now,
		forward(ms) {
			passed += ms;
		},
		set(ms) {
			setBy += ms;
		},
		restore() {
			Date.now = realNow;
			performance.now = realElapsed;
			globalThis.setTimeout = realTimeout;
			globalThis.clearTimeout = realClear;
		},
	};
}

/**
 * Sets the time of day of this test file and lets it stand still. Timers run; it can be set again at any time,
 * and `jest.useRealTimers` ends it.
 */
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

/** A time of day in a sentence, as part of a regular expression: with the date where midnight has passed since then. */
export const TIME_OF_DAY = String.raw`(?:\d+ \w{3} )?\d\d:\d\d`;

/** Matches a length of time in minutes, give or take half of one: the clock also runs while a slow machine works. */
export function aboutMinutes(minutes: number): unknown {
	return expect.closeTo(minutes, 0);
}
