import { NewIds } from '../../shared/trigger/reading/newIds';
import { eventsOf } from './events';
import type { PartOfDraft, SessionSight } from './types';

/** Sessions never seen before. Already so at the start: those with the highest Ids, and lower ones. */
export class NewSessions {
	readonly ids: NewIds;
	/** Whether new sessions are of interest: as an event, or because their end is. */
	readonly isNeeded: boolean;

	constructor(private readonly part: PartOfDraft) {
		const { kept, notes, rules } = part;
		this.isNeeded = rules.configs.open !== undefined || eventsOf('new').some(([name]) => rules.events.has(name));
		if (!this.isNeeded) kept.newSince = undefined;
		this.ids = new NewIds(kept, notes);
	}

	/** Takes in the sessions behind `ids.after`. Returns those that are new. */
	discover(sights: readonly SessionSight[], own: number): SessionSight[] {
		const fresh = new Set(this.ids.discover(sights.map(({ session }) => Number(session))));
		const found = sights.filter(({ session }) => fresh.has(Number(session)));
		this.report(found, own);
		return found;
	}

	/** Reports sessions that were there before the first poll. They must not be reported as new again. */
	adopt(sights: readonly SessionSight[], own: number): void {
		this.ids.remember(sights.map(({ session }) => Number(session)));
		this.report(sights, own);
	}

	private report(sights: readonly SessionSight[], own: number): void {
		const { rules, raise } = this.part;
		const names = eventsOf('new').filter(([name]) => rules.events.has(name));
		for (const { session } of sights) for (const [name] of names) raise(name, session, own);
	}
}
