import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { Bench } from '../stationTrigger/support.ts';
import { Overdue } from '../trigger/overdue.ts';
import { OUT_OF_ORDER, points, setPoints, STATUS_CHANGE } from './support.ts';

/** What the model knows of one event, independently of its record in the trigger. */
interface EventRule {
	/** Whether Report Initial State reports it for what was already so before the first poll. */
	isReportedAtFirst: boolean;
	/** Settings of a trigger on this event. */
	parameters: INodeParameters;
	/** What makes it happen to the charge point of a station whose status was 1, in one or two polls. */
	happen: Array<(bench: Bench, station: number) => void>;
}

const breaks = (bench: Bench, station: number) => setPoints(bench, station, points(station, 3));
const works = (bench: Bench, station: number) => setPoints(bench, station, points(station, 1));

/** One rule for each event of the charge point trigger. */
export const RULES: Readonly<Record<string, EventRule>> = {
	outOfOrder: { isReportedAtFirst: true, parameters: OUT_OF_ORDER, happen: [breaks] },
	backInOrder: { isReportedAtFirst: false, parameters: OUT_OF_ORDER, happen: [breaks, works] },
	statusChanged: {
		isReportedAtFirst: true,
		parameters: { ...STATUS_CHANGE, toValues: ['3', '4'] },
		happen: [breaks],
	},
};

/** What is true of one station: the Id and status of each charge point, or without Ids. */
export interface Truth {
	hasIds: boolean;
	/** All have the Id of the first. */
	isDoubled?: boolean;
	/** Instead of a list of charge points. */
	instead?: unknown;
	points: ReadonlyArray<{ id: number; status: unknown }>;
}

/** A status that cannot be read. */
const UNKNOWN = 'unknown';

export interface ModelSettings {
	event: 'statusChange' | 'outOfOrder';
	dwellMs: number;
	/** Whether each poll looks at all stations. */
	isOnePollPerTurn: boolean;
}

/** What one poll saw. */
export interface Seen {
	at: number;
	/** The stations that the list shows; undefined if it could not be read. */
	listed?: ReadonlySet<number>;
	/** Those whose detail was read. */
	looks: ReadonlyMap<number, Truth>;
	/** Those whose detail was asked for and could not be read; whether that certainly counts. */
	refused: ReadonlyMap<number, boolean>;
	/** The messages of failed executions. */
	alerts: readonly string[];
	items: readonly IDataObject[];
}

/** Tolerance between the two clocks when a dwell is just over, in milliseconds. */
const UNCERTAIN_MS = 10_000;

/** How often in a row something was not there, at least and at most: a restart may forget that. */
interface Missed {
	least: number;
	most: number;
}

/** One charge point, as the trigger must know it. */
interface Known {
	settled: string;
	/** Whether its incident was reported; undefined if either may be. */
	reported: boolean | undefined;
	missed: Missed;
	/** The different value it has had since; `sinceRestart` counts only looks after the last restart. */
	run?: { value: string; since: number; sinceRestart: number };
	/** It may have been forgotten: anything goes until this value has lasted. */
	open?: { value: string; since: number };
}

const begin = (settled: string): Known => ({ settled, reported: false, missed: never() });
const never = (): Missed => ({ least: 0, most: 0 });

/**
 * Decides which events a history of polls may and must give, from what each poll saw. It knows nothing of saved state,
 * engines and turns, and treats each charge point separately.
 */
export class Model {
	private readonly known = new Map<number, Map<string, Known>>();
	private readonly away = new Map<number, Missed>();
	private readonly overdue: Overdue;

	constructor(
		private readonly settings: ModelSettings,
		private readonly complain: (what: string) => void,
	) {
		this.overdue = new Overdue(complain);
	}

	/** Whether a whole turn was seen; undefined if that is not certain. */
	private hasBaseline: boolean | undefined = false;

	/** The first poll has seen everything, if a poll sees all stations. */
	begun(): void {
		this.hasBaseline = this.settings.isOnePollPerTurn || undefined;
	}

	/** After a restart, the trigger may count runs, and what is missing, from zero again. */
	restarted(): void {
		this.overdue.mayForget();
		for (const missed of this.away.values()) missed.least = 0;
		for (const points of this.known.values()) {
			for (const known of points.values()) {
				if (known.run) known.run.sinceRestart = Number.POSITIVE_INFINITY;
				if (known.open) known.open = { value: '', since: 0 };
				known.missed.least = 0;
			}
		}
	}

