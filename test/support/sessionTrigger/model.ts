import type { IDataObject } from 'n8n-workflow';

import type { Judged } from '../trigger/history.ts';
import { type Certainty, hasLasted, Judge, type Lasting } from '../trigger/judging.ts';
import { text } from '../trigger/events.ts';
import type { Truth } from './changes.ts';

interface ModelSettings {
	events: ReadonlySet<string>;
	/** The event that reports an end with this code, chosen or not; undefined for other ends. */
	endOf(status: number): string | undefined;
	isOver(truth: Truth): boolean;
	longMs: number;
	stalledMs: number;
	matches(truth: Truth): boolean;
	reportsFirst: boolean;
}

/** What the trigger must know of one session, and since when its energy has not risen. */
interface Known extends Lasting {
	isOver: boolean;
	/** Whether its start was told, or need not be. After a restart, a start that was not saved may be told after all. */
	isStartTold: boolean;
	mayStart: boolean;
	energy: number;
	isStalled: Certainty;
}

/** It knows nothing of saved state, engines and requests. */
export class SessionModel extends Judge<{ sessions: Map<number, Known>; long: Map<number, Certainty> }> {
	/** What started before that is not new: where it comes into view later, its Id is lower than all. */
	private border = 0;

	constructor(
		private readonly settings: ModelSettings,
		complain: (what: string) => void,
	) {
		super({ sessions: new Map(), long: new Map() }, complain);
	}

	/** The first poll notes how things are, or reports it. */
	begin(at: number, sessions: ReadonlyMap<number, Truth>, items: IDataObject[]): void {
		const { settings } = this;
		this.beginAgain(at, sessions);
		this.accountFor({ at, items, sight: 'all', isStart: false, isLost: false }, () => {
			for (const [id, truth] of settings.reportsFirst ? sessions : []) {
				const isOpen = this.state.sessions.get(id)?.isOver === false;
				if (isOpen) this.tells('started', id, settings.matches(truth) ? 'must' : 'mustNot');
				this.tells('runningLong', id, this.isLong(truth, at));
			}
		});
	}

	/** How things are is noted, and nothing is known of before. */
	beginAgain(at: number, sessions: ReadonlyMap<number, Truth>): void {
		this.state = { sessions: new Map(), long: new Map() };
		this.border = at - 60_000;
		for (const [id, truth] of sessions) {
			this.enter(id, truth, at);
			this.state.long.set(id, this.isLong(truth, at));
		}
	}

	judge(poll: Judged, sessions: ReadonlyMap<number, Truth>, seesLong = true): void {
		const { at, sight, isStart } = poll;
		this.accountFor(poll, () => {
			if (isStart) for (const known of this.state.sessions.values()) known.mayStart = !known.isStartTold;
			for (const [id, truth] of sight === 'nothing' ? [] : sessions) {
				if (sight === 'all' && seesLong) this.seeLong(id, truth, at);
				// A process that begins may not know yet which sessions to look up.
				const isSeen = !isStart || sight === 'all' || [...this.told.keys()].some((what) => what.endsWith(` ${id}`));
				if (isSeen) this.see(id, truth, at, sight === 'all');
			}
		});
	}

	protected placeOf({ event, sessionId }: IDataObject): string {
		return `${text(event)} ${text(sessionId)}`;
	}

	protected waits(): Iterable<Lasting> {
		return this.state.sessions.values();
	}

	private see(id: number, truth: Truth, at: number, isListed: boolean): void {
		const certainty = this.settings.matches(truth) ? 'must' : 'mustNot';
		let known = this.state.sessions.get(id);
		if (!known) {
			if (!isListed) return;
			known = this.enter(id, truth, at);
			const isOld = truth.startedAt < this.border;
			Object.assign(known, { isOver: isOld, isStartTold: isOld || certainty === 'must' });
			if (isOld) return;
			this.tells('started', id, certainty);
		} else if (isListed) {
			if (known.mayStart && certainty === 'must') known.isStartTold = this.tells('started', id, 'may');
			known.mayStart = false;
		}
		if (known.isOver) return;
		known.isOver = this.settings.isOver(truth);
		const end = this.settings.endOf(truth.status);
		if (known.isOver && end !== undefined) this.tells(end, id, certainty);
		if (!known.isOver) this.seeEnergy(id, known, truth.energy, at, certainty);
	}

	private seeEnergy(id: number, known: Known, energy: number, at: number, certainty: Certainty): void {
		if (energy > known.energy) {
			if (known.isStalled !== 'mustNot') this.tells('resumed', id, certainty === 'must' ? known.isStalled : certainty);
			Object.assign(known, { energy, since: at, sureSince: at, isStalled: 'mustNot' });
			return;
		}
		const isDue = hasLasted(known, at, this.settings.stalledMs);
		if (known.isStalled === 'must') return;
		const isTellable = certainty === 'must' && this.settings.events.has('stalled');
		// It may have stalled unseen by the filter.
		const isTold = isTellable && this.tells('stalled', id, known.isStalled === 'may' ? 'may' : isDue);
		if (isTold || isDue === 'must') known.isStalled = 'must';
		else if (isDue === 'may' && !isTellable) known.isStalled = 'may';
	}

	private seeLong(id: number, truth: Truth, at: number): void {
		const known = this.state.long.get(id) ?? 'mustNot';
		if (known === 'must') return;
		const isLong = this.isLong(truth, at);
		const isTold = this.tells('runningLong', id, known === 'may' && isLong === 'must' ? 'may' : isLong);
		if (isTold || isLong === 'must') this.state.long.set(id, 'must');
	}

	private isLong(truth: Truth, at: number): Certainty {
		if (this.settings.isOver(truth) || !this.settings.matches(truth)) return 'mustNot';
		return hasLasted({ since: truth.startedAt, sureSince: truth.startedAt }, at, this.settings.longMs);
	}

	private enter(id: number, truth: Truth, at: number): Known {
		const known: Known = {
			isOver: this.settings.isOver(truth),
			isStartTold: true,
			mayStart: false,
			energy: truth.energy,
			since: at,
			sureSince: at,
			isStalled: 'mustNot',
		};
		this.state.sessions.set(id, known);
		return known;
	}

	/** @returns whether it was told */
	private tells(name: string, id: number, certainty: Certainty): boolean {
		return this.settings.events.has(name) && this.expect(`${name} ${id}`, certainty) !== undefined;
	}
}
