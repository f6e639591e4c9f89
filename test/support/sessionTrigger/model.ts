import uniq from 'lodash/uniq.js';

import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { Sight } from '../stationTrigger/history.ts';
import { text } from '../stationTrigger/support.ts';
import { IncidentModel, type IncidentRule } from './incidentModel.ts';
import { FAILED, FINISHED, HOUR, type SessionBench } from './support.ts';

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
	stalledMs: number;
	/** Only sessions with less energy than this are reported. */
	energyBelow: number | undefined;
	emitInitial: boolean;
}

/** What the model knows of one event, independently of its record in the trigger. */
interface EventRule {
	/** Whether Report Initial State reports it for what was already so before the first poll. */
	isReportedAtFirst: boolean;
	/** Settings of a trigger on this event, and what makes it happen to a session, with a poll after each step. */
	parameters?: INodeParameters;
	happen: Array<(bench: SessionBench, id: number) => void>;
	/** If it is an end: whether a session with this status has ended so. The first such rule decides. */
	isEnd?: (status: number, settings: SessionModelSettings) => boolean;
	/** If it is a state that sessions can be in: for how long a session has been in it, in milliseconds; negative if not. */
	inStateFor?: (truth: SessionTruth, at: number, settings: SessionModelSettings) => number;
	/** If it is the begin or the end of something that an open session comes into and leaves: what that is. */
	incident?: IncidentRule;
}

function chargeAllBut({ platform: { db } }: SessionBench, id: number): void {
	db.exec(`UPDATE sessions SET EnergyConsumed = EnergyConsumed + 1 WHERE Id <> ${id}`);
}

/** Energy that does not rise. */
const STALL: IncidentRule = {
	begins: 'stalled',
	ends: 'resumed',
	valueOf: ({ energy }) => energy,
	isSo: (energy, before = energy) => energy <= before,
	afterMs: ({ stalledMs }) => stalledMs,
};

/** One rule for each event of the session trigger. */
export const RULES: Readonly<Record<string, EventRule>> = {
	started: {
		isReportedAtFirst: true,
		happen: [(bench, id) => bench.start(id)],
	},
	failed: {
		isReportedAtFirst: false,
		happen: [(bench, id) => bench.become(FAILED, id)],
		isEnd: (status) => status === 6,
	},
	ended: {
		isReportedAtFirst: false,
		happen: [(bench, id) => bench.become(FINISHED, id)],
		isEnd: (status, { endCodes }) => endCodes.includes(status),
	},
	runningLong: {
		isReportedAtFirst: true,
		parameters: { runningHours: 2 },
		happen: [(bench, id) => bench.startedAgo(3 * HOUR, id)],
		inStateFor: ({ startedAt }, at, { longMs }) => at - startedAt - longMs,
	},
	stalled: {
		isReportedAtFirst: false,
		parameters: { stalledMinutes: 3 },
		happen: [chargeAllBut],
		incident: STALL,
	},
	resumed: {
		isReportedAtFirst: false,
		parameters: { stalledMinutes: 3 },
		happen: [chargeAllBut, (bench, id) => bench.energy(100, id)],
		incident: STALL,
	},
};

const ENDS = Object.entries(RULES).flatMap(
	([name, { isEnd }]): Array<[string, NonNullable<typeof isEnd>]> => (isEnd ? [[name, isEnd]] : []),
);
const STATES = Object.entries(RULES).flatMap(([name, { inStateFor, isReportedAtFirst }]) =>
	inStateFor ? [{ name, inStateFor, isReportedAtFirst }] : [],
);

const INCIDENTS = uniq(Object.values(RULES).flatMap(({ incident }) => incident ?? []));

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
}

/** Names of the states of a session that were reported, and of those that may or may not have been. */
interface KnownStates {
	told: Set<string>;
	unsure: Set<string>;
}

/**
 * Decides which events a history of polls may and must give, from what each poll could see. It knows nothing of saved
 * state, engines, pages and requests, and treats each session separately.
 */
export class SessionModel {
	private readonly known = new Map<number, Known>();
	/** Apart from `known`: each state has a reading of its own, which may find a session before the list of new ones. */
	private readonly states = new Map<number, KnownStates>();
	private readonly incidents: readonly IncidentModel[];

	constructor(
		private readonly settings: SessionModelSettings,
		private readonly complain: (what: string) => void,
	) {
		this.incidents = INCIDENTS.map((rule) => new IncidentModel(rule, settings, complain));
	}

	knows(id: number): boolean {
		return this.known.has(id);
	}

