import { CHARGE_POINT_TRIGGER, setPoints, points } from '../../support/chargePointTrigger/support.ts';
import { SessionBench } from '../../support/sessionTrigger/support.ts';
import { MINUTE } from '../../support/stationTrigger/support.ts';
import { ENGINES, TriggerRig } from '../../support/trigger/rig.ts';
import { GONE_ROW, rigOf, TARGETS, type RefusedTarget } from '../../support/trigger/targets.ts';

/** What all triggers promise of an outage that lasts: a watch that sees nothing says so. */
const bench = new SessionBench({ stations: 6 });
const TARGETS_AND_ENGINES: readonly RefusedTarget[] = [...TARGETS, GONE_ROW];

const QUOTA = { message: 'Out of call volume quota. Quota will be replenished in 4.23:10:20.' };
const FIVE_DAYS = { 'retry-after': '432000' };
const LONG_WAITS = {
	'403 out of quota': { kind: 'status', status: 403, headers: FIVE_DAYS, body: { statusCode: 403, ...QUOTA } },
	'429 for five days': { kind: 'status', status: 429, headers: FIVE_DAYS },
	'503 for five days': { kind: 'status', status: 503, headers: FIVE_DAYS },
} as const;
const OUTAGES = {
	'503': { kind: 'status', status: 503 },
	'500': { kind: 'status', status: 500 },
	'502 as a web page': { kind: 'html', status: 502 },
	'broken connections': { kind: 'drop' },
	'429 for ten minutes, again and again': { kind: 'status', status: 429, headers: { 'retry-after': '600' } },
} as const;

/** Each trigger meets some of these, and each of these some triggers; the engines take turns. */
const someOf = <Kinds extends object>(kinds: Kinds, each: number) => {
	const names = Object.keys(kinds) as Array<keyof Kinds & string>;
	return TARGETS_AND_ENGINES.flatMap((target, index) =>
		Array.from({ length: each }, (_, nth) => ({
			...target,
			kind: names[(each * index + nth) % names.length] as keyof Kinds,
			engine: ENGINES[(index + nth) % 3] ?? 'memory',
		})),
	);
};

async function underway(target: RefusedTarget, engine: (typeof ENGINES)[number]): Promise<TriggerRig> {
	const rig = rigOf(target, engine, bench.credential());
	await rig.activate();
	await bench.minutes(rig, 1);
	return rig;
}

/** How many failed executions there were after this many more polls. */
async function alertsAfter(rig: TriggerRig, polls: number, apartMinutes = 10): Promise<number> {
	await bench.polls(rig, polls, apartMinutes * MINUTE);
	return rig.errors.length;
}

describe.each(someOf(OUTAGES, 2))('$type, $event, engine $engine, $kind', ({ kind, engine, ...target }) => {
	it('is said after half an hour, with the reason and since when, and again after six hours', async () => {
		const rig = await underway(target, engine);
		bench.platform.faults.add({ ...OUTAGES[kind], times: Infinity });
		target.happen(bench, 3);
		expect(await alertsAfter(rig, 3)).toBe(0);
		expect(await alertsAfter(rig, 1)).toBe(1);
		const { message, description } = rig.errors[0] as Error & { description: string };
		expect(message).toMatch(/^The .* could not be read since \d\d:\d\d$|since \d+ \w{3} \d\d:\d\d$/);
		expect(description).toMatch(/rate limit|cannot answer|connection/i);
		expect(await alertsAfter(rig, 5, 60)).toBe(1);
		expect(await alertsAfter(rig, 1, 60)).toBe(2);
		bench.platform.faults.clear();
		await bench.minutes(rig, 16);
		expect(target.told(rig.items)).toEqual([`${target.event} 3`]);
		expect(rig.errors).toHaveLength(2);
	});
});

describe.each(someOf(LONG_WAITS, 1))('$type, $event, engine $engine, $kind', ({ kind, engine, ...target }) => {
	it('is said at once, and again after six hours', async () => {
		const rig = await underway(target, engine);
		bench.platform.faults.add({ ...LONG_WAITS[kind], times: Infinity });
		await bench.minutes(rig, 1);
		expect(rig.errors.map(({ message }) => message)).toEqual([expect.stringMatching(/could not be read since/)]);
		expect(await alertsAfter(rig, 5, 60)).toBe(1);
		expect(await alertsAfter(rig, 1, 60)).toBe(2);
	});
});

describe.each(TARGETS_AND_ENGINES.map((target, index) => ({ ...target, engine: ENGINES[index % 3] ?? 'memory' })))(
	'$type, $event, engine $engine',
	({ engine, ...target }) => {
		it('says nothing of a long wait in the first poll after a start, which n8n would give the trigger up for', async () => {
			const rig = await underway(target, engine);
			bench.platform.faults.add({ ...LONG_WAITS['429 for five days'], times: Infinity });
			await rig.restart();
			if (engine !== 'memory') await bench.minutes(rig, 1);
			expect(rig.errors).toEqual([]);
			await bench.minutes(rig, 1);
			expect(rig.errors).toHaveLength(1);
			if (engine !== 'memory') return;
			await rig.republish();
			expect(rig.errors).toHaveLength(1);
		});

		it('begins to count again after a poll that could read', async () => {
			const rig = await underway(target, engine);
			for (let outage = 0; outage < 3; outage++) {
				bench.platform.faults.add({ kind: 'status', status: 503, times: Infinity });
				expect(await alertsAfter(rig, 3)).toBe(0);
				bench.platform.faults.clear();
				expect(await alertsAfter(rig, 1)).toBe(0);
			}
		});
	},
);

describe('a poll in which nothing can be read', () => {
	const isDetail = ({ path }: { path: string }) => /\/v1\/\d+$/.test(path);
	it.each([
		['429', { kind: 'status', status: 429, headers: { 'retry-after': '600' } }],
		['503', { kind: 'status', status: 503 }],
	] as const)('counts: the list of stations answers, and every detail %s', async (_, fault) => {
		const target = TARGETS.find(({ type }) => type === CHARGE_POINT_TRIGGER);
		if (!target) throw new Error('There is no such target');
		const rig = await underway(target, 'memory');
		bench.platform.faults.add({ ...fault, match: isDetail, times: Infinity });
		expect(await alertsAfter(rig, 3)).toBe(0);
		expect(await alertsAfter(rig, 1)).toBe(1);
		expect(rig.errors[0]?.message).toMatch(/^The charge points could not be read since/);
		bench.platform.faults.clear();
		setPoints(bench, 3, points(3, 9));
		await bench.minutes(rig, 16);
		expect(target.told(rig.items)).toEqual([`${target.event} 3`]);
	});

	it('counts: new sessions answer, and whether they match the filter does not', async () => {
		const filters = { energyConsumed: [{ operator: 'Lt', value: '50' }] };
		const rig = await bench.rig('memory', { events: ['started'], filters });
		const isLookUp = ({ query = '' }: { query?: string }) => query.includes('"In"');
		bench.platform.faults.add({ kind: 'status', status: 503, match: isLookUp, times: Infinity });
		bench.start(7);
		expect(await alertsAfter(rig, 3)).toBe(0);
		expect(await alertsAfter(rig, 1)).toBe(1);
		bench.platform.faults.clear();
		await bench.minutes(rig, 2);
		expect(rig.items).toHaveLength(1);
	});
});
