import type { IDataObject } from 'n8n-workflow';

import type { Judged } from '../trigger/history.ts';
import { EventIds, judgeChange, type Known } from '../trigger/judging.ts';
import { text } from '../trigger/events.ts';

/** The true statuses of one station at a moment; null for one that cannot be read. */
export interface Truth {
	network: number | null;
	status: number | null;
	hardware: number | null;
}

export interface ModelSettings {
	event: 'availability' | 'filterMatch' | 'statusChange';
	dwellMs: number;
	/** Whether administrative status 2 means out of service. */
	outOfService: boolean;
	/** Whether stations that are added or removed are reported. */
	fleet: boolean;
}

/** Decides which events each poll must give, from what it could see. It knows nothing of saved state, engines and requests. */
export class Model {
	private known = new Map<string, Known>();
	private fleet = new Set<string>();
	private saved: { known: Map<string, Known>; fleet: Set<string> } | undefined;
	/** How many polls in a row did not find a station: in all, and of the process of now. */
	private readonly missed = new Map<string, [all: number, sure: number]>();
	private readonly ids: EventIds;

	constructor(
		private readonly settings: ModelSettings,
		private readonly complain: (what: string) => void,
	) {
		const nameOf = (item: IDataObject) => `${placeOf(item)} ${text(item.event)} ${text(item.from)} ${text(item.to)}`;
		this.ids = new EventIds(nameOf, complain);
	}

	/** The first poll notes how things are. */
	begin(stations: ReadonlyMap<number, Truth>): void {
		for (const [key, value] of this.sightings(stations)) if (isRead(value)) this.known.set(key, { value });
		this.fleet = new Set([...stations.keys()].map(String));
	}

	judge({ at, sight, items, isStart, isLost }: Judged, stations: ReadonlyMap<number, Truth>): void {
		if (this.saved) ({ known: this.known, fleet: this.fleet } = this.saved);
		this.saved = isLost ? { known: structuredClone(this.known), fleet: new Set(this.fleet) } : undefined;
		if (isStart) {
			for (const [key, [all]] of this.missed) this.missed.set(key, [all, 0]);
			for (const { next } of this.known.values()) if (next) next.sureSince = Number.POSITIVE_INFINITY;
		}
		const told = new Map(items.map((item) => [placeOf(item), item]));
		if (told.size < items.length) this.complain('two events at once for one thing');
		if (sight !== 'nothing') {
			for (const [key, value] of this.sightings(stations)) this.see(key, value, sight, at, told);
			this.seeGone(stations, told);
			if (this.settings.fleet) this.seeFleet(stations, told, sight === 'all');
		}
		for (const [place, item] of told) this.complain(`${place}: ${text(item.event)} although nothing happened`);
		this.ids.check(items, isLost);
	}

	private see(key: string, value: string, sight: Judged['sight'], at: number, told: Map<string, IDataObject>): void {
		const known = this.known.get(key);
		const isOpen = known?.value === 'in';
		const { event, fleet } = this.settings;
		const isLookedUp = isOpen || (fleet && event !== 'filterMatch' && this.fleet.has(key.split(' ', 1).join()));
		if (sight === 'lookups' && !isLookedUp) {
			// What waits in a list that does not show it waits no more. A status that is not shown waits on.
			if (known && this.settings.event !== 'statusChange') known.next = undefined;
			return;
		}
		this.missed.delete(key);
		// What the list leaves out is not in the state, whatever cannot be read of it.
		if (value === 'unknown') return;
		if (value === 'out of service') {
			if (this.settings.event === 'statusChange') this.known.delete(key);
			else this.known.set(key, { value: 'out' });
			return;
		}
		if (!known) this.known.set(key, { value: this.settings.event === 'statusChange' ? value : 'out' });
		if (!known && this.settings.event === 'statusChange') return;
		this.change(key, this.known.get(key) as Known, value, at, told);
	}