	/**
	 * After a restart, whatever raised no event may have been forgotten and may raise one now.
	 *
	 * @param hidden sessions that the platform does not show at the moment
	 * @param keepsNotes whether nothing is forgotten but what only the process knew
	 */
	restarted(hidden: Iterable<number>, keepsNotes: boolean): void {
		for (const model of this.incidents) model.restarted();
		if (keepsNotes) return;
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
			const tells = emitInitial && !known.over && this.matches(truth);
			const told = (name: string) => items.filter(({ event, sessionId }) => event === name && sessionId === id).length;
			if (told('started') !== Number(tells && events.has('started'))) {
				this.complain(`at first: started ${id} told ${told('started')} times`);
			}
			for (const { name, isReportedAtFirst, ...state } of STATES) {
				const certainty = this.isIn(state, truth, at);
				if (certainty === 'must') this.statesOf(id).told.add(name);
				if (certainty === 'may') this.statesOf(id).unsure.add(name);
				const may = emitInitial && isReportedAtFirst && events.has(name) && certainty !== 'mustNot';
				if (told(name) > Number(may) || told(name) < Number(may && certainty === 'must')) {
					this.complain(`at first: ${name} ${id} told ${told(name)} times`);
				}
			}
			if (ENDS.some(([name]) => told(name) > 0)) this.complain(`at first: the end of ${id} is reported`);
			const seen = { sight: 'all', isOver: known.over, isFirst: true } as const;
			for (const model of this.incidents) model.see(id, truth, at, seen, (name) => told(name) > 0);
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
			for (const state of STATES) this.checkState(state, id, truth, at, sight, take);
			const isFresh = !this.known.has(id);
			if (isFresh && sight === 'lookups') continue;
			const known = this.known.get(id) ?? this.enter(id);
			if (isFresh && this.settings.events.has('started')) known.startPending = true;
			this.checkStart(id, known, truth, sight, take);
			this.checkEnd(id, known, truth, sight, isFresh, take);
			const seen = { sight: isFresh ? 'all' : sight, isOver: this.isOver(truth), waits: sight === 'list' } as const;
			for (const model of this.incidents) model.see(id, truth, at, seen, (name) => take(name, id));
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
		const names = ENDS.map(([name]) => name).filter((name) => take(name, id));
		const [name = ''] = names;
		const isTold = names.length > 0;
		if (names.length > 1) this.complain(`${id}: ${names.join(' and ')}`);
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

	private checkState(
		{ name, ...state }: (typeof STATES)[number],
		id: number,
		truth: SessionTruth,
		at: number,
		sight: Sight,
		take: (name: string, id: number) => boolean,
	): void {
		const known = this.statesOf(id);
		const isTold = take(name, id);
		if (isTold && known.told.has(name)) this.complain(`${name} ${id} again`);
		if (known.told.has(name) || !this.settings.events.has(name)) {
			if (isTold) this.complain(`${name} ${id} was not asked for`);
			return;
		}
		// If no other event is reported, the list that came empty is the one for the first of these.
		const isFirstRead = STATES.find((other) => this.settings.events.has(other.name))?.name === name;
		const isSeen = sight !== 'lookups' || this.follows || this.settings.events.has('started') || !isFirstRead;
		const certainty = isSeen ? this.isIn(state, truth, at) : 'mustNot';
		const isUnsure = certainty === 'must' && known.unsure.has(name);
		this.judge(`${name} ${id}`, isUnsure ? 'may' : certainty, isTold);
		if (isTold || isUnsure) known.told.add(name);
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
		return Object.entries(RULES).some(
			([name, { isEnd, incident }]) => (isEnd ?? incident) !== undefined && this.settings.events.has(name),
		);
	}

	private matches({ energy }: SessionTruth): boolean {
		return this.settings.energyBelow === undefined || energy < this.settings.energyBelow;
	}

	private isOver({ status }: SessionTruth): boolean {
		return this.settings.overCodes.includes(status);
	}

	private nameOf(status: number): string | undefined {
		const { settings } = this;
		return ENDS.find(([name, isEnd]) => settings.events.has(name) && isEnd(status, settings))?.[0];
	}

	private isIn(
		{ inStateFor }: Pick<(typeof STATES)[number], 'inStateFor'>,
		truth: SessionTruth,
		at: number,
	): Certainty {
		const ms = inStateFor(truth, at, this.settings);
		if (this.isOver(truth) || !this.matches(truth) || ms < -UNCERTAIN_MS) return 'mustNot';
		return ms > UNCERTAIN_MS ? 'must' : 'may';
	}

	private statesOf(id: number): KnownStates {
		const states = this.states.get(id) ?? { told: new Set(), unsure: new Set() };
		this.states.set(id, states);
		return states;
	}

	private enter(id: number): Known {
		const known: Known = {
			...{ startPending: false, endPending: undefined, over: false, endUnsure: false, startUnsure: false },
			...{ startTold: false, endTold: false },
		};
		this.known.set(id, known);
		return known;
	}
}
