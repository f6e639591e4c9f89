import mapValues from 'lodash/mapValues';

import { shortHash } from '../../shared/trigger/hash';
import type { PollDraft, PollStart, StatusValue } from '../../shared/trigger/types';
import { adjustUnreadable, Unreadable } from '../../shared/trigger/watch/unreadable';
import { correctTimes } from '../../shared/trigger/watch/waiting';
import type { Waiting } from '../../shared/trigger/watch/waiting';
import type { Watched } from '../../shared/trigger/watch/watched';
import { pack, placeOf, unpack } from './points';
import type { Points } from './points';
import type {
	ChargePointEvent,
	ChargePointState,
	Incident,
	Place,
	PointKey,
	StationKey,
	TriggerEvent,
	Turn,
} from './types';

type Raised = Omit<ChargePointEvent, 'id' | 'detectedAt' | 'incidentId' | 'until'> &
	Partial<Pick<ChargePointEvent, 'incidentId' | 'until'>>;

/** One poll's working copy of the state. */
export class Draft implements PollDraft<TriggerEvent, ChargePointState> {
	readonly events: TriggerEvent[] = [];
	/** What a look finds is complete, so no event waits. */
	readonly backlog = [];
	reportsNew: boolean;
	hasBaseline: boolean;
	readonly points: Points;
	readonly incidents: Map<Place, Incident>;
	readonly waiting: Map<Place, Waiting>;
	readonly missing: Set<string>;
	turn: Turn;
	/** Incidents that have ended in this turn, and whether one of them ended without an event. */
	ended: Map<Place, Incident>;
	hasQuietEnd: boolean;
	watched?: Watched;
	readonly unreadable: Unreadable;
	private readonly config: string;

	/**
	 * @param now the time of the poll, milliseconds since 1970
	 * @param source identifies the saved state in event ids
	 */
	constructor(
		{ kept, notes }: ChargePointState,
		readonly now: number,
		private readonly source: string,
	) {
		this.config = kept.config;
		this.reportsNew = kept.reportsNew === true;
		this.hasBaseline = kept.hasBaseline === true;
		this.points = unpack(kept.points);
		this.incidents = new Map(Object.entries(kept.incidents));
		this.waiting = new Map(Object.entries(notes.waiting));
		this.missing = new Set(notes.missing);
		this.turn = notes.turn ?? newTurn(now);
		this.ended = new Map(Object.entries(notes.ended));
		this.hasQuietEnd = notes.hasQuietEnd === true;
		this.watched = notes.watched;
		this.unreadable = new Unreadable(notes.unreadable, now);
	}

	toState(): ChargePointState {
		const { config, reportsNew, hasBaseline, points, incidents, waiting, missing, turn, ended } = this;
		const { hasQuietEnd, watched, unreadable } = this;
		return {
			kept: {
				config,
				...(reportsNew && { reportsNew }),
				...(hasBaseline && { hasBaseline }),
				points: pack(points),
				incidents: Object.fromEntries(incidents),
			},
			notes: {
				...(turn.after !== undefined && { turn }),
				waiting: Object.fromEntries(waiting),
				seenAt: waiting.size > 0 ? this.now : undefined,
				missing: [...missing],
				ended: Object.fromEntries(ended),
				...(hasQuietEnd && { hasQuietEnd }),
				watched,
				unreadable: unreadable.toSaved(),
			},
		};
	}

	/**
	 * The id of an event or incident. It depends on the saved state only: if n8n loses a batch, the same event comes
	 * again with the same id.
	 */
	idOf(...what: unknown[]): string {
		return shortHash([this.source, ...what]);
	}

	/** `incidentId` and `until` default to null. */
	raise(event: Raised): void {
		const { name, station, point, from, to } = event;
		const id = this.idOf(name, station, point, from, to);
		this.events.push({ incidentId: null, until: null, ...event, detectedAt: this.now, id });
	}

	/** The stations of which something is remembered. */
	stations(): StationKey[] {
		return [...new Set([...this.points.keys(), ...this.unreadable.keys()])];
	}

	isKnown(station: StationKey): boolean {
		return this.points.has(station) || this.unreadable.has(station);
	}

	known(station: StationKey, point: PointKey): StatusValue | undefined {
		return this.points.get(station)?.get(point);
	}

	/** Notes the value that a charge point has now. */
	settle(station: StationKey, point: PointKey, value: StatusValue): void {
		const points = this.points.get(station) ?? new Map<PointKey, StatusValue>();
		this.points.set(station, points.set(point, value));
		this.waiting.delete(placeOf(station, point));
	}

	/** Ends an incident. One that ends without an event is reported with the time that was watched. */
	end(place: Place, isQuiet: boolean): void {
		const incident = this.incidents.get(place);
		if (!incident) return;
		this.incidents.delete(place);
		this.ended.set(place, incident);
		this.hasQuietEnd ||= isQuiet;
	}

	/** Forgets a charge point that is not there any more. Its incident ends without an event. */
	forget(station: StationKey, point: PointKey): void {
		const place = placeOf(station, point);
		const points = this.points.get(station);
		points?.delete(point);
		if (points?.size === 0) this.points.delete(station);
		this.unreadable.forget(station, point);
		this.waiting.delete(place);
		this.missing.delete(place);
		this.end(place, true);
	}
}

/** A turn that begins now. */
export function newTurn(now: number): Turn {
	return { began: now, stations: 0, isWhole: true };
}

/** Corrects the times in a state after the clock was set: see `correctTimes`. */
export function adjustTimes(
	{ kept, notes }: ChargePointState,
	{ now, clockSetByMs: setByMs, hasCurrentNotes }: PollStart<ChargePointState>,
): ChargePointState {
	const corrected = correctTimes(now, setByMs);
	const { back, waited } = corrected;
	const adjusted = ([since, isReported, id]: Incident): Incident => [back(since), isReported, id];
	const { turn, seenAt } = notes;
	return {
		kept: { ...kept, incidents: mapValues(kept.incidents, adjusted) },
		notes: {
			...notes,
			// How long the turn has taken is not known any more.
			...(turn && { turn: { ...turn, isWhole: turn.isWhole && setByMs === 0 && turn.began <= now } }),
			ended: mapValues(notes.ended, adjusted),
			waiting: mapValues(notes.waiting, ([value, since]): Waiting => [value, waited(since)]),
			seenAt: seenAt === undefined ? undefined : waited(seenAt),
			unreadable: adjustUnreadable(notes.unreadable, corrected, hasCurrentNotes, now),
		},
	};
}
