import { packNotes, unpackNotes } from '../../shared/trigger/pack';
import { numberOf, positionOf, putInto, writePosition } from '../../shared/trigger/stored';
import type { StoredState } from '../../shared/trigger/stored';
import { DIMENSIONS } from './types';
import type { StationKey, Waiting, WatchEvent, WatchEventName, WatchState } from './types';
import type { StatusValue } from '../../shared/trigger/types';

/** A state of another version was written by a later package and means nothing to this one. */
const VERSION = 1;

/**
 * Reads a stored state.
 *
 * @returns undefined where there is none, or none that this version can read
 */
export function readState(stored: StoredState): WatchState | undefined {
	const { version, config, epoch, batch } = stored;
	if (version !== VERSION || typeof config !== 'string' || typeof epoch !== 'string' || typeof batch !== 'number') {
		return undefined;
	}
	return {
		config,
		epoch,
		batch,
		quiet: numberOf(stored.quiet) ?? 0,
		baselineUpTo: positionOf(stored.baselineUpTo),
		initial: stored.initial === true ? true : undefined,
		scanAfter: numberOf(stored.scanAfter),
		stations: new Map(textEntries(stored.stations)),
		known: typeof stored.known === 'string' ? new Set(unpackNotes(stored.known).keys()) : undefined,
		waiting: new Map(textEntries(stored.waiting).map(([place, text]) => [place, readWaiting(text)])),
		backlog: typeof stored.backlog === 'string' ? readBacklog(stored.backlog) : [],
	};
}

/**
 * Writes a state over a stored one. Entries that are the same are left alone, so that nothing is saved for them.
 *
 * @param before the state as it was read from there, or nothing
 */
export function writeState(stored: StoredState, before: WatchState | undefined, after: WatchState): void {
	const put = putInto(stored);
	put('version', VERSION);
	put('config', after.config);
	put('epoch', after.epoch);
	put('batch', after.batch);
	put('quiet', after.quiet);
	put('baselineUpTo', writePosition(after.baselineUpTo));
	put('initial', after.initial);
	put('scanAfter', after.scanAfter);
	if (!before || !sameMap(before.stations, after.stations)) stored.stations = Object.fromEntries(after.stations);
	put('known', after.known && packNotes(new Map([...after.known].map((key) => [key, '']))));
	if (!before || !sameWaiting(before.waiting, after.waiting)) {
		stored.waiting = Object.fromEntries([...after.waiting].map(([place, waiting]) => [place, writeWaiting(waiting)]));
	}
	put('backlog', after.backlog.length > 0 ? writeBacklog(after.backlog) : undefined);
}

function textEntries(value: unknown): Array<[string, string]> {
	if (typeof value !== 'object' || value === null) return [];
	return Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
}

function sameMap(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
	if (a.size !== b.size) return false;
	for (const [key, text] of a) if (b.get(key) !== text) return false;
	return true;
}

function sameWaiting(a: ReadonlyMap<string, Waiting>, b: ReadonlyMap<string, Waiting>): boolean {
	if (a.size !== b.size) return false;
	for (const [key, { value, since }] of a) {
		const other = b.get(key);
		if (other?.value !== value || other.since !== since) return false;
	}
	return true;
}

function writeWaiting({ value, since }: Waiting): string {
	return `${Math.round(since).toString(36)} ${value}`;
}

function readWaiting(text: string): Waiting {
	const space = text.indexOf(' ');
	return { since: Number.parseInt(text.slice(0, space), 36), value: text.slice(space + 1) };
}

type StoredEvent = [WatchEventName, StationKey, number, StatusValue, StatusValue, number, number, number, string];

function writeBacklog(events: readonly WatchEvent[]): string {
	return JSON.stringify(
		events.map((event): StoredEvent => {
			const { name, station, dimension, from, to, since, detectedAt, durationSeconds, id } = event;
			const index = dimension === null ? -1 : DIMENSIONS.indexOf(dimension);
			return [name, station, index, from, to, since, detectedAt, durationSeconds, id];
		}),
	);
}

function readBacklog(text: string): WatchEvent[] {
	return (JSON.parse(text) as StoredEvent[]).map(
		([name, station, index, from, to, since, detectedAt, durationSeconds, id]) => ({
			...{ name, station, dimension: DIMENSIONS[index] ?? null, from, to, since, detectedAt, durationSeconds, id },
		}),
	);
}
