import type { identifyChargePoints } from '../shared/list/chargePoints';
import { rowId, rowKey, type RowKey } from '../shared/trigger/keys';

/** A charge point within its station: by what names it or by its position in the list. See `pointKeys`. */
export type PointKey = RowKey;

/** Ids never begin with it: they are trimmed. */
const POSITION_MARK = '\t';

/**
 * The keys of a station's charge points: what names them or, if nothing tells them apart, their positions in its list. A
 * position comes with the number of charge points, so none is the same once that number has changed.
 */
export function pointKeys({ ids, field }: ReturnType<typeof identifyChargePoints>): PointKey[] {
	return ids.map((id) => (field && rowKey(id)) || `=${POSITION_MARK}${id} of ${ids.length}`);
}

export function isPositionKey(point: PointKey): boolean {
	return point.startsWith(`=${POSITION_MARK}`);
}

/** The Id of a charge point as text; for one that is known by its position, that, such as `#1`. */
export function pointId(point: PointKey): string {
	const id = String(rowId(point));
	return isPositionKey(point) ? id.slice(POSITION_MARK.length).split(' ', 1).join() : id;
}

/** The key of a charge point in the whole network: `17/32`. */
export function toNetworkKey(station: RowKey, point: PointKey): string {
	return `${station.replace(/[%/]/g, (sign) => (sign === '/' ? '%2F' : '%25'))}/${point}`;
}

/** Reverses `toNetworkKey`. Without a charge point, the key is that of a whole station. */
export function splitNetworkKey(key: string): [station: RowKey, point: PointKey | undefined] {
	const end = key.indexOf('/');
	const station = (end < 0 ? key : key.slice(0, end)).replaceAll('%2F', '/').replaceAll('%25', '%');
	return [station, end < 0 ? undefined : key.slice(end + 1)];
}

/** The key of a whole station. */
export function stationKey(station: RowKey): string {
	return toNetworkKey(station, '').slice(0, -1);
}
