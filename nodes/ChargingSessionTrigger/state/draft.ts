import { shortHash } from '../../shared/trigger/hash';
import type { Coverage, PollDraft, RowKey } from '../../shared/trigger/types';
import { eventsOf } from './events';
import type { SessionEventName } from './events';
import { NewSessions } from './newSessions';
import { OpenSessions } from './openSessions';
import { SessionsInState } from './sessionsInState';
import { StalledSessions } from './stalledSessions';
import type { Clocks, PartOfDraft, SessionEvent, SessionRules, SessionSight, SessionState, Standing } from './types';

/** One poll's working copy of the state, in parts: each has its own slice and its own first reading. */
export class SessionDraft implements PollDraft<SessionEvent, SessionState> {
	readonly events: SessionEvent[] = [];
	readonly backlog: readonly SessionEvent[];
	readonly fresh: NewSessions;
	readonly open: OpenSessions;
	/** One for each chosen event of kind `state`. */
	readonly inState: readonly SessionsInState[];
	readonly stalled: StalledSessions;
	private readonly state: SessionState;

	/**
	 * @param saved the saved state, if any
	 * @param isFirst whether nothing was ever saved
	 * @param standing what this process knows of the energy of open sessions; changed in place
	 */
	constructor(saved: SessionState | undefined, rules: SessionRules, isFirst: boolean, standing: Map<RowKey, Standing>) {
		const { place, overCodes } = rules;
		const known = saved?.kept.place === place ? saved : undefined;
		this.state = known ?? {
			kept: { place, overCodes: [...overCodes], backlog: [] },
			notes: { recent: [], unsaved: 0, open: {} },
		};
		if (!known) standing.clear();
		this.backlog = this.state.kept.backlog;
		const part: PartOfDraft = {
			...this.state,
			...{ rules, reportsInitial: isFirst && rules.reportInitialState },
			raise: (name: SessionEventName, session, now, durationSeconds = undefined, idParts = []) => {
				if (!rules.events.has(name)) return;
				const id = shortHash([place, name, session, ...idParts]);
				this.events.push({ name, session, detectedAt: now, durationSeconds: durationSeconds ?? null, id });
			},
		};
		this.fresh = new NewSessions(part);
		this.open = new OpenSessions(part);
		this.inState = eventsOf('state').map(([name, event]) => new SessionsInState(name, event, part));
		this.stalled = new StalledSessions(part, standing);
	}

	/** Takes in the sessions behind `fresh.ids.after`. */
	discover(sights: readonly SessionSight[], clocks: Clocks): void {
		this.open.add(this.fresh.discover(sights, clocks.own), clocks);
	}

	/** Takes in a part of the first reading of open sessions. */
	adoptOpen(sights: readonly SessionSight[], coverage: Coverage, clocks: Clocks): void {
		const reported = this.open.adopt(sights, coverage, clocks);
		this.fresh.adopt(reported, clocks.own);
	}

	toState(backlog: SessionEvent[]): SessionState {
		const { kept, notes } = this.state;
		this.fresh.ids.settle(this.events.length > 0);
		for (const part of [this.open, ...this.inState]) part.save();
		this.stalled.save(this.events.length > 0);
		return { kept: { ...kept, backlog }, notes };
	}
}
