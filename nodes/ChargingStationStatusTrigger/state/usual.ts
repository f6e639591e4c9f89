import orderBy from 'lodash/orderBy';
import partition from 'lodash/partition';

import { packKeys, unpackKeys } from '../../shared/trigger/watch/ranges';
import type { StatusValue } from '../../shared/trigger/types';
import type { LastValue, StationKey, Statuses, UsualStations } from './types';

/** The most frequent value of each status, independent of the order of the stations. */
function usualValues(statuses: ReadonlyMap<StationKey, Statuses>): StatusValue[] {
	const last = [...statuses.values()].filter((values) => values !== null);
	return (last[0] ?? []).map((_, index) => {
		const counts = new Map<StatusValue, number>();
		for (const values of last) {
			const value = values[index] ?? null;
			if (!isUnread(value)) counts.set(value, (counts.get(value) ?? 0) + 1);
		}
		const [most] = orderBy([...counts], [([, count]) => count, ([value]) => String(value)], ['desc', 'asc']);
		return most?.[0] ?? null;
	});
}

/** Whether a status cannot be read now. */
export function isUnread(value: LastValue): value is readonly StatusValue[] {
	return typeof value === 'object' && value !== null;
}

function areUsual(statuses: Statuses, usual: readonly StatusValue[]): boolean {
	return statuses !== null && statuses.every((value, index) => value === usual[index]);
}

/** Stations as saved: those with the usual statuses by Id only, the others one by one. */
export function pack(all: ReadonlyMap<StationKey, Statuses>): {
	statuses: Record<StationKey, Statuses>;
	usual?: UsualStations;
} {
	const values = usualValues(all);
	const [usual, others] = partition([...all], ([, statuses]) => areUsual(statuses, values));
	const statuses = Object.fromEntries(others);
	if (usual.length === 0) return { statuses };
	return { statuses, usual: { values, ids: packKeys(usual.map(([station]) => station)) } };
}

/** Reverses `pack`. `usual` is missing in states of older versions, which listed each station. */
export function unpack(
	statuses: Readonly<Record<StationKey, Statuses>>,
	usual: UsualStations | undefined,
): Map<StationKey, Statuses> {
	const all = new Map(Object.entries(statuses));
	if (usual) for (const station of unpackKeys(usual.ids)) all.set(station, usual.values);
	return all;
}
