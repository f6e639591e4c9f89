import groupBy from 'lodash/groupBy';
import mapValues from 'lodash/mapValues';

import { HOUR_MS } from '../../shared/dsquery/values/durations';
import { rowId, rowKeys } from '../../shared/trigger/keys';
import type { RowKey } from '../../shared/trigger/types';
import type { SessionsByHour } from './types';

/** Sessions and when they started, as saved. */
export function pack(sessions: ReadonlyMap<RowKey, number>): SessionsByHour {
	const byHour = groupBy([...sessions], ([, startedAt]) => Math.ceil(startedAt / HOUR_MS));
	return mapValues(byHour, (entries) => entries.map(([key]) => rowId(key)));
}

/** Reverses `pack`; times are rounded up to the hour. */
export function unpack(byHour: SessionsByHour): Map<RowKey, number> {
	return new Map(
		Object.entries(byHour).flatMap(([hour, ids]) =>
			rowKeys(ids).map((key): [RowKey, number] => [key, Number(hour) * HOUR_MS]),
		),
	);
}
