import { packValues, unpackValues } from '../../shared/trigger/watch/ranges';
import { rowId } from '../../shared/trigger/keys';
import type { StatusValue } from '../../shared/trigger/types';
import type { PackedStations, PointKey, StationKey } from './types';

/** The charge points of each station, with the value that each was last known to have. */
export type Points = Map<StationKey, Map<PointKey, StatusValue>>;

/** Ids never begin with it: they are trimmed. */
const POSITION_MARK = '\t';

/**
 * The keys of a station's charge points: their own Ids or, if those do not tell them apart, their positions in its
 * list. A position comes with the number of charge points, so none is the same once that number has changed.
 */
export function pointKeys({ ids, areOwn }: { ids: readonly string[]; areOwn: boolean }): PointKey[] {
	return ids.map((id) => {
		const number = Number(id);
		if (!areOwn) return `=${POSITION_MARK}${id} of ${ids.length}`;
		return Number.isSafeInteger(number) && String(number) === id ? id : `=${id}`;
	});
}

export function isByPosition(point: PointKey): boolean {
	return point.startsWith(`=${POSITION_MARK}`);
}

/** The Id of a charge point as text; for one that is known by its position, that, such as `#1`. */
export function pointId(point: PointKey): string {
	const id = String(rowId(point));
	return isByPosition(point) ? id.slice(POSITION_MARK.length).split(' ', 1).join() : id;
}

/** The key of a charge point in the whole network. */
export function keyOf(station: StationKey, point: PointKey): string {
	return JSON.stringify([station, point]);
}

export function partsOf(key: string): [StationKey, PointKey] {
	return JSON.parse(key) as [StationKey, PointKey];
}

/** Charge points as saved: stations with the same ones in the same statuses share an entry. */
export function pack(points: Points): PackedStations {
	return packValues(new Map([...points].map(([station, values]) => [station, packValues(values)])));
}

export function unpack(packed: PackedStations): Points {
	return new Map([...unpackValues(packed)].map(([station, values]) => [station, unpackValues(values)]));
}
