import type { IDataObject } from 'n8n-workflow';

import type { Judged } from '../trigger/history.ts';
import { Judge, type Known } from '../trigger/judging.ts';
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

/** It knows nothing of saved state, engines and requests. */
export class Model extends Judge<{ known: Map<string, Known>; fleet: Set<string> }> {
	constructor(
		private readonly settings: ModelSettings,
		complain: (what: string) => void,
	) {
		super({ known: new Map(), fleet: new Set() }, complain);
	}

	/** The first poll notes how things are. */
	begin(stations: ReadonlyMap<number, Truth>): void {
		for (const [key, value] of this.sightings(stations)) if (isRead(value)) this.state.known.set(key, { value });
		this.state.fleet = new Set([...stations.keys()].map(String));
	}

	judge(poll: Judged, stations: ReadonlyMap<number, Truth>): void {
		this.accountFor(poll, () => {
			if (poll.sight === 'nothing') return;
			for (const [key, value] of this.sightings(stations)) this.see(key, value, poll);
			this.seeGone(stations);
			if (this.settings.fleet) this.seeFleet(stations, poll.sight === 'all');
		});
	}

	protected placeOf({ event, stationId, dimension }: IDataObject): string {
		if (event === 'added' || event === 'removed') return `fleet ${text(stationId)}`;
		return event === 'statusChanged' ? `${text(stationId)} ${text(dimension)}` : text(stationId);
	}

	protected restart(): void {
		for (const { next } of this.state.known.values()) if (next) next.sureSince = Number.POSITIVE_INFINITY;
	}

	private see(key: string, value: string, { sight, at }: Judged): void {
		const { known: all, fleet: there } = this.state;
		const { event, fleet } = this.settings;
		const isChange = event === 'statusChange';
		const known = all.get(key);
		const isLookedUp =
			known?.value === 'in' || (fleet && event !== 'filterMatch' && there.has(key.split(' ', 1).join()));
		if (sight === 'lookups' && !isLookedUp) {
			// What waits in a list that does not show it waits no more. A status that is not shown waits on.
			if (known && !isChange) known.next = undefined;
			return;
		}
		this.found(key);
		// What the list leaves out is not in the state, whatever cannot be read of it.
		if (value === 'unknown') return;
		if (value === 'out of service') {
			if (isChange) all.delete(key);
			else all.set(key, { value: 'out' });
			return;
		}
		if (!known) all.set(key, { value: isChange ? value : 'out' });
		if (!known && isChange) return;
		const before = all.get(key) as Known;
		const item = this.change(before, value, { key, at, dwellMs: value === 'out' ? 0 : this.settings.dwellMs });
		if (!item) return;
		this.compare(key, before.value, value, item);
		all.set(key, { value });
	}

	/** What was reported of a station ends with the second poll that does not find it. */
	private seeGone(stations: ReadonlyMap<number, Truth>): void {
		if (this.settings.event === 'statusChange') return;
		for (const [key, known] of this.state.known) {
			if (stations.has(Number(key))) continue;
			known.next = undefined;
			if (known.value === 'in' && this.isGone(key, ({ removed }) => removed === true)) this.state.known.delete(key);
		}
	}

	private seeFleet(stations: ReadonlyMap<number, Truth>, isListed: boolean): void {
		const { fleet } = this.state;
		for (const station of new Set([...fleet, ...[...stations.keys()].map(String)])) {
			const isThere = stations.has(Number(station));
			const key = `fleet ${station}`;
			if (isThere) this.found(key);
			// What is new is not looked up.
			if (isThere === fleet.has(station) || (isThere && !isListed)) continue;
			if (isThere) {
				if (this.take(key)?.event !== 'added') this.complain(`${key}: added is lost`);
				fleet.add(station);
			} else if (this.isGone(key, ({ event }) => event === 'removed')) {
				fleet.delete(station);
			}
		}
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
				const isListed = isIn || this.state.known.get(String(id))?.value === 'in';
				yield [String(id), isListed ? (service ?? (isIn ? 'in' : 'out')) : 'out'];
			}
		}
	}
}

const isRead = (value: string) => value !== 'unknown' && value !== 'out of service';
