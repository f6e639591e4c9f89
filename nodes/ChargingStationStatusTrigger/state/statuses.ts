import { isNoneAValue, readStatus, UNKNOWN } from '../../shared/trigger/watch/status';
import type { Status } from '../../shared/trigger/watch/status';
import type { StatusValue } from '../../shared/trigger/types';
import type { Draft } from './draft';
import type { Dimension, Observation, Settled, StationEvent, StationKey, Statuses } from './types';
import { areUsual, isUnread, usualValues } from './usual';
import type { UsualCodes } from './usual';
import type { Watch } from './watch';

export interface StatusRules {
	dimensions: readonly Dimension[];
	/** Values a change must start from, by dimension; dimensions not listed may start from any. */
	from: ReadonlyMap<Dimension, ReadonlySet<StatusValue>>;
	/** Values a change must lead to. */
	to: ReadonlyMap<Dimension, ReadonlySet<StatusValue>>;
	/** How long a value must hold before the change counts, in milliseconds. */
	afterMs: number;
}

/** Event `statusChange`: the last settled values of every station are remembered. */
export class StatusWatch implements Watch {
	readonly looksBeyondFilter = false;
	readonly reportsOpening = false;

	constructor(private readonly rules: StatusRules) {}

	/** If it cannot be read whether a station is out of service, its statuses say nothing either. */
	private valuesOf({ row, outOfService }: Observation): Status[] {
		return this.rules.dimensions.map((dimension) =>
			outOfService === undefined ? UNKNOWN : readStatus(row[dimension], this.noneIsValue(dimension)),
		);
	}

	private noneIsValue(dimension: Dimension): boolean {
		const { from, to } = this.rules;
		return isNoneAValue(dimension, from.get(dimension), to.get(dimension));
	}

	isReadable(seen: Observation): boolean {
		return seen.outOfService === true || !this.valuesOf(seen).includes(UNKNOWN);
	}

	adopt(draft: Draft, seen: Observation, isReported: boolean): void {
		const { station, outOfService } = seen;
		if (draft.statuses.has(station)) return;
		const values = outOfService ? null : this.valuesOf(seen);
		draft.statuses.set(station, values && values.map(unsettled));
		if (!isReported || !values) return;
		this.rules.dimensions.forEach((dimension, index) => {
			const to = values[index] ?? null;
			if (to === UNKNOWN) return;
			// What must start from a chosen value is not so from the beginning.
			if (this.rules.from.has(dimension) || !allows(this.rules.to, dimension, to)) return;
			draft.raise({ name: 'statusChanged', station, dimension, from: null, to, since: draft.now });
		});
	}

	observe(draft: Draft, seen: Observation): void {
		const { station, outOfService } = seen;
		const settled = draft.statuses.get(station);
		if (outOfService) {
			draft.statuses.set(station, null);
			this.stopWaiting(draft, station);
		} else if (!settled) {
			// Out of service as far as is known.
			if (settled === null && outOfService === undefined) return;
			draft.statuses.set(station, this.valuesOf(seen).map(unsettled));
		} else {
			this.compare(draft, station, settled, this.valuesOf(seen));
		}
	}

	private compare(draft: Draft, station: StationKey, settled: readonly Settled[], values: readonly Status[]): void {
		const { dimensions, from, to, afterMs } = this.rules;
		const next = dimensions.map((dimension, index): Settled => {
			const value = values[index] ?? null;
			const before = lastRead(settled[index] ?? null, this.noneIsValue(dimension));
			if (value === UNKNOWN) return before === undefined ? [] : [before];
			const place = placeOf(station, index);
			if (before === undefined || value === before) {
				draft.waiting.delete(place);
				return value;
			}
			const since = draft.hasLasted(place, value, afterMs);
			if (since === undefined) return before;
			if (allows(from, dimension, before) && allows(to, dimension, value)) {
				draft.raise({ name: 'statusChanged', station, dimension, from: before, to: value, since });
			}
			return value;
		});
		draft.statuses.set(station, next);
	}

	/** Undefined if one of them is empty: a condition cannot ask for that. */
	usualCodes({ statuses }: Draft): UsualCodes | undefined {
		const values = usualValues(statuses);
		const codes = this.rules.dimensions.flatMap((dimension, index) => {
			const code = values[index] ?? '';
			return code === '' ? [] : [[dimension, code] as const];
		});
		return codes.length === this.rules.dimensions.length ? codes : undefined;
	}

	expected({ statuses, waiting }: Draft, withoutUsual = false): Iterable<StationKey> {
		if (!withoutUsual) return statuses.keys();
		const usual = usualValues(statuses);
		const isWaiting = (station: StationKey) =>
			waiting.size > 0 && this.rules.dimensions.some((_, index) => waiting.has(placeOf(station, index)));
		const isExpected = ([station, values]: [StationKey, Statuses]) => !areUsual(values, usual) || isWaiting(station);
		return [...statuses].filter(isExpected).map(([station]) => station);
	}

	/** The values are kept until the station is back in the list. */
	leave(draft: Draft, station: StationKey): void {
		this.stopWaiting(draft, station);
		if (draft.statuses.has(station)) draft.away.add(station);
	}

	forget(draft: Draft, station: StationKey): void {
		this.stopWaiting(draft, station);
		draft.statuses.delete(station);
	}

	/** Does nothing: stations missing from the list are looked up first. */
	concludeFromAbsence(): void {}

	samples(seen: Observation, now: number): Array<Omit<StationEvent, 'id'>> {
		const { dimensions, afterMs } = this.rules;
		const values = this.valuesOf(seen);
		const times = { incidentId: null, since: now - afterMs, until: null, detectedAt: now };
		const { station } = seen;
		return dimensions.map((dimension, index) => {
			const value = values[index] ?? null;
			const to = value === UNKNOWN ? null : value;
			return { name: 'statusChanged', station, dimension, from: null, to, ...times };
		});
	}

	private stopWaiting(draft: Draft, station: StationKey): void {
		this.rules.dimensions.forEach((_, index) => draft.waiting.delete(placeOf(station, index)));
	}
}

/** The first value of a status. */
function unsettled(value: Status): Settled {
	return value === UNKNOWN ? [] : value;
}

/** The last value that could be read, if there is one. Older versions saved null for what could not. */
function lastRead(settled: Settled, noneIsValue: boolean): StatusValue | undefined {
	if (isUnread(settled)) return settled[0];
	return settled === null && !noneIsValue ? undefined : settled;
}

function placeOf(station: StationKey, index: number): string {
	return `${station}#${index}`;
}

function allows(
	values: ReadonlyMap<Dimension, ReadonlySet<StatusValue>>,
	dimension: Dimension,
	value: StatusValue,
): boolean {
	return values.get(dimension)?.has(value) ?? true;
}
