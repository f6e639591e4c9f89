import fc from 'fast-check';
import { DateTime } from 'luxon';

import { Summary, type SummaryContext, type SummaryPlan } from '../../../../nodes/ChargingSessions/summary/summary';
import type { Row } from '../../../../nodes/shared/platform/types';

const RUNS = process.env.DEEP ? 5_000 : 150;
const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'Pacific/Apia'];
/** Energies are made of whole millionths, so that the naive sum is exact, too. */
const MILLION = 1_000_000;

interface Session {
	millionths: number | null;
	status: number | null;
	/** Seconds since the epoch. */
	start: number;
	station: string | number | boolean | null;
}

const session: fc.Arbitrary<Session> = fc.record({
	millionths: fc.option(
		fc.oneof(
			fc.nat(80 * MILLION),
			fc.nat(800).map((n) => n * 100_000),
			fc.integer({ min: -5, max: 5 }),
		),
		{ freq: 6 },
	),
	status: fc.option(fc.integer({ min: 1, max: 7 }), { freq: 20 }),
	// Around both changes of clocks, and spread over two years.
	start: fc.oneof(
		fc.integer({ min: 1_729_900_000, max: 1_730_100_000 }),
		fc.integer({ min: 1_711_800_000, max: 1_711_900_000 }),
		fc.integer({ min: 1_700_000_000, max: 1_760_000_000 }),
	),
	station: fc.option(fc.oneof(fc.constantFrom('Depot 1', 'Depot 2', '1', 'true'), fc.nat(3), fc.boolean())),
});

const wire = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 19);

const rowOf = ({ millionths, status, start, station }: Session, Id: number): Row => ({
	Id,
	Status: status,
	EnergyConsumed: millionths === null ? null : millionths / MILLION,
	StartedAtUtc: wire(start),
	StationName: station,
});

/** The same figures without any of the code that is tried: whole numbers, arrays and luxon's own local date. */
function naive(sessions: Session[]) {
	return {
		count: sessions.length,
		energyConsumed: sessions.reduce((sum, { millionths }) => sum + (millionths ?? 0), 0) / MILLION,
		withoutEnergy: sessions.filter(({ millionths }) => millionths === null).length,
	};
}

function groupsOf<Key>(sessions: Session[], key: (session: Session) => Key): Map<Key, Session[]> {
	const groups = new Map<Key, Session[]>();
	for (const each of sessions) groups.set(key(each), [...(groups.get(key(each)) ?? []), each]);
	return groups;
}

const plan: SummaryPlan = {
	measures: [{ field: 'EnergyConsumed', function: 'sum' }],
	groupBy: [{ by: 'status' }, { by: 'day' }, { by: 'field', field: 'StationName' }],
	result: 'oneItem',
	maxGroups: 3,
	orderGroupsBy: 'count',
};
const context = (zone: string): SummaryContext => ({
	rows: 'sessions',
	dateField: 'StartedAtUtc',
	knownFields: ['EnergyConsumed'],
	zone,
	today: '2026-11-21',
});

function summarize(pages: Row[][], zone: string) {
	const summary = new Summary(plan, context(zone));
	const figures = summary.begin();
	for (const page of pages) figures.add(page);
	return summary.items[0] ?? {};
}

it('a summary is what a naive computation gives, whatever the order and the pages', () => {
	fc.assert(
		fc.property(
			fc.array(session, { maxLength: 40, size: 'max' }),
			fc.constantFrom(...ZONES),
			fc.infiniteStream(fc.nat(99)),
			(sessions, zone, shuffle) => {
				const rows = sessions.map(rowOf);
				const json = summarize([rows], zone);

				const pages: Row[][] = [];
				const order = rows.map((row) => ({ row, key: Number(shuffle.next().value) })).sort((a, b) => a.key - b.key);
				for (const { row, key } of order) {
					const last = pages.at(-1);
					if (!last || key % 3 === 0) pages.push([row]);
					else last.push(row);
				}
				expect(summarize(pages, zone)).toEqual(json);

				expect(json).toMatchObject(naive(sessions));
				const starts = sessions.map(({ start }) => start).sort((a, b) => a - b);
				const millis = (text: unknown) => (typeof text === 'string' ? Date.parse(text) / 1000 : undefined);
				expect([millis(json.firstStartedAt), millis(json.lastStartedAt)]).toEqual([starts[0], starts.at(-1)]);

				const byStatus = json.byStatus as Array<Record<string, unknown>>;
				const statuses = groupsOf(sessions, ({ status }) => status);
				expect(byStatus).toHaveLength(statuses.size);
				for (const group of byStatus)
					expect(group).toMatchObject(naive(statuses.get(group.status as number | null) ?? []));

				const byDay = json.byDay as Array<Record<string, unknown>>;
				const days = groupsOf(sessions, ({ start }) => DateTime.fromSeconds(start, { zone }).toISODate());
				expect(byDay.filter(({ count }) => count !== 0)).toHaveLength(days.size);
				for (const group of byDay) expect(group).toMatchObject(naive(days.get(String(group.day)) ?? []));
				expect(byDay.map(({ day }) => day)).toEqual(byDay.map(({ day }) => String(day)).sort());

				const byField = json.byField as Array<Record<string, unknown>>;
				const stations = groupsOf(sessions, ({ station }) => station);
				expect(byField).toHaveLength(Math.min(3, stations.size));
				for (const group of byField)
					expect(group).toMatchObject(naive(stations.get(group.value as Session['station']) ?? []));
				const shown = new Set(byField.map(({ value }) => value));
				const others = sessions.filter(({ station }) => !shown.has(station));
				expect(json.otherValues).toEqual({ values: stations.size - byField.length, ...naive(others) });
				const least = Math.min(...byField.map(({ count }) => Number(count)));
				for (const [value, members] of stations)
					if (!shown.has(value)) expect(members.length).toBeLessThanOrEqual(least);
			},
		),
		{ numRuns: RUNS },
	);
});
