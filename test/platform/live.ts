import type { StandIn } from './index.ts';

/** How sessions end, in percent. */
const OUTCOMES = [
	{ outcome: 'finished', share: 85 },
	{ outcome: 'failed', share: 10 },
	{ outcome: 'expired', share: 5 },
] as const;
/** Average length of a session in minutes: short, for people who watch. */
const MINUTES = 5;
const TICK_MS = 1000;

/**
 * Starts and ends sessions from now on, for people who try a trigger.
 *
 * @param perMinute average number of sessions that start in a minute
 * @returns a function that stops it
 */
export function liveSessions(platform: StandIn, perMinute: number): () => void {
	const running = new Set<number>();
	const happens = (perMinuteOnAverage: number) => Math.random() < (perMinuteOnAverage * TICK_MS) / 60_000;
	const tick = () => {
		for (const id of running) {
			if (!happens(1 / MINUTES)) continue;
			running.delete(id);
			platform.endSession(id, drawn());
		}
		// More than one may start within a second.
		for (let rest = perMinute; rest > 0; rest -= 30)
			if (happens(Math.min(rest, 30))) running.add(platform.startSession());
	};
	const timer = setInterval(tick, TICK_MS);
	return () => clearInterval(timer);
}

function drawn() {
	let rest = Math.random() * 100;
	return OUTCOMES.find(({ share }) => (rest -= share) < 0)?.outcome ?? 'finished';
}
