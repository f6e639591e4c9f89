import partition from 'lodash/partition';

import { shortHash } from '../hash';
import type { StatusValue } from '../types';
import type { Change, Incident, Times, WatchEvent, WatchingEvent, WatchRules, WatchState } from './types';
import { Unreadable } from './unreadable';
import { hasLasted, type Waiting } from './waiting';
import { longestGapMs, seenAgain, type Watched } from './watched';

/** One poll's working copy of what a watch remembers. Triggers add how they remember the values of things. */
export abstract class WatchDraft<Subject extends object> {
	readonly events: Array<WatchEvent<Subject> | WatchingEvent> = [];
	readonly config: string;
	readonly incidents: Map<string, Incident>;
	readonly waiting: Map<string, Waiting>;
	readonly unreadable: Unreadable;
	watched?: Watched;
	/** Incidents that have ended in this round, and whether one of them ended without an event. */
	private readonly ended: Map<string, Incident>;
	private hasQuietEnd: boolean;
	/** Ids of incidents that began without an event, so they need not be saved with a batch. */
	private readonly unreported: Set<string>;
	private readonly keptIncidents: readonly string[];

	/**
	 * @param now the time of the poll
	 * @param basis identifies the saved state in event ids
	 */
	constructor(
		{ kept, notes }: WatchState,
		readonly now: number,
		private readonly basis: string,
	) {
		this.config = kept.config;
		this.incidents = new Map(Object.entries({ ...notes.incidents, ...kept.incidents }));
		this.keptIncidents = Object.keys(kept.incidents);
		this.unreported = new Set(Object.values(notes.incidents ?? {}).map(([, , id]) => id));
		this.waiting = new Map(Object.entries(notes.waiting));
		this.unreadable = new Unreadable(notes.unreadable, now);
		this.watched = notes.watched;
		this.ended = new Map(Object.entries(notes.ended ?? {}));
		this.hasQuietEnd = notes.hasQuietEnd === true;
	}

	/** What the id of an event is made of, besides the saved state and its name. Never changes. */
	protected abstract partsOf(event: Subject & Change): unknown[];

	/** What all watches save. */
	protected saved(): WatchState {
		const { config, incidents, unreported, keptIncidents, waiting, ended, hasQuietEnd, watched } = this;
		const isBatch = this.events.length > 0 || keptIncidents.some((key) => !incidents.has(key));
		const [inNotes, inKept] = partition([...incidents], ([, [, , id]]) => !isBatch && unreported.has(id));
		return {
			kept: { config, incidents: Object.fromEntries(inKept) },
			notes: {
				waiting: Object.fromEntries(waiting),
				seenAt: waiting.size > 0 ? this.now : undefined,
				...(inNotes.length > 0 && { incidents: Object.fromEntries(inNotes) }),
				...(ended.size > 0 && { ended: Object.fromEntries(ended) }),
				...(hasQuietEnd && { hasQuietEnd }),
				watched,
				unreadable: this.unreadable.toSaved(),
			},
		};
	}

	/**
	 * The id of an event or incident. It depends on the saved state only: if n8n loses a batch, the same event comes
	 * again with the same id.
	 */
	idOf(subject: Subject, change: Change): string {
		return this.hash(change.name, ...this.partsOf({ ...subject, ...change }));
	}

	private hash(...parts: unknown[]): string {
		return shortHash([this.basis, ...parts]);
	}

	/** `incidentId` and `until` default to null. */
	raise(subject: Subject, change: Change, times: Partial<Times> & Pick<Times, 'since'>): void {
		const happened = { ...change, incidentId: null, until: null, ...times };
		this.events.push({ ...subject, ...happened, detectedAt: this.now, id: this.idOf(subject, change) });
	}

	/** Since when a thing has had a value, once that has lasted: see `hasLasted`. */
	hasLasted(key: string, afterMs: number, value?: StatusValue): number | undefined {
		return hasLasted(this.waiting, key, value, { afterMs, now: this.now });
	}

	open(key: string, incident: Incident, isRaised: boolean): void {
		const [, isReported, id] = incident;
		this.incidents.set(key, incident);
		if (isReported && !isRaised) this.unreported.add(id);
	}

	/** Ends an incident, if there is one. One that ends without an event is reported with the time that was watched. */
	end(key: string, isRaised = false): void {
		const incident = this.incidents.get(key);
		this.waiting.delete(key);
		if (!incident) return;
		this.incidents.delete(key);
		this.ended.set(key, incident);
		this.hasQuietEnd ||= !isRaised;
	}

	/**
	 * Ends a round: everything has been seen once more. Things may have been seen at different times, so what is watched
	 * for all of them reaches from the end of a round to the beginning of a later one.
	 *
	 * @param isWhole whether all of it was seen, and it is known what became of each thing
	 * @param began when the round began
	 * @param polls how many polls it takes: two looks at a thing are at most as far apart as two rounds, less one poll
	 */
	endRound(
		{ isWhole, began, polls = 1 }: { isWhole: boolean; began: number; polls?: number },
		{ reportsWatching, usualMs }: Pick<WatchRules, 'reportsWatching' | 'usualMs'>,
		counts?: WatchingEvent['counts'],
	): void {
		if (!reportsWatching) {
			this.watched = undefined;
			this.unreadable.readBy(this.now);
		} else if (isWhole) {
			this.noteRound(began, longestGapMs(usualMs) * (2 * polls - 1), counts);
		} else {
			return;
		}
		this.ended.clear();
		this.hasQuietEnd = false;
	}

	private noteRound(began: number, longest: number, counts: WatchingEvent['counts']): void {
		const { now, hasQuietEnd } = this;
		const { watched, due } = seenAgain(this.watched, { began, ended: now }, { longestGapMs: longest, hasQuietEnd });
		this.watched = watched;
		const unreadable = due && this.unreadable.before(began);
		this.unreadable.readBy(watched?.from ?? now);
		// If too much could not be read to name it, that time is not reported.
		if (!due || !unreadable) return;
		const open = [...this.incidents, ...this.ended].filter(([, [since]]) => since <= due.to);
		const openIncidents = open.map(([key, [since, , incidentId]]) => ({ key, incidentId, since }));
		const id = this.hash('watching', due.from);
		this.events.unshift({
			name: 'watching',
			...due,
			unreadable,
			openIncidents,
			...(counts && { counts }),
			detectedAt: now,
			id,
		});
	}
}
