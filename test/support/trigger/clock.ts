/**
 * A clock for whole days of polling in seconds: it can be moved forward, and timers end early and take it to the moment they
 * were set for, so the waits of the platform client pass quickly. Between those it runs as the real one does: what a slow
 * machine needs for its work does not count. Elapsed time (`performance.now`) never goes back; the time of day can be set as
 * a person or a time server sets it. All tests of a file share it.
 */
export interface FastClock {
	/** The time of day, milliseconds since 1970. */
	now(): number;
	/** Lets time pass, in milliseconds. */
	forward(ms: number): void;
	/** Sets the time of day forward, or back where negative; no time passes. */
	set(ms: number): void;
	restore(): void;
}

/** @param speed how many times as fast a timer ends */
export function installFastClock(speed = 40): FastClock {
	const { now: realNow } = Date;
	const realTimeout = globalThis.setTimeout;
	const realElapsed = performance.now.bind(performance);
	const began = realNow();
	const beganElapsed = realElapsed();
	let passed = 0;
	let setBy = 0;
	const elapsed = () => passed + realElapsed() - beganElapsed;
	const now = () => Math.floor(began + elapsed() + setBy);
	Date.now = now;
	performance.now = elapsed;
	const faster = (callback: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) => {
		const due = elapsed() + ms;
		const end = () => {
			passed += Math.max(0, due - elapsed());
			callback(...args);
		};
		return realTimeout(end, ms / speed);
	};
	globalThis.setTimeout = Object.assign(faster, realTimeout) as typeof setTimeout;
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
		},
	};
}
