import isEqual from 'lodash/isEqual';

import type { RowKey } from '../../shared/trigger/types';
import { eventsOf } from './events';
import type { Clocks, PartOfDraft, SessionSight, Standing } from './types';

/** Open sessions whose energy does not rise. */
export class StalledSessions {
	private readonly isNeeded: boolean;
	/** Those that have stalled, whether that was reported or not. */
	private readonly stalled: Map<RowKey, Standing>;

	/** @param standing the highest energy that this process saw of each open session; changed in place */
	constructor(
		private readonly part: PartOfDraft,
		private readonly standing: Map<RowKey, Standing>,
	) {
		this.isNeeded = eventsOf('stall').some(([name]) => part.rules.events.has(name));
		this.stalled = new Map(this.isNeeded ? Object.entries(part.kept.stalled ?? {}) : []);
		if (!this.isNeeded) standing.clear();
	}

	/**
	 * Takes in what a poll saw of sessions. From those without a value for their energy nothing is concluded.
	 *
	 * @param isOpen whether a session is followed and not over
	 * @returns how many of the open ones have no energy
	 */
	observe(sights: Iterable<SessionSight>, isOpen: (session: RowKey) => boolean, clocks: Clocks): number {
		if (!this.isNeeded) return 0;
		for (const known of [this.standing, this.stalled]) {
			for (const session of known.keys()) if (!isOpen(session)) known.delete(session);
		}
		let unknown = 0;
		for (const { session, energy } of sights) {
			if (!isOpen(session)) continue;
			if (energy === undefined) unknown++;
			else this.compare(session, energy, clocks);
		}
		return unknown;
	}

	private compare(session: RowKey, energy: number, { own, elapsed }: Clocks): void {
		const { standing, stalled } = this;
		const before = stalled.get(session);
		// After a restart, only the energy of those that have stalled is known.
		const last = standing.get(session) ?? (before && { ...before, since: elapsed });
		const isStalled = before !== undefined && before.energy === last?.energy;
		if (last === undefined || energy > last.energy) {
			standing.set(session, { energy, since: elapsed });
			stalled.delete(session);
			if (isStalled) this.report(true, session, before, own);
			return;
		}
		standing.set(session, last);
		const stoodMs = elapsed - last.since;
		if (isStalled || stoodMs < this.part.rules.stalledMs) return;
		const stall = { energy: last.energy, since: own - stoodMs };
		stalled.set(session, stall);
		this.report(false, session, stall, own);
	}

	/** Reports that a stall has begun, or has ended. */
	private report(hasEnded: boolean, session: RowKey, { energy, since }: Standing, own: number): void {
		const seconds = Math.max(0, Math.round((own - since) / 1000));
		for (const [name, { isEnd }] of eventsOf('stall')) {
			if (isEnd === hasEnded) this.part.raise(name, session, own, seconds, [energy]);
		}
	}

	/**
	 * To be called before the state is saved. That a stall is over is saved with the next event: until then it would be
	 * found again.
	 */
	save(hasEvents: boolean): void {
		const { kept } = this.part;
		const hasBegun = [...this.stalled].some(([session, stall]) => !isEqual(stall, kept.stalled?.[session]));
		if (!this.isNeeded) kept.stalled = undefined;
		else if (hasEvents || hasBegun) kept.stalled = Object.fromEntries(this.stalled);
	}
}
