import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';

import { randomFrom, seeds } from '../../support/draws.ts';
import { during } from '../../support/summary.ts';
import { at, SummaryBench, ZONE, type TestSession } from '../../support/summaryBench.ts';

/** Two weeks, with a day of 25 hours. */
const [FROM, TO] = ['2026-10-19T00:00:00', '2026-11-02T00:00:00'];
const QUARTER = 900;
const PERIODS = ['day', 'week', 'month'] as const;
type Period = (typeof PERIODS)[number];

const bench = new SummaryBench();

/** The name of the day, week or month of a time. */
const nameOf = (second: number, by: Period) =>
	DateTime.fromSeconds(second, { zone: ZONE }).toFormat(
		{ day: 'yyyy-MM-dd', week: "kkkk-'W'WW", month: 'yyyy-MM' }[by],
	);

/** The keys of all groups that something at a station belongs to. */
const keysOf = (time: string, station: string) => ['', time, station, `${time} ${station}`];

const add = (tally: Map<string, number>, key: string, amount: number) => tally.set(key, (tally.get(key) ?? 0) + amount);
const text = (value: unknown) => (typeof value === 'string' ? value : '');

/** Checks the total and the groups by time, by station and by both, each with its key. */
async function checkGroups(
	measure: Record<string, string>,
	by: Period,
	times: readonly string[],
	check: (item: IDataObject, key: string) => void,
): Promise<IDataObject[]> {
	const groups = { groupBy: [by, 'field'], groupByField: 'StationName' };
	const one = (await bench.summarize(measure, during(FROM, TO), groups)).json[0] ?? {};
	check(one, '');
	const byTime = one[`by${by[0]?.toUpperCase()}${by.slice(1)}`] as IDataObject[];
	expect(byTime.map((group) => group[by])).toEqual(times);
	for (const group of byTime) check(group, text(group[by]));
	for (const group of one.byField as IDataObject[]) check(group, text(group.value));
	const table = await bench.summarize(measure, during(FROM, TO), { ...groups, result: 'itemPerGroup' });
	expect(table.json.length).toBeGreaterThan(0);
	for (const item of table.json) check(item, `${text(item[by])} ${text(item.StationName)}`);
	return table.json;
}

it.each(seeds())('Use against a tally of every quarter of an hour: seed %i', async (seed) => {
	const random = randomFrom(seed);
	const upTo = (most: number) => Math.floor(random() * (most + 1));
	const sessions = Array.from({ length: 80 }, () => {
		const start = at(FROM) + QUARTER * (upTo(21 * 96) - 6 * 96);
		const station = upTo(1) === 0 ? 'Depot' : 'Harbour';
		const length = QUARTER * (upTo(3) === 0 ? upTo(300) : upTo(20));
		return { start, end: upTo(15) === 0 ? null : start + length, station, point: `${station} ${upTo(2)}` };
	});
	bench.store(sessions);
	const by = PERIODS[seed % 3] ?? 'day';
	const seen = sessions.filter(
		({ start, end }) => start < at(TO) && (end === null || end > at(FROM) || start >= at(FROM)),
	);
	const points = new Map(seen.map(({ point, station }) => [point, station]));
	const used = new Map<string, number>();
	const possible = new Map<string, number>();
	const times = new Set<string>();
	for (let second = at(FROM); second < at(TO); second += QUARTER) {
		const time = nameOf(second, by);
		times.add(time);
		for (const [point, station] of points) {
			const isUsed = sessions.some(
				(each) => each.point === point && each.start <= second && (each.end === null || each.end > second),
			);
			for (const key of keysOf(time, station)) {
				add(possible, key, 0.25);
				if (isUsed) add(used, key, 0.25);
			}
		}
	}
	const measure = { function: 'use', endField: 'EndedAtUtc', chargePointField: 'Note' };
	const table = await checkGroups(measure, by, [...times], (item, key) =>
		expect([key, item.useHours, item.useHoursPossible]).toEqual([key, used.get(key) ?? 0, possible.get(key)]),
	);
	expect(table.reduce((sum, { useHours }) => sum + Number(useHours), 0)).toBe(used.get(''));
});

it.each(seeds())('Energy Use against a tally of every hour and session: seed %i', async (seed) => {
	const random = randomFrom(seed);
	const upTo = (most: number) => Math.floor(random() * (most + 1));
	const sessions = Array.from({ length: 80 }, () => {
		const start = at(FROM) + upTo(16 * 24 * 3600) - 24 * 3600;
		const station = upTo(1) === 0 ? 'Depot' : 'Harbour';
		return {
			...{ start, station, point: upTo(15) === 0 ? null : `${station} ${upTo(5)}` },
			energy: upTo(9) === 0 ? null : upTo(40_000) / 1000,
			power: upTo(2) === 0 ? ([11, 22.5, 3.7][upTo(2)] ?? 0) : upTo(3) === 0 ? 0 : null,
		};
	}) satisfies TestSession[];
	bench.store(sessions);
	const by = PERIODS[seed % 3] ?? 'day';
	const highest = new Map<string | null, { station: string; power: number }>();
	const inside = sessions.filter(({ start, point }) => start >= at(FROM) && start < at(TO) && point !== null);
	for (const { point, station, power } of inside) {
		if (power) highest.set(point, { station, power: Math.max(power, highest.get(point)?.power ?? 0) });
	}
	const energy = new Map<string, number>();
	const possible = new Map<string, number>();
	for (const each of inside.filter(({ point }) => highest.has(point)))
		for (const key of keysOf(nameOf(each.start, by), each.station)) add(energy, key, each.energy ?? 0);
	const times = new Set<string>();
	for (let second = at(FROM); second < at(TO); second += 3600) {
		const time = nameOf(second, by);
		times.add(time);
		for (const { station, power } of highest.values())
			for (const key of keysOf(time, station)) add(possible, key, power);
	}
	const near = (value: number, digits = 6) => expect.closeTo(value, digits) as number;
	const measure = { function: 'energyUse', powerField: 'Price', chargePointField: 'Note' };
	await checkGroups(measure, by, [...times], (item, key) => {
		// A table lists a station on a day with sessions that are all left out, too: nothing is known of it.
		const isLeftOut = key.includes(' ') && !energy.has(key);
		const given = energy.get(key) ?? 0;
		const most = isLeftOut ? 0 : (possible.get(key) ?? 0);
		expect([key, item.energyUseEnergy, item.energyUseEnergyPossible, item.energyUse]).toEqual([
			...[key, near(given), near(most)],
			isLeftOut ? null : near((100 * given) / most, 1),
		]);
	});
});
