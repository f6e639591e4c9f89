import { shortHash } from '../../shared/trigger/hash';
import type { StationKey, WatchEvent, WatchState, Waiting } from './types';

/**
 * One poll's working copy of the state. It notes what changed: a change that later events depend on must be saved, one
 * that the next poll would find again by itself need not be.
 */
export class Draft {
	readonly state: WatchState;
	readonly events: WatchEvent[] = [];
	/** Something changed that must not be lost. */
	mustSave = false;
	/** Something changed that can be found again. */
	changedQuietly = false;

	/**
	 * @param now the time of the poll, milliseconds since 1970
	 * @param seed takes the place of the epoch in the ids of events raised before the state was ever saved
	 */
	constructor(
		base: WatchState,
		readonly now: number,
		private readonly seed?: string,
	) {
		this.state = {
			...base,
			stations: new Map(base.stations),
			known: base.known && new Set(base.known),
			waiting: new Map(base.waiting),
			backlog: [...base.backlog],
		};
	}

	setStation(key: StationKey, text: string): void {
		this.state.stations.set(key, text);
		this.mustSave = true;
	}

	/** Changes how a station is remembered in a way that a later poll would find out again. */
	noteStation(key: StationKey, text: string): void {
		this.state.stations.set(key, text);
		this.changedQuietly = true;
	}

	deleteStation(key: StationKey): void {
		if (this.state.stations.delete(key)) this.mustSave = true;
	}

	/**
	 * Notes that something is in a state it has not settled in, and says since when.
	 *
	 * @returns whether it has been so for `afterMs`; the note is then taken off
	 */
	hasLasted(place: string, value: string, afterMs: number): { lasted: boolean; since: number } {
		const known = this.state.waiting.get(place);
		const since = known?.value === value ? Math.min(known.since, this.now) : this.now;
		if (this.now - since >= afterMs) {
			this.stopWaiting(place);
			return { lasted: true, since };
		}
		if (known?.value !== value || known.since !== since) this.wait(place, { value, since });
		return { lasted: false, since };
	}

	stopWaiting(place: string): void {
		if (this.state.waiting.delete(place)) this.changedQuietly = true;
	}

	private wait(place: string, waiting: Waiting): void {
		this.state.waiting.set(place, waiting);
		this.changedQuietly = true;
	}

	/** @param until when the state ended that the event is about; the time of the poll when left out */
	raise(event: Omit<WatchEvent, 'id' | 'detectedAt' | 'durationSeconds'>, until = this.now): void {
		const durationSeconds = Math.max(0, Math.round((until - event.since) / 1000));
		const complete = { ...event, detectedAt: this.now, durationSeconds };
		this.events.push({ ...complete, id: eventId(this.seed ?? this.state.epoch, this.state.batch, complete) });
		this.mustSave = true;
	}
}

/**
 * The id of an event. It follows from the saved state alone: when n8n loses the state after an event (it was killed while
 * handing over), the same event is raised again from the same state and bears the same id.
 */
function eventId(epoch: string, batch: number, event: Omit<WatchEvent, 'id'>): string {
	const { name, station, dimension, from, to } = event;
	return shortHash([epoch, batch, name, station, dimension, from, to]);
}