	/** A station has left the list: what was noted of it may be forgotten. */
	left(station: number): void {
		for (const place of this.overdue.places()) if (stationOf(place) === station) this.overdue.noteRead(place, false);
	}

	/** Compares what is said of what cannot be read. */
	private checkOverdue({ at, looks, refused, alerts }: Seen): void {
		for (const [station, isSure] of refused) this.overdue.noteUnread(`${station} whole`, at, isSure && looks.size > 0);
		for (const [station, truth] of looks) {
			// A place is another charge point where there is another number of them.
			const unread = [...this.sightings(truth)].flatMap(([key, value]) =>
				value === UNKNOWN ? [`${station} ${key}`] : [],
			);
			for (const place of unread) this.overdue.noteUnread(place, at, true, `${station} whole`);
			for (const place of this.overdue.places()) {
				if (stationOf(place) === station && !unread.includes(place)) this.overdue.noteRead(place);
			}
		}
		if (looks.size === 0) this.overdue.mayForget();
		this.overdue.check(at, alerts);
	}

	poll(seen: Seen): void {
		this.checkOverdue(seen);
		const { at, listed, looks, items } = seen;
		const rest = new Map<string, IDataObject>();
		const removed = new Map<string, IDataObject>();
		for (const item of items) {
			const place = `${String(item.stationId as number)} ${String(item.chargePointId as string)}`;
			const events = item.removed === true ? removed : rest;
			if (events.has(place)) this.complain(`two events at once for ${place}`);
			events.set(place, item);
		}
		if (listed) for (const station of this.known.keys()) this.noteListed(station, listed.has(station), seen, removed);
		for (const [station, truth] of looks) {
			const points = this.known.get(station) ?? new Map<string, Known>();
			this.known.set(station, points);
			const before = new Map(points);
			const there = this.sightings(truth);
			for (const [key, value] of there) {
				const place = `${station} ${key.split(' ', 1).join()}`;
				const item = rest.get(place);
				rest.delete(place);
				const known = points.get(key);
				if (value === UNKNOWN) {
					if (item) this.complain(`${place}: ${String(item.event as string)} from what cannot be read`);
					if (known) known.missed = never();
					else if (this.settings.event === 'outOfOrder') points.set(key, begin('in order'));
				} else if (known) {
					this.check(place, known, value, at, item);
				} else {
					const fresh = this.first(key, value, before);
					points.set(key, fresh);
					this.check(place, fresh, value, at, item);
				}
			}
			for (const [key, known] of points) {
				if (!there.has(key)) this.noteMissing(station, points, key, known, there.size, removed);
			}
		}
		for (const place of removed.keys()) this.complain(`${place} is said to be gone`);
		for (const place of rest.keys()) this.complain(`an event for ${place}, at which no poll looked`);
	}

	/** A charge point that is new: out of order, it is reported if it was not there before under another name. */
	private first(key: string, value: string, before: ReadonlyMap<string, Known>): Known {
		if (this.settings.event === 'statusChange' || value === 'in order') return begin(value);
		const isPlace = (other: string) => other.startsWith('#');
		const names = [...before.keys()];
		const isTakenOver = names.length > 0 && (isPlace(key) || names.every(isPlace));
		const isCertain = [...before.values()].every(({ open, missed }) => !open && missed.most < 2);
		if (this.hasBaseline === undefined || !isCertain) return { ...begin(value), open: { value: '', since: 0 } };
		return begin(this.hasBaseline && !isTakenOver ? 'in order' : value);
	}

	/** A station that two polls in a row do not find is forgotten. One whose end must be told is asked for by its Id. */
	private noteListed(
		station: number,
		isListed: boolean,
		{ looks, refused }: Seen,
		removed: Map<string, IDataObject>,
	): void {
		const missed = this.away.get(station) ?? never();
		this.away.set(station, missed);
		if (looks.has(station)) Object.assign(missed, never());
		else if (isListed || refused.has(station)) missed.least = 0;
		else count(missed, this.settings.isOnePollPerTurn);
		if (missed.most < 2) return;
		const isCertain = missed.least >= 2;
		for (const [key, known] of this.known.get(station) ?? []) {
			this.checkEnd(station, key, known, isCertain, removed);
			if (!isCertain) anythingGoes(known);
		}
		if (!isCertain) return;
		this.known.delete(station);
		this.away.delete(station);
	}

