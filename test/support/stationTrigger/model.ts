import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { StationChoice } from '../../../nodes/ChargingStationStatusTrigger/events';
import type { Sight } from './history.ts';
import { Overdue } from '../trigger/overdue.ts';
import type { Bench } from './support.ts';
import { statusFilter, text } from './values.ts';

/** The true statuses of one station at a moment. */
export interface Truth {
	network: number | Odd;
	status: number | Odd;
	hardware: number | Odd | null;
}

/** A status that cannot be read. */
export const ODD = 'odd';
type Odd = typeof ODD;

export type Fleet = ReadonlyMap<number, Truth>;

/** What the model knows of one event, independently of its record in the trigger. */
interface EventRule {
	/** Whether Report Initial State reports it for what was already so before the first poll. */
	isReportedAtFirst: boolean;
	/** Settings of a trigger on this event. */
	parameters: INodeParameters;
	/** What makes it happen to a station that was as at the start of the test, in one or two polls. */
	happen: Array<(bench: Bench, id: number) => void>;
}

const offline = (bench: Bench, id: number) => bench.set({ NetworkStatus: 2 }, id);
const online = (bench: Bench, id: number) => bench.set({ NetworkStatus: 1 }, id);
const availability = { event: 'availability' };
const filterMatch = { event: 'filterMatch', filters: statusFilter('networkStatus', '2') };

/** One rule for each event of the station trigger. */
export const RULES: Readonly<Record<string, EventRule>> = {
	offline: { isReportedAtFirst: true, parameters: availability, happen: [offline] },
	backOnline: {
		isReportedAtFirst: false,
		parameters: { ...availability, availabilityChanges: ['back'] },
		happen: [offline, online],
	},
	startedMatching: { isReportedAtFirst: true, parameters: filterMatch, happen: [offline] },
	stoppedMatching: {
		isReportedAtFirst: false,
		parameters: { ...filterMatch, matchChanges: ['stops'] },
		happen: [offline, online],
	},
	statusChanged: { isReportedAtFirst: true, parameters: { event: 'statusChange' }, happen: [offline] },
	added: {
		isReportedAtFirst: false,
		parameters: { ...availability, options: { stationChanges: ['added'] } },
		happen: [(bench, id) => bench.add(10 + id, 'New')],
	},
	removed: {
		isReportedAtFirst: false,
		parameters: { ...availability, options: { stationChanges: ['removed'] } },
		happen: [(bench, id) => bench.remove(id), () => {}],
	},
};

export interface ModelSettings {
	event: StationChoice;
	dwellMs: number;
	/** Whether going offline (starting to match) is reported. Always true with dwell: its end would be invisible. */
	opening: boolean;
	closing: boolean;
	/** Whether administrative status 2 means out of service. */
	outOfService: boolean;
}

/** Tolerance between the two clocks when a dwell is just over, in milliseconds. */
const UNCERTAIN_MS = 10_000;

/** One status of one station, as a poll sees it. */
interface Sighted {
	value: string;
	outOfService: boolean;
	/** Whether it cannot be read, so that nothing follows from it. */
	unknown: boolean;
	/** Whether the list that the trigger reads has the station. */
	listed: boolean;
}

/** One status of one station, as the trigger must know it. */
interface Known {
	/** The value last reported, or adopted without an event. Undefined while out of service, for status changes. */
	settled?: string;
	reported: boolean;
	/** It began without an event, and no poll has seen it since the restart. */
	mayBeForgotten?: boolean;
	/** The different value it has had since; `sinceRestart` counts only polls after the last restart. */
	run?: { value: string; since: number; sinceRestart: number };
}

/**
 * Decides which events a history of polls may and must give, from what each poll could see. It knows nothing of saved
 * state, engines and requests, and treats each status of each station separately.
 */
export class Model {
	private readonly known = new Map<string, Known>();
	/** How many polls in a row did not find a station of which something is reported. */
	private readonly missed = new Map<string, number>();
	readonly overdue: Overdue;

	constructor(
		private readonly settings: ModelSettings,
		private readonly complain: (what: string) => void,
	) {
		this.overdue = new Overdue(complain);
	}

