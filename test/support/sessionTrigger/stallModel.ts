import isEqual from 'lodash/isEqual.js';
import uniqWith from 'lodash/uniqWith.js';

import type { Sight } from '../stationTrigger/history.ts';
import type { SessionModelSettings, SessionTruth } from './model.ts';

/** How the trigger may see one session. Several may be possible at once: which one is right, its events show. */
interface Possible {
	isOver: boolean;
	/** The highest energy seen, and when it was first seen; undefined if no poll of this process has seen the session. */
	highest?: number;
	since?: number;
	/** The energy at which it stalled. */
	stalledAt?: number;
	/** Events that could not be checked against the filter yet. */
	waiting: readonly string[];
}

/** What one poll sees of a session. */
interface Seen {
	/** Of a known session, `list` may show it or not, and so may `lookups` after a restart. */
	sight: Exclude<Sight, 'nothing'>;
	isOver: boolean;
	/** Whether events cannot be checked against the filter. */
	waits?: boolean;
}

/** Its events. */
export const STALLS = ['stalled', 'resumed'];

/** Decides which sessions stall and resume. It keeps every way in which the trigger may have seen a session. */
export class StallModel {
	private readonly sessions = new Map<number, Possible[]>();
	/** Sessions that the process may not know to be open any more, until it reads the list again: it may not look them up. */
	private readonly forgotten = new Set<number>();

	constructor(
		private readonly settings: SessionModelSettings,
		private readonly complain: (what: string) => void,
	) {}

	/** The minutes begin again. That a session is over may have been forgotten if it raised no event. */
	restarted(): void {
		for (const [id, ways] of this.sessions) {
			const after = ways.flatMap(({ isOver, stalledAt, waiting }): Possible[] => {
				const open = { isOver: false, stalledAt, waiting };
				return isOver ? [{ isOver, waiting }, open, { ...open, stalledAt: undefined }] : [open];
			});
			this.sessions.set(id, uniqWith(after, isEqual));
			this.forgotten.add(id);
		}
	}

	/** A poll that sees the session, or may see it. @param take whether an event of this name was given */
	see(id: number, truth: SessionTruth, at: number, seen: Seen, take: (name: string) => boolean): void {
		const told = STALLS.filter(take).join();
		const before = this.sessions.get(id) ?? [{ isOver: seen.isOver, waiting: [] }];
		const isMissable = seen.sight === 'list' || (seen.sight === 'lookups' && this.forgotten.has(id));
		if (seen.sight === 'all') this.forgotten.delete(id);
		const after = before.flatMap((way) => [this.after(way, truth, at, seen), ...(isMissable ? [way] : [])]);
		const outcomes = after.map((way) => this.handOver(way, truth, seen.waits === true));
		const fitting = outcomes.filter(({ given }) => given.join() === told).map(({ way }) => way);
		if (fitting.length === 0) {
			const expected = [...new Set(outcomes.map(({ given }) => given.join() || 'nothing'))].join(' or ');
			this.complain(`session ${id}: ${told || 'nothing'} instead of ${expected}`);
		}
		this.sessions.set(id, fitting.length > 0 ? fitting : after);
	}

	private after(way: Possible, { energy }: SessionTruth, at: number, { isOver }: Seen): Possible {
		if (way.isOver || isOver) return { ...way, isOver: true };
		const { highest = way.stalledAt, since = at, stalledAt, waiting } = way;
		const isStalled = stalledAt !== undefined && stalledAt === highest;
		if (highest === undefined || energy > highest) {
			const news = isStalled ? ['resumed'] : [];
			return {
				...way,
				highest: energy,
				since: at,
				stalledAt: undefined,
				waiting: [...waiting, ...news],
			};
		}
		if (isStalled || at - since < this.settings.stalledMs) return { ...way, highest, since };
		return { ...way, highest, since, stalledAt: highest, waiting: [...waiting, 'stalled'] };
	}

	private handOver(way: Possible, { energy }: SessionTruth, waits: boolean): { given: string[]; way: Possible } {
		const { events, energyBelow } = this.settings;
		if (energyBelow !== undefined && waits) return { given: [], way };
		const matches = energyBelow === undefined || energy < energyBelow;
		const given = STALLS.filter((name) => matches && events.has(name) && way.waiting.includes(name));
		return { given, way: { ...way, waiting: [] } };
	}
}
