import isEqual from 'lodash/isEqual';

import type { RowKey } from '../../shared/trigger/types';
import { eventsOf } from './events';
import type { Clocks, PartOfDraft, SessionSight, Stall, Standing } from './types';

/** Open sessions whose energy does not rise. */
export class StalledSessions {
	private readonly isNeeded: boolean;
	/** The last stall of each, whether it was reported or not. */
	private readonly stalls: Map<RowKey, Stall>;

	/** @param standing the highest energy that this process saw of each open session; changed in place */
	constructor(
		private readonly part: PartOfDraft,
		private readonly standing: Map<RowKey, Standing>,
	) {
		this.isNeeded = eventsOf('stall').some(([name]) => part.rules.events.has(name));
		this.stalls = new Map(this.isNeeded ? Object.entries(part.kept.stalled ?? {}) : []);
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
		for (const known of [this.standing, this.stalls]) {
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
		const { standing, stalls, part } = this;
		const last = stalls.get(session);
		const isStalled = last !== undefined && !last.isOver && energy <= last.energy;
		if (last && !last.isOver && !isStalled) {
			stalls.set(session, { ...last, isOver: true });
			if (last.tellsEnd) this.report(true, session, last, own);
		}
		// After a restart, only the energy of those that have stalled is known.
		const known = standing.get(session) ?? (isStalled ? { energy: last.energy, since: elapsed } : undefined);
		const highest = known && known.energy >= energy ? known : { energy, since: elapsed };
		standing.set(session, highest);
		const stoodMs = elapsed - highest.since;
		if (isStalled || stoodMs < part.rules.stalledMs) return;
		const begun: Stall = {
			...{ energy: highest.energy, since: own - stoodMs, tellsEnd: part.rules.events.has('resumed') },
			...(last && { number: (last.number ?? 1) + 1 }),
		};
		stalls.set(session, begun);
		this.report(false, session, begun, own);
	}

	/** Reports that a stall has begun, or has ended. */
	private report(hasEnded: boolean, session: RowKey, { energy, since, number }: Stall, own: number): void {
		const seconds = Math.max(0, Math.round((own - since) / 1000));
		const idParts = number === undefined ? [energy] : [energy, number];
		for (const [name, { isEnd }] of eventsOf('stall')) {
			if (isEnd === hasEnded) this.part.raise(name, session, own, seconds, idParts);
		}
	}

	/**
	 * To be called before the state is saved. That a session is over is saved with the next event: until then it would be
	 * found again.
	 */
	save(hasEvents: boolean): void {
		const { kept } = this.part;
		const isNews = [...this.stalls].some(([session, stall]) => !isEqual(stall, kept.stalled?.[session]));
		if (!this.isNeeded) kept.stalled = undefined;
		else if (hasEvents || isNews) kept.stalled = Object.fromEntries(this.stalls);
	}
}
