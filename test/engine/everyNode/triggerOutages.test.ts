import { CHARGE_POINT_TRIGGER, points, setPoints } from '../../support/chargePointTrigger/support.ts';
import { SessionBench } from '../../support/sessionTrigger/support.ts';
import { MINUTE } from '../../support/stationTrigger/support.ts';
import { ENGINES, type Engine, type TriggerRig } from '../../support/trigger/rig.ts';
import { GONE_ROW, rigOf, TARGETS, type RefusedTarget } from '../../support/trigger/targets.ts';

/** What all triggers promise while the platform refuses, or cannot be reached: nothing is lost, and no outage is silent. */
const bench = new SessionBench({ stations: 6 });

interface Refused {
	rig: TriggerRig;
	/** Makes the platform refuse; `relent` makes it answer again. */
	refuse: () => void;
	relent: () => void;
}

/** Every lasting refusal, with what starts it and what ends it. */
const REFUSALS: Record<
	string,
	(rig: TriggerRig, keyId: string, target: RefusedTarget) => Pick<Refused, 'refuse' | 'relent'>
> = {
	'licence inactive': () => ({
		refuse: () => (bench.platform.license.active = false),
		relent: () => (bench.platform.license.active = true),
	}),
	'scope missing': (_, keyId, { area, otherArea }) => ({
		refuse: () => bench.platform.rescope(keyId, [`${otherArea}:read`]),
		relent: () => bench.platform.rescope(keyId, [`${area}:read`]),
	}),
	'key revoked': (rig, keyId, { area }) => ({
		refuse: () => bench.platform.revoke(keyId),
		relent: () => (rig.credential.apiKey = bench.platform.createKey({ scopes: [`${area}:read`] }).secret),
	}),
	'role refused': (_rig, _keyId, { area }) => ({
		refuse: () => (bench.platform.behaviour.accountantRefused = [area]),
		relent: () => (bench.platform.behaviour.accountantRefused = []),
	}),
	'filter refused': () => refusedBy({ kind: 'status', status: 400, body: { Message: 'Property Foo does not exist' } }),
	'not the platform': () =>
		refusedBy({ kind: 'reply', status: 200, headers: { 'content-type': 'text/html' }, body: '<html>Hello</html>' }),
	'another host': () => refusedBy({ kind: 'reply', status: 302, headers: { location: 'https://elsewhere.example/' } }),
};

function refusedBy(fault: Omit<Parameters<typeof bench.platform.faults.add>[0], 'times'>) {
	return {
		refuse: () => bench.platform.faults.add({ ...fault, times: Infinity }),
		relent: () => bench.platform.faults.clear(),
	};
}

function rigFor(engine: Engine, target: RefusedTarget, role: 'Accountant' | 'CompanyAdmin' = 'CompanyAdmin') {
	const key = bench.platform.createKey({ role, scopes: [`${target.area}:read`] });
	return { rig: rigOf(target, engine, { ...bench.credential(), apiKey: key.secret }), keyId: key.id };
}

function prepareRefusal(engine: Engine, kind: string, target: RefusedTarget): Refused {
	bench.platform.behaviour.scopeDelayMs = 0;
	const { rig, keyId } = rigFor(engine, target, kind === 'role refused' ? 'Accountant' : 'CompanyAdmin');
	const switches = REFUSALS[kind]?.(rig, keyId, target);
	if (!switches) throw new Error(`No refusal ${kind}`);
	return { rig, ...switches };
}

/** Triggers, refusals and engines take turns: each trigger meets some of the refusals, and each refusal some triggers. */
const ALL: readonly RefusedTarget[] = [...TARGETS, GONE_ROW];
function inTurns<Kinds extends object>(kinds: Kinds, each: number) {
	const names = Object.keys(kinds) as Array<keyof Kinds & string>;
	return ALL.flatMap((target, index) =>
		Array.from({ length: each }, (_, nth) => ({
			...target,
			kind: names[(each * index + nth) % names.length] as keyof Kinds & string,
			engine: ENGINES[(index + nth) % 3] ?? 'memory',
		})),
	);
}

describe.each(inTurns(REFUSALS, 2))('$type, $event, engine $engine, $kind', ({ engine, kind, ...target }) => {
	const event = `${target.event} 3`;
	const happen = () => target.happen(bench, 3);

	it('lasting an hour alerts at the start and after the hour, with at most eight requests', async () => {
		const { rig, refuse, relent } = prepareRefusal(engine, kind, target);
		await rig.activate();
		await bench.minutes(rig, 2);
		refuse();
		happen();
		const sent = await bench.requestsOf(async () => {
			await bench.minutes(rig, 1);
			expect(rig.errors).toHaveLength(1);
			await bench.minutes(rig, 59);
			expect(rig.errors).toHaveLength(1);
			await bench.minutes(rig, 1);
			expect(rig.errors).toHaveLength(2);
		});
		expect(sent).toBeLessThanOrEqual(8);
		expect(rig.items).toEqual([]);
		for (const error of rig.errors) expect(error.message).toBe(rig.errors[0]?.message);
		relent();
		await bench.minutes(rig, 16);
		expect(target.told(rig.items)).toEqual([event]);
		expect(rig.errors).toHaveLength(2);
	});

	it('over a restart keeps the trigger active, alerts soon after and resumes', async () => {
		const { rig, refuse, relent } = prepareRefusal(engine, kind, target);
		await rig.activate();
		await bench.minutes(rig, 2);
		refuse();
		happen();
		await rig.restart();
		await bench.minutes(rig, 1);
		if (engine !== 'memory') {
			expect(rig.errors).toHaveLength(0);
			await bench.minutes(rig, 1);
		}
		expect(rig.errors).toHaveLength(1);
		await bench.minutes(rig, 5);
		expect(rig.errors).toHaveLength(1);
		relent();
		await bench.minutes(rig, 16);
		expect(target.told(rig.items)).toEqual([event]);
	});

	it('at the first activation throws a message to act on, and sends one request for five tries', async () => {
		const { rig, refuse, relent } = prepareRefusal(engine, kind, target);
		refuse();
		const tries: number[] = [];
		const sent = await bench.requestsOf(async () => {
			const activating = rig.activate('activate', 5, (attempt) => {
				tries.push(attempt);
				bench.clock.forward(1000 * 2 ** (attempt - 1));
			});
			await expect(activating).rejects.toThrow(/\w+ \w+/);
			const message = await activating.catch((error: Error & { description?: string }) => error.description ?? '');
			expect(message).toMatch(/\w+ \w+ \w+/);
		});
		expect(tries).toEqual([1, 2, 3, 4]);
		expect(sent).toBe(1);
		expect(rig.saved()).toEqual({});
		relent();
		// An activation after that does not report the past.
		bench.clock.forward(5 * MINUTE);
		await rig.activate();
		happen();
		await bench.minutes(rig, target.pollsUntilTold ?? 1);
		expect(target.told(rig.items)).toEqual([event]);
	});
});