	/** After a restart, the trigger may count runs from zero again. */
	restarted(): void {
		for (const known of this.known.values()) {
			if (known.run) known.run.sinceRestart = Number.POSITIVE_INFINITY;
			known.mayBeForgotten = !this.settings.opening && known.settled === 'in';
		}
		this.overdue.mayForget();
	}

	/** A new process has not missed any station yet. */
	processEnded(): void {
		this.missed.clear();
	}

	/** The first poll: adopts what it sees. */
	baseline(fleet: Fleet, at?: number): void {
		if (at !== undefined) this.noteUnread(fleet, at, 'all');
		for (const [place, sighted] of this.sightings(fleet)) this.adopt(place, sighted);
	}

	/** Takes in which stations a poll could not read, before it is known what follows from the others. */
	noteUnread(fleet: Fleet, at: number, sight: Sight): void {
		if (sight === 'nothing') return;
		const unread = new Map<string, boolean>();
		for (const [place, { unknown, listed }] of this.sightings(fleet)) {
			const [station = ''] = place.split(' ');
			const isOpen = this.known.get(place)?.settled === 'in';
			if (unknown && (listed || isOpen)) unread.set(station, (unread.get(station) ?? false) || listed);
		}
		for (const station of this.overdue.places())
			if (!unread.has(station)) this.overdue.noteRead(station, sight === 'all');
		for (const [station, isListed] of unread) this.overdue.noteUnread(station, at, isListed && sight === 'all');
	}

	private adopt(place: string, { value, outOfService, unknown }: Sighted): void {
		const settled = outOfService || unknown ? this.settledOutOfService : value;
		this.known.set(place, { settled, reported: false });
	}

	private differs({ settled }: Known, { value, outOfService }: Sighted): boolean {
		return !outOfService && settled !== undefined && settled !== value;
	}

	/** A later poll: when it began, and the items it gave. */
	poll(at: number, fleet: Fleet, items: readonly IDataObject[], sight: Sight): void {
		const rest = new Map<string, IDataObject>();
		for (const item of items) {
			if (rest.has(placeOf(item))) this.complain(`two events at once for ${placeOf(item)}`);
			rest.set(placeOf(item), item);
		}
		const sightings = new Map(this.sightings(fleet));
		for (const [place, known] of this.known) {
			const sighted = sightings.get(place);
			if (sighted === undefined) this.checkGone(place, known, sight, rest);
			else if (sight !== 'nothing' && (sight !== 'list' || sighted.listed)) this.missed.delete(place);
		}
		for (const [place, sighted] of sightings) {
			const known = this.known.get(place);
			const item = rest.get(place);
			rest.delete(place);
			if (!known) {
				// The first poll that sees a new station adopts it without an event.
				if (item) this.complain(`${place}: ${text(item.event)} although it is new`);
				if (sight !== 'nothing') this.adopt(place, sighted);
			} else if (this.isSeen(known, sighted, sight)) this.check(place, known, sighted, at, item);
			else if (item) this.complain(`${place}: ${text(item.event)}, which no poll could see`);
			// A station that the list does not show counts as online until it does.
			else if (sight === 'lookups') known.run = undefined;
		}
		for (const place of rest.keys()) this.complain(`an event for ${place}, which is not there`);
	}

	/** What was reported of a station ends with the second poll in a row that does not find it. */
	private checkGone(place: string, known: Known, sight: Sight, rest: Map<string, IDataObject>): void {
		// It may be back before or after the trigger looks for it.
		if (known.run) known.run.sinceRestart = Infinity;
		if (known.settled !== 'in' || sight === 'nothing' || sight === 'list') return;
		const missed = (this.missed.get(place) ?? 0) + 1;
		this.missed.set(place, missed);
		if (missed < 2) return;
		const item = rest.get(place);
		rest.delete(place);
		if (item) {
			if (item.removed !== true) this.complain(`${place}: ${text(item.event)} although it is gone`);
			if (!this.isReported(known, 'out')) this.complain(`${place}: ${text(item.event)} was not asked for`);
			this.compare(place, 'in', 'out', item);
		} else if (this.isReported(known, 'out') && !known.mayBeForgotten) {
			this.complain(`${place} is gone, and its end is lost`);
		}
		this.missed.delete(place);
		this.settle(known, 'out');
	}

