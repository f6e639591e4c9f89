import type { IDataObject } from 'n8n-workflow';

import type { Judged } from '../trigger/history.ts';
import { EventIds } from '../trigger/judging.ts';
import { text } from '../trigger/events.ts';

/** The true state of a session at a moment. Its energy never falls, and what is over stays so. */
export interface Truth {
	status: number;
	energy: number;
	/** Milliseconds since 1970. */
	startedAt: number;
}

export interface ModelSettings {
	events: ReadonlySet<string>;
	/** The event that reports an end with this code, chosen or not; undefined for other ends. */
	endOf(status: number): string | undefined;
	overCodes: readonly number[];
	longMs: number;
	stalledMs: number;
	matches(truth: Truth): boolean;
	reportsFirst: boolean;
}

/** The events that it knows. Others are left to tests of their own. */
export const EVENTS = ['started', 'failed', 'ended', 'runningLong', 'stalled', 'resumed'];

type Certainty = 'must' | 'may' | 'mustNot';

/** What the trigger must know of one session. */
interface Known {
	isOver: boolean;
	/** Whether its start was told, or need not be. After a restart, a start that was not saved may be told after all. */
	isStartTold: boolean;
	mayStart: boolean;
	energy: number;
	/** Since when it has not risen: at the earliest, and as far as the process certainly knows. */
	since: number;
	sureSince: number;
	isStalled: Certainty;
}

/** Tolerance between the two clocks when a time is just over, in milliseconds. */
const UNCERTAIN_MS = 10_000;

/** Decides which events each poll must give, from what it could see. It knows nothing of saved state, engines and requests. */
export class SessionModel {
	private known = new Map<number, Known>();
	private long = new Map<number, Certainty>();
	private saved: { known: Map<number, Known>; long: Map<number, Certainty> } | undefined;
	private told = new Map<string, IDataObject>();
	private readonly ids: EventIds;

	constructor(
		private readonly settings: ModelSettings,
		private readonly complain: (what: string) => void,
	) {
		this.ids = new EventIds(({ event, sessionId }) => `${text(event)} ${text(sessionId)}`, complain);
	}

	/** The first poll notes how things are, or reports it. */
	begin(at: number, sessions: ReadonlyMap<number, Truth>, items: readonly IDataObject[]): void {
		const { settings } = this;
		this.listen(items);
		for (const [id, truth] of sessions) {
			const known = this.enter(id, truth, at);
			if (!known.isOver && settings.reportsFirst)
				this.expect('started', id, settings.matches(truth) ? 'must' : 'mustNot');
			const isLong = this.isLong(truth, at);
			if (settings.reportsFirst) this.expect('runningLong', id, isLong);
			this.long.set(id, isLong);
		}
		this.finish(items, false);
	}

	judge({ at, sight, items, isStart, isLost }: Judged, sessions: ReadonlyMap<number, Truth>): void {
		if (this.saved) ({ known: this.known, long: this.long } = this.saved);
		this.saved = isLost ? { known: structuredClone(this.known), long: new Map(this.long) } : undefined;
		if (isStart) {
			for (const known of this.known.values()) {
				known.sureSince = Number.POSITIVE_INFINITY;
				known.mayStart = !known.isStartTold;
			}
		}
		this.listen(items);
		for (const [id, truth] of sight === 'nothing' ? [] : sessions) {
			if (sight === 'all') this.seeLong(id, truth, at);
			// A process that begins may not know yet which sessions to look up.
			const isSeen = !isStart || sight === 'all' || [...this.told.keys()].some((what) => what.endsWith(` ${id}`));
			if (isSeen) this.see(id, truth, at, sight === 'all');
		}
		this.finish(items, isLost);
	}

	private see(id: number, truth: Truth, at: number, isListed: boolean): void {
		const certainty = this.settings.matches(truth) ? 'must' : 'mustNot';
		let known = this.known.get(id);
		if (!known) {
			if (!isListed) return;
			known = { ...this.enter(id, truth, at), isOver: false, isStartTold: certainty === 'must' };
			this.known.set(id, known);
			this.expect('started', id, certainty);
		} else if (isListed) {
			if (known.mayStart && certainty === 'must') known.isStartTold = this.expect('started', id, 'may');
			known.mayStart = false;
		}
		if (known.isOver) return;
		known.isOver = this.isOver(truth);
		const end = this.settings.endOf(truth.status);
		if (known.isOver && end !== undefined) this.expect(end, id, certainty);
		if (!known.isOver) this.seeEnergy(id, known, truth.energy, at, certainty);
	}

	private seeEnergy(id: number, known: Known, energy: number, at: number, certainty: Certainty): void {
		known.sureSince = Math.min(known.sureSince, at);
		if (energy > known.energy) {
			if (known.isStalled !== 'mustNot') this.expect('resumed', id, certainty === 'must' ? known.isStalled : certainty);
			Object.assign(known, { energy, since: at, sureSince: at, isStalled: 'mustNot' });
			return;
		}
		if (known.isStalled === 'must') return;
		const { stalledMs } = this.settings;
		const isSure = at - known.sureSince >= stalledMs + UNCERTAIN_MS;
		const isDue = isSure ? 'must' : at - known.since >= stalledMs - UNCERTAIN_MS ? 'may' : 'mustNot';
		const isTellable = certainty === 'must' && this.settings.events.has('stalled');
		// It may have stalled unseen by the filter.
		const isTold = isTellable && this.expect('stalled', id, known.isStalled === 'may' ? 'may' : isDue);
		if (isTold || isDue === 'must') known.isStalled = 'must';
		else if (isDue === 'may' && !isTellable) known.isStalled = 'may';
	}

	private seeLong(id: number, truth: Truth, at: number): void {
		const known = this.long.get(id) ?? 'mustNot';
		if (known === 'must') return;
		const isLong = this.isLong(truth, at);
		const isTold = this.expect('runningLong', id, known === 'may' && isLong === 'must' ? 'may' : isLong);
		if (isTold || isLong === 'must') this.long.set(id, 'must');
	}

	private isLong(truth: Truth, at: number): Certainty {
		const ms = at - truth.startedAt - this.settings.longMs;
		if (this.isOver(truth) || !this.settings.matches(truth) || ms < -UNCERTAIN_MS) return 'mustNot';
		return ms > UNCERTAIN_MS ? 'must' : 'may';
	}

	private isOver({ status }: Truth): boolean {
		return this.settings.overCodes.includes(status);
	}

	private enter(id: number, truth: Truth, at: number): Known {
		const { energy } = truth;
		const known: Known = {
			...{ isOver: this.isOver(truth), isStartTold: true, mayStart: false },
			...{ energy, since: at, sureSince: at, isStalled: 'mustNot' },
		};
		this.known.set(id, known);
		return known;
	}

	private listen(items: readonly IDataObject[]): void {
		this.told = new Map(items.map((item) => [`${text(item.event)} ${text(item.sessionId)}`, item]));
		if (this.told.size < items.length) this.complain('one event twice at once');
	}

	/** @returns whether it was told */
	private expect(name: string, id: number, certainty: Certainty): boolean {
		if (certainty === 'mustNot' || !this.settings.events.has(name)) return false;
		const isTold = this.told.delete(`${name} ${id}`);
		if (!isTold && certainty === 'must') this.complain(`${name} ${id} is lost`);
		return isTold;
	}

	private finish(items: readonly IDataObject[], isLost: boolean): void {
		for (const what of this.told.keys()) this.complain(`${what} although nothing happened`);
		this.ids.check(items, isLost);
	}
}