const WAITED_OUT = {
	'429': { kind: 'status', status: 429, headers: { 'retry-after': '600' } },
	'500': { kind: 'status', status: 500 },
	'503 as HTML': { kind: 'html', status: 503 },
	'a dropped connection': { kind: 'drop' },
	'half an answer': { kind: 'dropMidBody' },
} as const;

describe.each(inTurns(WAITED_OUT, 2))('$type, $event, engine $engine, $kind', ({ kind, engine, ...target }) => {
	it('is waited out silently, even over a restart', async () => {
		const { rig } = rigFor(engine, target);
		await rig.activate();
		target.happen(bench, 3);
		bench.platform.faults.add({ ...WAITED_OUT[kind], times: Infinity });
		await bench.minutes(rig, 3);
		await rig.restart();
		await bench.minutes(rig, 3);
		bench.platform.faults.clear();
		expect(rig.items).toEqual([]);
		await bench.minutes(rig, 12);
		expect(target.told(rig.items)).toEqual([`${target.event} 3`]);
		expect(rig.errors).toEqual([]);
	});
});

describe.each(inTurns({ each: true }, 1))('$type, $event, engine $engine', ({ engine, ...target }) => {
	it('a server that is down at the first activation is reported after three requests', async () => {
		const { rig } = rigFor(engine, target);
		bench.platform.faults.add({ kind: 'status', status: 500, times: Infinity });
		const sent = await bench.requestsOf(async () => await expect(rig.activate()).rejects.toThrow());
		expect(sent).toBe(3);
	});

	it('a filter that cannot be read alerts once in half an hour and sends no request', async () => {
		const { rig } = rigFor(engine, target);
		await rig.activate();
		await bench.minutes(rig, 1);
		await rig.republish({ parameters: { ...target.parameters, filters: target.emptyFilter } });
		const sent = await bench.requestsOf(async () => await bench.minutes(rig, 30));
		expect(sent).toBe(0);
		expect(rig.errors).toHaveLength(1);
		expect(rig.errors[0]?.message).toMatch(/Filters > (Administrative )?(Status|Field) 1/);
		await rig.republish({ parameters: target.parameters });
		target.happen(bench, 3);
		await bench.minutes(rig, 2);
		expect(target.told(rig.items)).toEqual([`${target.event} 3`]);
	});
});

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

async function underway(target: RefusedTarget, engine: Engine): Promise<TriggerRig> {
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

describe.each(inTurns(OUTAGES, 1))('$type, $event, engine $engine, $kind', ({ kind, engine, ...target }) => {
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

describe.each(inTurns(LONG_WAITS, 1))('$type, $event, engine $engine, $kind', ({ kind, engine, ...target }) => {
	it('is said at once, and again after six hours', async () => {
		const rig = await underway(target, engine);
		bench.platform.faults.add({ ...LONG_WAITS[kind], times: Infinity });
		await bench.minutes(rig, 1);
		expect(rig.errors.map(({ message }) => message)).toEqual([expect.stringMatching(/could not be read since/)]);
		expect(await alertsAfter(rig, 5, 60)).toBe(1);
		expect(await alertsAfter(rig, 1, 60)).toBe(2);
	});
});

it.each(ENGINES)(
	'says nothing of a long wait in the first poll after a start, which n8n would give the trigger up for: engine %s',
	async (engine) => {
		const rig = await underway(ALL[0] as RefusedTarget, engine);
		bench.platform.faults.add({ ...LONG_WAITS['429 for five days'], times: Infinity });
		await rig.restart();
		if (engine !== 'memory') await bench.minutes(rig, 1);
		expect(rig.errors).toEqual([]);
		await bench.minutes(rig, 1);
		expect(rig.errors).toHaveLength(1);
		if (engine !== 'memory') return;
		await rig.republish();
		expect(rig.errors).toHaveLength(1);
	},
);

it('begins to count again after a poll that could read', async () => {
	const rig = await underway(ALL[0] as RefusedTarget, 'memory');
	for (let outage = 0; outage < 3; outage++) {
		bench.platform.faults.add({ kind: 'status', status: 503, times: Infinity });
		expect(await alertsAfter(rig, 3)).toBe(0);
		bench.platform.faults.clear();
		expect(await alertsAfter(rig, 1)).toBe(0);
	}
});

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
