import { SessionBench } from '../../support/sessionTrigger/support.ts';
import { MINUTE } from '../../support/stationTrigger/support.ts';
import { ENGINES, type Engine, type TriggerRig } from '../../support/trigger/rig.ts';
import { GONE_ROW, rigOf, TARGETS, type RefusedTarget } from '../../support/trigger/targets.ts';

/** What all triggers promise while the platform refuses or cannot be reached. */
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
		refuse: () => (bench.platform.behaviour.roleRules.accountantRefused = [area]),
		relent: () => (bench.platform.behaviour.roleRules.accountantRefused = []),
	}),
	'filter refused': () => refusedBy({ kind: 'status', status: 400, body: { Message: 'Property Foo does not exist' } }),
	'not the platform': () =>
		refusedBy({ kind: 'reply', status: 200, headers: { 'content-type': 'text/html' }, body: '<html>Hello</html>' }),
	'another host': () => ({
		refuse: () => (bench.platform.behaviour.redirectTo = 'https://elsewhere.example/'),
		relent: () => (bench.platform.behaviour.redirectTo = undefined),
	}),
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

/** The engines differ in what they save, so they take turns: each trigger meets each of them, and so does each refusal. */
const ALL: readonly RefusedTarget[] = [...TARGETS, GONE_ROW];
const CASES = ALL.flatMap((target, index) =>
	Object.keys(REFUSALS).map((kind, nth) => ({ ...target, kind, engine: ENGINES[(index + nth) % 3] ?? 'memory' })),
);

describe.each(CASES)('$type, $event, engine $engine, $kind', ({ engine, kind, ...target }) => {
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

describe.each(ALL.map((target, index) => ({ ...target, engine: ENGINES[index % 3] ?? 'memory' })))(
	'$type, $event, engine $engine',
	({ engine, ...target }) => {
		const event = `${target.event} 3`;
		const happen = () => target.happen(bench, 3);

		it.each([
			['429', { kind: 'status', status: 429, headers: { 'retry-after': '600' } }],
			['500', { kind: 'status', status: 500 }],
			['503 as HTML', { kind: 'html', status: 503 }],
			['a dropped connection', { kind: 'drop' }],
			['half an answer', { kind: 'dropMidBody' }],
		] as const)('%s is waited out silently, even over a restart', async (_, fault) => {
			const { rig } = rigFor(engine, target);
			await rig.activate();
			happen();
			bench.platform.faults.add({ ...fault, times: Infinity });
			await bench.minutes(rig, 3);
			await rig.restart();
			await bench.minutes(rig, 3);
			bench.platform.faults.clear();
			expect(rig.items).toEqual([]);
			await bench.minutes(rig, 12);
			expect(target.told(rig.items)).toEqual([event]);
			expect(rig.errors).toEqual([]);
		});

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
			happen();
			await bench.minutes(rig, 2);
			expect(target.told(rig.items)).toEqual([event]);
		});
	},
);
