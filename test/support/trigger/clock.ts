/**
 * A clock for whole days of polling in seconds: it can be moved forward, and runs faster than the real one so that the
 * waits of the platform client pass quickly. It never goes back, and all tests of a file share it.
 */
export interface FastClock {
	now(): number;
	/** Moves the clock forward, in milliseconds. */
	forward(ms: number): void;
	restore(): void;
}

/** @param speed seconds of this clock in one real second */
export function installFastClock(speed = 40): FastClock {
	const realNow = Date.now;
	const realElapsed = performance.now.bind(performance);
	const realTimeout = globalThis.setTimeout;
	const began = realNow();
	let moved = 0;
	const now = () => Math.floor(began + moved + (realNow() - began) * speed);
	Date.now = now;
	// Waits are measured with a clock that has no date.
	const elapsedBefore = realElapsed();
	performance.now = () => elapsedBefore + moved + (realElapsed() - elapsedBefore) * speed;
	const faster = (callback: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) =>
		realTimeout(callback, ms / speed, ...args);
	globalThis.setTimeout = Object.assign(faster, realTimeout) as typeof setTimeout;
	return {
		now,
		forward(ms) {
			moved += ms;
		},
		restore() {
			Date.now = realNow;
			performance.now = realElapsed;
			globalThis.setTimeout = realTimeout;
		},
	};
}