	private isSeen(known: Known, { listed }: Sighted, sight: Sight): boolean {
		if (sight === 'all') return true;
		if (sight === 'nothing') return false;
		if (this.settings.event === 'statusChange') return true;
		const isOpen = known.settled === 'in';
		return sight === 'lookups' ? isOpen : listed || !isOpen;
	}

	private check(place: string, known: Known, sighted: Sighted, at: number, item: IDataObject | undefined): void {
		const { value, outOfService } = sighted;
		// What the list leaves out is not in the state of interest, whatever cannot be read of it.
		if (sighted.unknown && (sighted.listed || known.settled === 'in')) {
			if (item) this.complain(`${place}: ${text(item.event)} from what cannot be read`);
			return;
		}
		if (!this.differs(known, sighted)) {
			if (item) this.complain(`${place}: ${text(item.event)} although there is nothing to report (${value})`);
			known.settled = outOfService ? this.settledOutOfService : value;
			known.mayBeForgotten = false;
			if (outOfService) known.reported = false;
			known.run = undefined;
			return;
		}
		if (known.run?.value !== value) known.run = { value, since: at, sinceRestart: at };
		known.run.sinceRestart = Math.min(known.run.sinceRestart, at);
		const dwell = value === 'out' ? 0 : this.settings.dwellMs;
		if (!this.isReported(known, value)) {
			if (item) this.complain(`${place}: ${text(item.event)} was not asked for`);
			this.settle(known, value);
		} else if (item) {
			const lasted = at - known.run.since;
			if (lasted < dwell - UNCERTAIN_MS) this.complain(`${place}: ${text(item.event)} after only ${lasted} ms`);
			this.compare(place, String(known.settled), value, item);
			this.settle(known, value);
		} else if (known.mayBeForgotten) {
			this.settle(known, value);
		} else {
			const lasted = at - known.run.sinceRestart;
			if (lasted >= dwell + (dwell > 0 ? UNCERTAIN_MS : 0)) {
				this.complain(`${place}: ${String(known.settled)} > ${value} is lost, ${lasted} ms after it was first seen`);
			}
		}
	}

	private isReported({ reported }: Known, value: string): boolean {
		const { event, opening, closing } = this.settings;
		if (event === 'statusChange') return true;
		return value === 'in' ? opening : closing && (reported || !opening);
	}

	private settle(known: Known, value: string): void {
		known.settled = value;
		known.reported = value === 'in';
		known.run = undefined;
		known.mayBeForgotten = false;
	}

	private compare(place: string, from: string, to: string, item: IDataObject): void {
		const { event } = this.settings;
		const told = event === 'statusChange' ? `${text(item.from)} > ${text(item.to)}` : text(item.event);
		const names: Record<string, string> =
			event === 'availability'
				? { in: 'offline', out: 'backOnline' }
				: { in: 'startedMatching', out: 'stoppedMatching' };
		const expected = event === 'statusChange' ? `${from} > ${to}` : names[to];
		if (told !== expected) this.complain(`${place}: ${told} instead of ${String(expected)}`);
	}

	private get settledOutOfService(): string | undefined {
		return this.settings.event === 'statusChange' ? undefined : 'out';
	}

	private *sightings(fleet: Fleet): Generator<[string, Sighted]> {
		for (const [id, { network, status, hardware }] of fleet) {
			const outOfService = this.settings.outOfService && status === 2;
			const unknown = this.settings.outOfService && status === ODD;
			if (this.settings.event === 'statusChange') {
				for (const [name, value] of Object.entries({ NetworkStatus: network, HardwareStatus: hardware })) {
					const isOdd = !outOfService && (unknown || value === ODD);
					yield [`${id} ${name}`, { value: String(value), outOfService, unknown: isOdd, listed: true }];
				}
			} else {
				const listed = this.settings.event === 'availability' ? network !== 1 : hardware === 3;
				yield [String(id), { value: listed ? 'in' : 'out', outOfService, unknown, listed }];
			}
		}
	}
}

function placeOf({ event, stationId, dimension }: IDataObject): string {
	return event === 'statusChanged' ? `${text(stationId)} ${text(dimension)}` : text(stationId);
}
