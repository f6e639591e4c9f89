import isEqual from 'lodash/isEqual.js';
import uniqWith from 'lodash/uniqWith.js';

import type { Sight } from '../stationTrigger/history.ts';
import type { SessionModelSettings, SessionTruth } from './model.ts';

/** How the trigger may see one session. Several may be possible at once: which one is right, its events show. */
interface Possible {
	isOver: boolean;
	/**
	 * The value since when this process has seen it so without a break; undefined if it is not so, or not seen yet. And the
	 * last lower values that followed it.
	 */
	standing?: { value: number; since: number; lower: readonly number[] };
	/** The value at which the incident that lasts began. */
	openAt?: number;
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
	/** Whether what is already so is no news. */
	isFirst?: boolean;
}

/** What begins and ends while a session is open. */
export interface IncidentRule {
	/** The events of its begin, and of its end if there is one. */
	begins: string;
	ends?: string;
	/** Whether a session is so, and the value that decides. @param before the value at which that began, unless it begins now */
	valueOf(truth: SessionTruth): number;
	isSo(value: number, before?: number): boolean;
	/** For how long it must have been so. */
	afterMs(settings: SessionModelSettings): number;
}

/** Decides which sessions come into a state and leave it. It keeps every way in which the trigger may have seen a session. */
export class IncidentModel {
	private readonly sessions = new Map<number, Possible[]>();
	/** Sessions that the process may not know to be open any more, until it reads the list again: it may not look them up. */
	private readonly forgotten = new Set<number>();

	private readonly names: readonly string[];

	constructor(
		private readonly rule: IncidentRule,
		private readonly settings: SessionModelSettings,
		private readonly complain: (what: string) => void,
	) {
		this.names = [rule.begins, ...(rule.ends === undefined ? [] : [rule.ends])];
	}

	/** The minutes begin again. That a session is over may have been forgotten if it raised no event. */
	restarted(): void {
		for (const [id, ways] of this.sessions) {
			const after = ways.flatMap(({ isOver, openAt, waiting }): Possible[] => {
				const open = { isOver: false, openAt, waiting };
				return isOver ? [{ isOver, waiting }, open, { ...open, openAt: undefined }] : [open];
			});
			this.sessions.set(id, uniqWith(after, isEqual));
			this.forgotten.add(id);
		}
	}

	/** A poll that sees the session, or may see it. @param take whether an event of this name was given */
	see(id: number, truth: SessionTruth, at: number, seen: Seen, take: (name: string) => boolean): void {
		const told = this.names.filter(take).join();
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

	private after(way: Possible, truth: SessionTruth, at: number, { isOver, isFirst }: Seen): Possible {
		if (way.isOver || isOver) return { ...way, isOver: true };
		const { rule } = this;
		const { begins, ends } = rule;
		const value = rule.valueOf(truth);
		const known = way.standing ?? (way.openAt === undefined ? undefined : { value: way.openAt, since: at, lower: [] });
		const lower = known && lowerValues(known, value);
		const goesOn = lower !== undefined && known !== undefined && rule.isSo(value, known.value) && !isNewCount(lower);
		const lasts = way.openAt !== undefined && goesOn;
		const hasEnded = way.openAt !== undefined && !lasts;
		const waiting = [...way.waiting, ...(hasEnded && ends !== undefined ? [ends] : [])];
		const fresh = rule.isSo(value) ? { value, since: at, lower: [] } : undefined;
		const standing = goesOn ? { ...known, lower } : fresh;
		if (lasts) return { ...way, standing };
		const begun = standing !== undefined && at - standing.since >= rule.afterMs(this.settings);
		const news = begun && !isFirst ? [begins] : [];
		return { ...way, standing, openAt: begun ? standing.value : undefined, waiting: [...waiting, ...news] };
	}

	private handOver(way: Possible, { energy }: SessionTruth, waits: boolean): { given: string[]; way: Possible } {
		const { events, energyBelow } = this.settings;
		if (energyBelow !== undefined && waits) return { given: [], way };
		const matches = energyBelow === undefined || energy < energyBelow;
		const given = this.names.filter((name) => matches && events.has(name) && way.waiting.includes(name));
		return { given, way: { ...way, waiting: [] } };
	}
}

/** The last three different values below the one at which it stands. */
function lowerValues({ value: before, lower }: NonNullable<Possible['standing']>, value: number): readonly number[] {
	if (value >= before) return [];
	return value === lower.at(-1) ? lower : [...lower, value].slice(-3);
}

/** A counter that has fallen and then rises twice counts anew. */
function isNewCount([first = 0, second = 0, third = 0]: readonly number[]): boolean {
	return first < second && second < third;
}