	/** A place is gone once there is another number of charge points; one with an Id once two looks in a row miss it. */
	private noteMissing(
		station: number,
		points: Map<string, Known>,
		key: string,
		known: Known,
		there: number,
		removed: Map<string, IDataObject>,
	): void {
		count(known.missed, true);
		const isCertain = known.missed.least >= 2 || (key.startsWith('#') && there > 0);
		if (!isCertain && known.missed.most < 2) return;
		this.checkEnd(station, key, known, isCertain, removed);
		if (isCertain) points.delete(key);
		else anythingGoes(known);
	}

	/** What was reported of a charge point that is gone ends with an event. */
	private checkEnd(
		station: number,
		key: string,
		{ settled, reported, open }: Known,
		isCertain: boolean,
		removed: Map<string, IDataObject>,
	): void {
		const place = `${station} ${key.split(' ', 1).join()}`;
		const isKnown = open === undefined && reported !== undefined;
		const isOpen = settled === 'out of order' && reported !== false;
		const isTold = removed.delete(place);
		if (isTold && isKnown && !isOpen) this.complain(`${place}: the end of what was never reported`);
		if (!isTold && isKnown && isOpen && isCertain) this.complain(`${place}: its end is lost`);
	}

	private sightings({ hasIds, isDoubled, points }: Truth): Map<string, string> {
		const areOwn = hasIds && !(isDoubled && points.length > 1);
		const valueOf = (status: unknown) => {
			if (typeof status !== 'number') return UNKNOWN;
			return this.settings.event === 'statusChange' ? String(status) : status >= 3 ? 'out of order' : 'in order';
		};
		return new Map(
			points.map(({ id, status }, index) => [
				areOwn ? String(id) : `#${index + 1} of ${points.length}`,
				valueOf(status),
			]),
		);
	}

	private check(place: string, known: Known, value: string, at: number, item: IDataObject | undefined): void {
		known.missed = never();
		if (known.open) return this.checkOpen(place, known, value, at, item);
		if (known.settled === value) {
			if (item)
				this.complain(`${place}: ${String(item.event as string)} although there is nothing to report (${value})`);
			known.run = undefined;
			return;
		}
		if (known.run?.value !== value) known.run = { value, since: at, sinceRestart: at };
		known.run.sinceRestart = Math.min(known.run.sinceRestart, at);
		const isEnd = value === 'in order';
		const dwell = isEnd ? 0 : this.settings.dwellMs;
		const mayBeSilent = isEnd && known.reported !== true;
		if (item) {
			if (isEnd && known.reported === false) this.complain(`${place}: the end of what was never reported`);
			const lasted = at - known.run.since;
			if (lasted < dwell - UNCERTAIN_MS)
				this.complain(`${place}: ${String(item.event as string)} after only ${lasted} ms`);
			this.compare(place, known.settled, value, item);
			settle(known, value);
		} else if (mayBeSilent) {
			settle(known, value);
		} else if (at - known.run.sinceRestart >= dwell + (dwell > 0 ? UNCERTAIN_MS : 0)) {
			this.complain(`${place}: ${known.settled} > ${value} is lost, first seen ${at - known.run.sinceRestart} ms ago`);
		}
	}

	/** Once a value has lasted, it is settled, however it came to be known. */
	private checkOpen(place: string, known: Known, value: string, at: number, item: IDataObject | undefined): void {
		if (item && this.settings.event === 'outOfOrder') this.compare(place, '', value, item);
		if (known.open?.value !== value) known.open = { value, since: at };
		if (at - known.open.since < this.settings.dwellMs + UNCERTAIN_MS) return;
		Object.assign(known, { settled: value, reported: undefined, run: undefined, open: undefined });
	}

	private compare(place: string, from: string, to: string, item: IDataObject): void {
		const isStatus = this.settings.event === 'statusChange';
		const told = isStatus
			? `${String(item.from as number)} > ${String(item.to as number)}`
			: String(item.event as string);
		const expected = isStatus ? `${from} > ${to}` : to === 'in order' ? 'backInOrder' : 'outOfOrder';
		if (told !== expected) this.complain(`${place}: ${told} instead of ${expected}`);
	}
}

const stationOf = (place: string) => Number.parseInt(place, 10);

function count(missed: Missed, isCertain: boolean): void {
	missed.most++;
	if (isCertain) missed.least++;
}

function settle(known: Known, value: string): void {
	known.settled = value;
	known.reported = value === 'out of order';
	known.run = undefined;
}

function anythingGoes(known: Known): void {
	known.open ??= { value: '', since: 0 };
}
