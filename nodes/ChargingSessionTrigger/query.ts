import { DateTime } from 'luxon';

import { and, condition } from '../shared/dsquery/compose';
import type { Condition, Group } from '../shared/dsquery/types';
import { WIRE_FORMAT } from '../shared/dsquery/values/values';
import { SESSIONS } from '../shared/resources';
import type { Selection } from '../shared/trigger/reading/lists';
import type { StatusValue } from '../shared/dsquery/catalogue';
import { WHOLE_LIST } from '../shared/trigger/keys';
import type { LongRule } from './rules';
import type { SessionSettings } from './settings';

type Watched = Pick<SessionSettings, 'overCodes' | 'watchMs'>;

/** Sessions that are not over, are still watched, and have these Ids. */
export function openBetween({ overCodes, watchMs }: Watched, at: number, from: number, upTo: number): Selection {
	const lowest = from === WHOLE_LIST.after ? [] : [condition('Id', 'Gte', String(from))];
	return {
		list: SESSIONS,
		filter: and(...notOver(overCodes), condition('StartedAtUtc', 'Gte', wireTime(at - watchMs))),
		narrowing: and(...lowest, condition('Id', 'Lte', String(upTo))),
	};
}

/** Sessions that are long at this time and are still watched. */
export function longAt({ afterMs }: LongRule, { overCodes, watchMs }: Watched, at: number): Group | undefined {
	const latest = at - afterMs;
	const times = `${wireTime(latest - watchMs)},${wireTime(latest)}`;
	return and(...notOver(overCodes), condition('StartedAtUtc', 'GteLte', times));
}

export function notOver(overCodes: ReadonlySet<StatusValue>): Condition[] {
	return [...overCodes].map((code) => condition('Status', 'Neq', String(code)));
}

/** A time as the platform writes it: whole seconds, UTC, no zone. */
function wireTime(ms: number): string {
	return DateTime.fromMillis(ms, { zone: 'utc' }).toFormat(WIRE_FORMAT);
}
