import type { IDataObject } from 'n8n-workflow';

import type { Sight } from '../stationTrigger/history.ts';
import { text } from '../stationTrigger/model.ts';

/** The true state of a session at a moment. */
export interface SessionTruth {
	status: number;
	energy: number;
	/** Milliseconds since 1970. */
	startedAt: number;
}

export type Sessions = ReadonlyMap<number, SessionTruth>;

export interface SessionModelSettings {
	events: ReadonlySet<string>;
	/** Codes that are reported as ended. `overCodes` are all codes with which a session is over. */
	endCodes: readonly number[];
	overCodes: readonly number[];
	longMs: number;
	/** Only sessions with less energy than this are reported. */
	energyBelow: number | undefined;
	emitInitial: boolean;
}

/** Tolerance between the two clocks when a session has just been running long enough, in milliseconds. */
const UNCERTAIN_MS = 10_000;

type Certainty = 'must' | 'may' | 'mustNot';

/** What the trigger must know of one session. */
interface Known {
	/** Its start has raised an event that is not checked against the filter yet. */
	startPending: boolean;
	/** The name of its end event, if that is in the same state. */
	endPending: string | undefined;
	over: boolean;
	/** Whether its end, or its start, may or may not be reported: what the trigger has seen is unknown. */
	endUnsure: boolean;
	startUnsure: boolean;
	startTold: boolean;
	endTold: boolean;
	longTold: boolean;
	longUnsure: boolean;
}

/**
 * Decides which events a history of polls may and must give, from what each poll could see. It knows nothing of saved
 * state, engines, pages and requests, and treats each session separately.
 */
export class SessionModel {
	private readonly known = new Map<number, Known>();

	constructor(
		private readonly settings: SessionModelSettings,
		private readonly complain: (what: string) => void,
	) {}

	knows(id: number): boolean {
		return this.known.has(id);
	}

	/**
	 * After a restart, whatever raised no event may have been forgotten and may raise one now.
	 *
	 * @param hidden sessions that the platform does not show at the moment
	 */
	restarted(hidden: Iterable<number>): void {
		for (const known of this.known.values()) {
			if (known.over && !known.endTold && known.endPending === undefined) known.endUnsure = true;
			if (!known.startTold && !known.startPending) known.startUnsure = this.isNew(known);
		}
		for (const id of hidden) {
			const known = this.known.get(id);
			if (known && !known.endTold) known.endUnsure = true;
		}
	}

	/** The first poll. */
	baseline(at: number, sessions: Sessions, items: readonly IDataObject[]): void {
		const { events, emitInitial } = this.settings;
		for (const [id, truth] of sessions) {
			const known = this.enter(id);
			this.baselineIds.add(known);
			known.over = this.isOver(truth);
			const long = this.isLong(truth, at);
			if (long !== 'mustNot') known.longTold = long === 'must';
			if (long === 'may') known.longUnsure = true;
			const tells = emitInitial && !known.over && this.matches(truth);
			const told = (name: string) => items.filter(({ event, sessionId }) => event === name && sessionId === id).length;
			if (told('started') !== Number(tells && events.has('started'))) {
				this.complain(`at first: started ${id} told ${told('started')} times`);
			}
			const longMay = emitInitial && events.has('runningLong') && long !== 'mustNot';
			const longMust = longMay && long === 'must';
			if (told('runningLong') > Number(longMay) || told('runningLong') < Number(longMust)) {
				this.complain(`at first: runningLong ${id} told ${told('runningLong')} times`);
			}
			if (told('ended') + told('failed') > 0) this.complain(`at first: the end of ${id} is reported`);
		}
	}

	/** A later poll: when it began and the items it gave. */
	poll(at: number, sessions: Sessions, items: readonly IDataObject[], sight: Sight): void {
		const told = new Map<string, IDataObject>();
		for (const item of items) {
			const place = `${text(item.event)} ${text(item.sessionId)}`;
			if (told.has(place)) this.complain(`${place} twice at once`);
			told.set(place, item);
		}
		const take = (name: string, id: number): boolean => told.delete(`${name} ${id}`);
		for (const [id, truth] of sessions) {
			if (sight === 'nothing') continue;
			const isFresh = !this.known.has(id);
			if (isFresh && sight === 'lookups') continue;
			const known = this.known.get(id) ?? this.enter(id);
			if (isFresh && this.settings.events.has('started')) known.startPending = true;
			this.checkStart(id, known, truth, sight, take);
			this.checkEnd(id, known, truth, sight, isFresh, take);
			this.checkLong(id, known, truth, at, sight, take);
		}
		for (const place of told.keys()) this.complain(`${place}, which this poll could not see (${sight})`);
	}

	private readonly baselineIds = new Set<Known>();

	private isNew(known: Known): boolean {
		return !this.baselineIds.has(known);
	}

