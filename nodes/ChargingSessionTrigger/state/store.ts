import { packNotes, unpackNotes } from '../../shared/trigger/pack';
import type { SessionEvent, SessionEventName, SessionState } from './sessions';
import { numberOf, positionOf, putInto, writePosition } from '../../shared/trigger/stored';
import type { StoredState } from '../../shared/trigger/stored';
import type { RowKey } from '../../shared/trigger/types';

/** A state of another version was written by a later package and means nothing to this one. */
const VERSION = 1;
const MINUTE_MS = 60_000;

/**
 * Reads a stored state. Like the station trigger's it is a few flat entries, and lists are one text each.
 *
 * @returns undefined where there is none, or none that this version can read
 */
export function readSessionState(stored: StoredState): SessionState | undefined {
	const { version, config, batch } = stored;
	if (version !== VERSION || typeof config !== 'string' || typeof batch !== 'number') return undefined;
	const [place = '', openConfig = '', longConfig = ''] = config.split('.');
	return {
		...{ place, openConfig, longConfig, batch },
		quiet: numberOf(stored.quiet) ?? 0,
		unsaved: numberOf(stored.unsaved) ?? 0,
		recent: typeof stored.recent === 'string' ? [...unpackNotes(stored.recent).keys()].map(Number) : undefined,
		open: readTimes(stored.open),
		overCodes: typeof stored.overCodes === 'string' ? stored.overCodes : '',
		openFirst: readFirst(stored.openFirst),
		openUpTo: positionOf(stored.openUpTo),
		lookAfter: numberOf(stored.lookAfter),
		long: readTimes(stored.long),
		longFirst: readFirst(stored.longFirst),
		longAfter: numberOf(stored.longAfter),
		backlog: typeof stored.backlog === 'string' ? readBacklog(stored.backlog) : [],
	};
}

/** Writes a state over a stored one. Entries that are the same are left alone, so that nothing is saved for them. */
export function writeSessionState(stored: StoredState, state: SessionState): void {
	const put = putInto(stored);
	put('version', VERSION);
	put('config', [state.place, state.openConfig, state.longConfig].join('.'));
	put('batch', state.batch);
	put('quiet', state.quiet);
	put('unsaved', state.unsaved > 0 ? state.unsaved : undefined);
	put('recent', state.recent && packNotes(new Map(state.recent.map((id) => [String(id), '']))));
	put('open', writeTimes(state.open));
	put('overCodes', state.overCodes);
	put('openFirst', state.openFirst);
	put('openUpTo', writePosition(state.openUpTo));
	put('lookAfter', state.lookAfter);
	put('long', writeTimes(state.long));
	put('longFirst', state.longFirst);
	put('longAfter', state.longAfter);
	put('backlog', state.backlog.length > 0 ? JSON.stringify(state.backlog.map(toStored)) : undefined);
}

function readFirst(value: unknown): SessionState['openFirst'] {
	return value === 'told' || value === 'noted' ? value : undefined;
}

/** Times to the minute: they say when a session may be forgotten. */
function writeTimes(times: ReadonlyMap<RowKey, number> | undefined): string | undefined {
	if (!times) return undefined;
	const minutes = [...times].map(([key, ms]): [RowKey, string] => [
		key,
		Math.max(0, Math.floor(ms / MINUTE_MS)).toString(36),
	]);
	return packNotes(new Map(minutes));
}

function readTimes(value: unknown): Map<RowKey, number> | undefined {
	if (typeof value !== 'string') return undefined;
	return new Map([...unpackNotes(value)].map(([key, note]) => [key, Number.parseInt(note, 36) * MINUTE_MS]));
}

type StoredEvent = [SessionEventName, RowKey, number, number | null, string];

function toStored({ name, session, detectedAt, durationSeconds, id }: SessionEvent): StoredEvent {
	return [name, session, detectedAt, durationSeconds, id];
}

function readBacklog(text: string): SessionEvent[] {
	return (JSON.parse(text) as StoredEvent[]).map(([name, session, detectedAt, durationSeconds, id]) => ({
		...{ name, session, detectedAt, durationSeconds, id },
	}));
}
