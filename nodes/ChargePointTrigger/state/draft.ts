import type { StatusValue } from '../../shared/trigger/types';
import { WatchDraft } from '../../shared/trigger/watch/draft';
import { keyOf, pack, type Points, unpack } from './points';
import type { ChargePoint, ChargePointEvent, ChargePointState, Round, StationKey } from './types';

export class Draft extends WatchDraft<ChargePoint> {
	/** What a look at a station finds is complete, so no event waits. */
	readonly backlog = [];
	reportsNew: boolean;
	hasBaseline: boolean;
	readonly points: Points;
	readonly missing: Set<string>;
	readonly round: Round;

	constructor(state: ChargePointState, now: number, basis: string) {
		super(state, now, basis);
		const { kept, notes } = state;
		this.reportsNew = kept.reportsNew === true;
		this.hasBaseline = kept.hasBaseline === true;
		this.points = unpack(kept.points);
		this.missing = new Set(notes.missing);
		this.round = notes.turn ?? { began: now, stations: 0, unread: 0, isWhole: true };
	}

	toState(): ChargePointState {
		const { reportsNew, hasBaseline, points, missing, round } = this;
		const { kept, notes } = this.saved();
		return {
			kept: {
				config: kept.config,
				...(reportsNew && { reportsNew }),
				...(hasBaseline && { hasBaseline }),
				points: pack(points),
				incidents: kept.incidents,
			},
			notes: { ...notes, ...(round.after !== undefined && { turn: round }), missing: [...missing] },
		};
	}

	protected partsOf({ station, point, from, to }: Pick<ChargePointEvent, 'station' | 'point' | 'from' | 'to'>) {
		return [station, point, from, to];
	}

	stations(): StationKey[] {
		return [...new Set([...this.points.keys(), ...this.unreadable.keys()])];
	}

	has(station: StationKey): boolean {
		return this.points.has(station) || this.unreadable.has(station);
	}

	remember({ station, point }: ChargePoint, value: StatusValue): void {
		const points = this.points.get(station) ?? new Map<string, StatusValue>();
		this.points.set(station, points.set(point, value));
	}

	/** Whether a charge point of the station has an incident that was reported, so that its end must be told. */
	awaitsEnd(station: StationKey): boolean {
		const points = [...(this.points.get(station)?.keys() ?? [])];
		return points.some((point) => this.incidents.get(keyOf(station, point))?.[1] === true);
	}

	/** Forgets a charge point that is not there any more. */
	forget({ station, point }: ChargePoint): void {
		const points = this.points.get(station);
		points?.delete(point);
		if (points?.size === 0) this.points.delete(station);
		this.unreadable.forget(station, point);
		this.missing.delete(keyOf(station, point));
	}
}