	private checkStart(
		id: number,
		known: Known,
		truth: SessionTruth,
		sight: Sight,
		take: (name: string, id: number) => boolean,
	): void {
		const isTold = take('started', id);
		if (isTold && known.startTold) this.complain(`started ${id} again`);
		if (known.startPending) {
			const certainty = this.certainty(truth, sight);
			this.judge(`started ${id}`, certainty, isTold);
			if (sight !== 'list' || this.settings.energyBelow === undefined) known.startPending = false;
		} else if (isTold && !known.startUnsure) {
			this.complain(`started ${id} without reason`);
		}
		if (!isTold) return;
		known.startTold = true;
		known.startUnsure = known.startPending = false;
	}

	private checkEnd(
		id: number,
		known: Known,
		truth: SessionTruth,
		sight: Sight,
		isFresh: boolean,
		take: (name: string, id: number) => boolean,
	): void {
		const [asFailed, asEnded] = [take('failed', id), take('ended', id)];
		const name = asFailed ? 'failed' : 'ended';
		const isTold = asFailed || asEnded;
		if (asFailed && asEnded) this.complain(`${id} failed and ended`);
		if (isTold && known.endTold) this.complain(`${name} ${id} again`);
		if (known.endUnsure) {
			known.over ||= this.isOver(truth) || isTold;
			if (isTold && !this.follows) this.complain(`${name} ${id} was not asked for`);
			if (isTold) known.endUnsure = false;
		} else if (known.endPending !== undefined) {
			this.settleEnd(id, known, truth, sight, isTold, name);
		} else if (!known.over && this.isOver(truth)) {
			// The list of new sessions may show it too, but how far back that list goes is unknown here.
			if (sight === 'list' && !isFresh) {
				known.endUnsure = !isTold;
				known.over = isTold;
			} else {
				known.over = true;
				known.endPending = this.nameOf(truth.status);
				if (known.endPending !== undefined) this.settleEnd(id, known, truth, sight, isTold, name);
				else if (isTold) this.complain(`${name} ${id} was not asked for`);
			}
		} else if (isTold) {
			this.complain(`${name} ${id} without reason`);
		}
		if (isTold) known.endTold = true;
	}

	private settleEnd(id: number, known: Known, truth: SessionTruth, sight: Sight, isTold: boolean, name: string): void {
		this.judge(`${String(known.endPending)} ${id}`, this.certainty(truth, sight), isTold);
		if (isTold && name !== known.endPending) this.complain(`${name} ${id} instead of ${String(known.endPending)}`);
		if (sight !== 'list' || this.settings.energyBelow === undefined) known.endPending = undefined;
	}

	private checkLong(
		id: number,
		known: Known,
		truth: SessionTruth,
		at: number,
		sight: Sight,
		take: (name: string, id: number) => boolean,
	): void {
		const isTold = take('runningLong', id);
		if (isTold && known.longTold) this.complain(`runningLong ${id} again`);
		if (known.longTold || !this.settings.events.has('runningLong')) {
			if (isTold) this.complain(`runningLong ${id} was not asked for`);
			return;
		}
		// If no other event is reported, the list that came empty is the one for this event.
		const isSeen = sight !== 'lookups' || this.follows || this.settings.events.has('started');
		const long = isSeen ? this.isLong(truth, at) : 'mustNot';
		this.judge(`runningLong ${id}`, known.longUnsure && long === 'must' ? 'may' : long, isTold);
		if (isTold || (long === 'must' && known.longUnsure)) known.longTold = true;
	}

	private judge(what: string, certainty: Certainty, isTold: boolean): void {
		if (certainty === 'must' && !isTold) this.complain(`${what} is lost`);
		if (certainty === 'mustNot' && isTold) this.complain(`${what} must not be told`);
	}

	/** Whether an event of this session is reported now. If it cannot be checked, it waits. */
	private certainty(truth: SessionTruth, sight: Sight): Certainty {
		if (this.settings.energyBelow === undefined) return 'must';
		if (sight === 'list') return 'mustNot';
		return this.matches(truth) ? 'must' : 'mustNot';
	}

	private get follows(): boolean {
		const { events } = this.settings;
		return events.has('ended') || events.has('failed');
	}

	private matches({ energy }: SessionTruth): boolean {
		return this.settings.energyBelow === undefined || energy < this.settings.energyBelow;
	}

	private isOver({ status }: SessionTruth): boolean {
		return this.settings.overCodes.includes(status);
	}

	private nameOf(status: number): string | undefined {
		const { events, endCodes } = this.settings;
		if (events.has('failed') && status === 6) return 'failed';
		return events.has('ended') && endCodes.includes(status) ? 'ended' : undefined;
	}

	private isLong(truth: SessionTruth, at: number): Certainty {
		const over = at - truth.startedAt - this.settings.longMs;
		if (this.isOver(truth) || !this.matches(truth) || over < -UNCERTAIN_MS) return 'mustNot';
		return over > UNCERTAIN_MS ? 'must' : 'may';
	}

	private enter(id: number): Known {
		const known: Known = {
			...{ startPending: false, endPending: undefined, over: false, endUnsure: false, startUnsure: false },
			...{ startTold: false, endTold: false, longTold: false, longUnsure: false },
		};
		this.known.set(id, known);
		return known;
	}
}
