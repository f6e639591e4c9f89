import type { Database } from '../../platform/database.ts';

const ONLINE = 1;
const OFFLINE = 2;
/** Time until the next station goes offline or comes back. */
const STEP_MS = 5_000;
/** So many polls must have begun after a change for one to have seen it: the first may have read the station before. */
const SEEN_AFTER_POLLS = 2;

/** An outage that has ended, and its length. */
export interface Outage {
	station: string;
	ms: number;
}

/** Stations of the stand-in that go offline and come back. */
export interface Outages {
	/** Their names. Nothing else may change these stations. */
	stations: readonly string[];
	/** All outages, once all stations are back for good. */
	over: () => Outage[] | undefined;
	stop: () => void;
}

/**
 * One after the other, stations go offline, then come back, and so on for `forMs`; then all come back.
 *
 * @param polls how many polls have begun: a station changes again only when one has seen it
 */
export function startOutages(db: Database, stations: readonly string[], polls: () => number, forMs: number): Outages {
	const update = db.prepare('UPDATE stations SET NetworkStatus = ? WHERE Name = ?');
	const begun = Date.now();
	const since = new Map<string, number>();
	const pollsAtChange = new Map<string, number>();
	const outages: Outage[] = [];
	const goOffline = (station: string) => {
		update.run(OFFLINE, station);
		since.set(station, Date.now());
	};
	const comeBack = (station: string, from: number) => {
		update.run(ONLINE, station);
		since.delete(station);
		outages.push({ station, ms: Date.now() - from });
	};
	let isOver = false;
	let step = 0;
	const timer = setInterval(() => {
		const station = stations[step % stations.length] ?? '';
		if (polls() < (pollsAtChange.get(station) ?? 0) + SEEN_AFTER_POLLS) return;
		pollsAtChange.set(station, polls());
		step++;
		const from = since.get(station);
		if (from !== undefined) comeBack(station, from);
		else if (Date.now() - begun < forMs) goOffline(station);
		isOver = since.size === 0 && Date.now() - begun >= forMs;
		if (isOver) clearInterval(timer);
	}, STEP_MS);
	return { stations, over: () => (isOver ? outages : undefined), stop: () => clearInterval(timer) };
}
