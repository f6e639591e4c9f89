import partition from 'lodash/partition';

import type { Row } from '../shared/platform';
import { STATIONS } from '../shared/resources';
import type { RowKey } from '../shared/trigger/keys';
import type { Poll } from '../shared/trigger/poll';
import { lookUp, lookUpLost, shownIn } from '../shared/trigger/reading/lookUp';
import type { TriggerState } from '../shared/trigger/watch/saved';
import type { Absence } from '../shared/trigger/watch/watch';
import { partsOf, type PointKey } from './points';

/** A charge point that is remembered. */
export interface Known {
	key: string;
	point: PointKey;
	isTold: boolean;
	isMissing: boolean;
}

/** The charge points that are remembered, by their stations; also stations of which only that they cannot be read. */
export function knownIn({ watches, coverage }: TriggerState): Map<RowKey, Known[]> {
	const known = new Map<RowKey, Known[]>();
	for (const [key, { incident, missing }] of Object.entries(watches.point?.entries ?? {})) {
		const [station, point = ''] = partsOf(key);
		const entry = { key, point, isTold: incident?.[1] === true, isMissing: missing !== undefined };
		known.set(station, [...(known.get(station) ?? []), entry]);
	}
	for (const [station] of Object.keys(coverage.unreadable ?? {}).map(partsOf)) {
		if (!known.has(station)) known.set(station, []);
	}
	return known;
}

/**
 * Looks up known stations that the list does not show. Where an end is to be told, it is told although the filter leaves the
 * station out; another one is then not watched any more.
 *
 * @returns which details are to be asked for, and those of them that no list shows
 */
export async function findAbsent(
	poll: Poll,
	stations: readonly RowKey[],
	known: ReadonlyMap<RowKey, Known[]>,
	rows: ReadonlyMap<RowKey, Row>,
) {
	const isTold = (key: RowKey) => known.get(key)?.some((point) => point.isTold) === true;
	const mayAsk = stations.some((key) => known.get(key)?.some(({ isMissing }) => isMissing));
	const shown = await shownIn(poll, STATIONS, { rows: [...rows.values()], mayAsk });
	const asking = { pace: poll.pace('lookUp'), shown };
	const [followed, others] = partition(stations, isTold);
	const told = await lookUpLost(lookUp, poll, { list: STATIONS }, followed, asking);
	const { filter } = poll.settings;
	const rest = await lookUpLost(lookUp, poll, { list: STATIONS, filter }, others, asking);
	const absent = new Map<RowKey, Absence>([
		...rest.notFound.map((key) => [key, 'gone'] as const),
		...[...rest.elsewhere.keys()].map((key) => [key, 'elsewhere'] as const),
	]);
	const toAsk = [...told.matching.keys(), ...told.notFound, ...rest.matching.keys()];
	return {
		...{ absent, toAsk, missing: new Set(told.notFound), isProven: told.isProven || rest.isProven },
		isSure: toAsk.length + absent.size === stations.length,
	};
}
