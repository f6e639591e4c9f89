import type { IDataObject } from 'n8n-workflow';

import type { Judged } from '../trigger/history.ts';
import { Judge, UNCERTAIN_MS } from '../trigger/judging.ts';
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

/** It knows nothing of saved state, engines and requests. */
export class SessionModel extends Judge<{ sessions: Map<number, Known>; long: Map<number, Certainty> }> {
	constructor(
		private readonly settings: ModelSettings,
		complain: (what: string) => void,
	) {
		super({ sessions: new Map(), long: new Map() }, complain);
	}

	/** The first poll notes how things are, or reports it. */
	begin(at: number, sessions: ReadonlyMap<number, Truth>, items: IDataObject[]): void {
		const { settings } = this;
		this.accountFor({ at, items, sight: 'all', isStart: false, isLost: false }, () => {
			for (const [id, truth] of sessions) {
				const known = this.enter(id, truth, at);
				if (!known.isOver && settings.reportsFirst)
					this.expect('started', id, settings.matches(truth) ? 'must' : 'mustNot');
				const isLong = this.isLong(truth, at);
				if (settings.reportsFirst) this.expect('runningLong', id, isLong);
				this.state.long.set(id, isLong);
			}
		});
	}

	judge(poll: Judged, sessions: ReadonlyMap<number, Truth>): void {
		const { at, sight, isStart } = poll;
		this.accountFor(poll, () => {
			for (const [id, truth] of sight === 'nothing' ? [] : sessions) {
				if (sight === 'all') this.seeLong(id, truth, at);
				// A process that begins may not know yet which sessions to look up.
				const isSeen = !isStart || sight === 'all' || [...this.told.keys()].some((what) => what.endsWith(` ${id}`));
				if (isSeen) this.see(id, truth, at, sight === 'all');
			}
		});
	}

	protected placeOf({ event, sessionId }: IDataObject): string {
		return `${text(event)} ${text(sessionId)}`;
	}

	protected restart(): void {
		for (const known of this.state.sessions.values()) {
			known.sureSince = Number.POSITIVE_INFINITY;
			known.mayStart = !known.isStartTold;
		}
	}

	private see(id: number, truth: Truth, at: number, isListed: boolean): void {
		const certainty = this.settings.matches(truth) ? 'must' : 'mustNot';
		let known = this.state.sessions.get(id);
		if (!known) {
			if (!isListed) return;
			known = { ...this.enter(id, truth, at), isOver: false, isStartTold: certainty === 'must' };
			this.state.sessions.set(id, known);
			this.expect('started', id, certainty);
		} else if (isListed) {
			if (known.mayStart && certainty === 'must') known.isStartTold = this.expect('started', id, 'may');
			known.mayStart = false;
		}
		if (known.isOver) return;
		known.isOver = this.settings.isOver(truth);
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
		const known = this.state.long.get(id) ?? 'mustNot';
		if (known === 'must') return;
		const isLong = this.isLong(truth, at);
		const isTold = this.expect('runningLong', id, known === 'may' && isLong === 'must' ? 'may' : isLong);
		if (isTold || isLong === 'must') this.state.long.set(id, 'must');
	}

	private isLong(truth: Truth, at: number): Certainty {
		const ms = at - truth.startedAt - this.settings.longMs;
		if (this.settings.isOver(truth) || !this.settings.matches(truth) || ms < -UNCERTAIN_MS) return 'mustNot';
		return ms > UNCERTAIN_MS ? 'must' : 'may';
	}

	private enter(id: number, truth: Truth, at: number): Known {
		const { energy } = truth;
		const known: Known = {
			...{ isOver: this.settings.isOver(truth), isStartTold: true, mayStart: false },
			...{ energy, since: at, sureSince: at, isStalled: 'mustNot' },
		};
		this.state.sessions.set(id, known);
		return known;
	}

	/** @returns whether it was told */
	private expect(name: string, id: number, certainty: Certainty): boolean {
		if (certainty === 'mustNot' || !this.settings.events.has(name)) return false;
		const isTold = this.take(`${name} ${id}`) !== undefined;
		if (!isTold && certainty === 'must') this.complain(`${name} ${id} is lost`);
		return isTold;
	}
}