	private change(key: string, known: Known, value: string, at: number, told: Map<string, IDataObject>): void {
		const dwellMs = value === 'out' ? 0 : this.settings.dwellMs;
		const item = judgeChange(known, value, { key, at, dwellMs, told }, this.complain);
		if (!item) return;
		this.compare(key, known.value, value, item);
		this.known.set(key, { value });
	}

	/** What was reported of a station ends with the second poll that does not find it. */
	private seeGone(stations: ReadonlyMap<number, Truth>, told: Map<string, IDataObject>): void {
		if (this.settings.event === 'statusChange') return;
		for (const [key, known] of this.known) {
			if (stations.has(Number(key))) continue;
			known.next = undefined;
			if (known.value === 'in' && this.isGone(key, told, ({ removed }) => removed === true)) this.known.delete(key);
		}
	}

	private seeFleet(stations: ReadonlyMap<number, Truth>, told: Map<string, IDataObject>, isListed: boolean): void {
		for (const station of new Set([...this.fleet, ...[...stations.keys()].map(String)])) {
			const isThere = stations.has(Number(station));
			const key = `fleet ${station}`;
			if (isThere) this.missed.delete(key);
			// What is new is not looked up.
			if (isThere === this.fleet.has(station) || (isThere && !isListed)) continue;
			if (isThere) {
				if (told.get(key)?.event !== 'added') this.complain(`${key}: added is lost`);
				told.delete(key);
				this.fleet.add(station);
			} else if (this.isGone(key, told, ({ event }) => event === 'removed')) {
				this.fleet.delete(station);
			}
		}
	}

	/** Whether the second poll in a row has not found it, and says so. */
	private isGone(key: string, told: Map<string, IDataObject>, saysSo: (item: IDataObject) => boolean): boolean {
		const [all, sure] = (this.missed.get(key) ?? [0, 0]).map((count) => count + 1) as [number, number];
		this.missed.set(key, [all, sure]);
		const item = told.get(key);
		if (all < 2 || (!item && sure < 2)) return false;
		told.delete(key);
		if (!item || !saysSo(item)) this.complain(`${key} is gone, and that is lost`);
		this.missed.delete(key);
		return true;
	}

	private compare(key: string, from: string, to: string, item: IDataObject): void {
		const names: Record<string, string> =
			this.settings.event === 'availability'
				? { in: 'offline', out: 'backOnline' }
				: { in: 'startedMatching', out: 'stoppedMatching' };
		const isChange = item.event === 'statusChanged';
		const said = isChange ? `${text(item.from)} > ${text(item.to)}` : text(item.event);
		const expected = this.settings.event === 'statusChange' ? `${from} > ${to}` : names[to];
		if (said !== expected) this.complain(`${key}: ${said} instead of ${String(expected)}`);
	}

	private *sightings(stations: ReadonlyMap<number, Truth>): Generator<[string, string]> {
		const { event, outOfService } = this.settings;
		for (const [id, { network, status, hardware }] of stations) {
			const service = !outOfService
				? undefined
				: status === null
					? 'unknown'
					: status === 2
						? 'out of service'
						: undefined;
			if (event === 'statusChange') {
				yield [`${id} NetworkStatus`, service ?? (network === null ? 'unknown' : String(network))];
				yield [`${id} HardwareStatus`, service ?? String(hardware)];
			} else {
				const isIn = event === 'availability' ? network !== 1 : hardware === 3;
				const isListed = isIn || this.known.get(String(id))?.value === 'in';
				yield [String(id), isListed ? (service ?? (isIn ? 'in' : 'out')) : 'out'];
			}
		}
	}
}

const isRead = (value: string) => value !== 'unknown' && value !== 'out of service';

function placeOf({ event, stationId, dimension }: IDataObject): string {
	if (event === 'added' || event === 'removed') return `fleet ${text(stationId)}`;
	return event === 'statusChanged' ? `${text(stationId)} ${text(dimension)}` : text(stationId);
}
