import uniqBy from 'lodash/uniqBy';

import { shortHash } from '../../shared/trigger/hash';
import { NewIds } from '../../shared/trigger/reading/newIds';
import type { Coverage, PollDraft } from '../../shared/trigger/types';
import { SessionsInState } from './sessionsInState';
import { OpenSessions } from './openSessions';
import { LongSessions } from './longSessions';
import { eventsOf, SLICES } from './types';
import type { PartOfDraft, SessionEvent, SessionRules, SeenSession, SessionState, StandingSessions } from './types';

/** One poll's working copy of the state, in parts: each has its own slice and its own first reading. */
export class SessionDraft implements PollDraft<SessionEvent, SessionState> {
	readonly events: SessionEvent[] = [];
	/** Tells new sessions from old ones. Already so at the start: those with the highest Ids, and lower ones. */
	readonly ids: NewIds;
	readonly open: OpenSessions;
	readonly long: readonly LongSessions[];
	readonly inState: readonly SessionsInState[];
	private readonly part: PartOfDraft;

	/**
	 * @param saved the saved state, if any
	 * @param start what the poll begins with: where, whether nothing was ever saved, and by which clocks
	 * @param standing what this process saw of open sessions, and what it sees now
	 */
	constructor(
		saved: SessionState | undefined,
		rules: SessionRules,
		start: { platformId: string; isFirst: boolean; now: number; elapsed: number },
		standing: StandingSessions,
	) {
		const { platformId, isFirst, now, elapsed } = start;
		const known = saved?.kept.place === platformId ? saved : undefined;
		const state: SessionState = known ?? {
			kept: { place: platformId, overCodes: [...rules.overCodes], backlog: [] },
			notes: { recent: [], unsaved: 0, open: {} },
		};
		const reportsInitial = isFirst && rules.reportInitialState;
		const raise: PartOfDraft['raise'] = (name, session, durationMs, idParts = []) => {
			const id = shortHash([platformId, name, session, ...idParts]);
			const durationSeconds = durationMs === undefined ? null : Math.max(0, Math.round(durationMs / 1000));
			this.events.push({ name, session, detectedAt: now, durationSeconds, id });
		};
		const part = (this.part = { ...state, rules, reportsInitial, now, elapsed, raise });
		if (!known) standing.clear();
		this.open = new OpenSessions(part);
		this.ids = new NewIds(part.kept, part.notes);
		if (!this.needsNew) part.kept.newSince = undefined;
		this.long = eventsOf(rules, 'long').map(([name, rule]) => new LongSessions(name, rule, part));
		const inState = uniqBy(eventsOf(rules, 'inState'), ([, { slice }]) => slice);
		this.inState = inState.map(([, rule]) => new SessionsInState(rule, part, standing));
		this.forgetOthers(standing);
	}

	get backlog(): readonly SessionEvent[] {
		return this.part.kept.backlog;
	}

	/** Whether new sessions are of interest: as an event, or because their end is. */
	get needsNew(): boolean {
		return this.open.isNeeded || eventsOf(this.part.rules, 'new').length > 0;
	}

	/** Takes in the sessions behind `ids.after`. */
	discover(sessions: readonly SeenSession[], platform: number): void {
		const fresh = new Set(this.ids.discover(sessions.map(({ session }) => Number(session))));
		const found = sessions.filter(({ session }) => fresh.has(Number(session)));
		this.reportNew(found);
		this.open.add(found, platform);
	}

	/** Takes in a part of the first reading of open sessions. They must not be reported as new again. */
	adopt(sessions: readonly SeenSession[], coverage: Coverage, platform: number): void {
		if (!this.open.adopt(sessions, coverage, platform)) return;
		this.ids.remember(sessions.map(({ session }) => Number(session)));
		this.reportNew(sessions);
	}

	private reportNew(sessions: readonly SeenSession[]): void {
		const { rules, raise } = this.part;
		for (const { session } of sessions) for (const [name] of eventsOf(rules, 'new')) raise(name, session);
	}

	/** Forgets what is only of events that are not chosen. */
	private forgetOthers(standing: StandingSessions): void {
		const { kept, notes } = this.part;
		const chosen = new Set([...this.long, ...this.inState].map(({ rule }) => rule.slice));
		for (const slice of SLICES.filter((each) => !chosen.has(each))) {
			for (const key of [slice, `${slice}Config`, `${slice}Reading`] as const) kept[key] = undefined;
			for (const key of [slice, `${slice}Next`] as const) notes[key] = undefined;
			standing.delete(slice);
		}
	}

	toState(backlog: SessionEvent[]): SessionState {
		const { kept, notes } = this.part;
		const hasEvents = this.events.length > 0;
		this.ids.beforeSave(hasEvents);
		for (const part of [this.open, ...this.long, ...this.inState]) part.save(hasEvents);
		return { kept: { ...kept, backlog }, notes };
	}
}
