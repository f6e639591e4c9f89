import type { IDataObject } from 'n8n-workflow';

const BEGIN = Date.UTC(2026, 0, 1) / 1000;
const MONTH = 30 * 86_400;
const iso = (seconds: number) => new Date((BEGIN + seconds) * 1000).toISOString();
const many = (count: number, make: (at: number) => IDataObject) => Array.from({ length: count }, (_, at) => make(at));
const incident = (stationId: number, since: number, until: number) => ({
	...{ kind: 'incident', stationId, since: iso(since), until: iso(until) },
});
/** A number that follows others in no order. */
const mixed = (at: number) => (at * 7_919) % 100_000;

/** Tables of outages larger than any operator has, of a month. */
export const OUTAGE_TABLES: Record<string, () => IDataObject[]> = {
	'100,000 outages that overlap': () => many(100_000, (at) => incident(1, at, MONTH - (at % 1000))),
	'100,000 outages of one station, in no order': () =>
		many(100_000, (at) => incident(1, mixed(at) * 20, mixed(at) * 20 + 10)),
	'100,000 outages of as many stations': () => many(100_000, (at) => incident(at, mixed(at) * 20, mixed(at) * 20 + 10)),
	'50,000 outages under 2,000 exclusions': () => [
		...many(50_000, (at) => incident(1, 3000 + at * 40, 3010 + at * 40)),
		...many(2_000, (at) => ({
			...{ kind: 'excluded', stationId: 1, since: iso(at), until: iso(MONTH - at), reason: `reason ${at}` },
		})),
	],
};
