import { Bench, MINUTE, short, statusFilter } from './triggerSupport.ts';
import { ENGINES, TriggerRig } from './triggerRig.ts';

const bench = new Bench({ stations: 6 });

interface Refused {
	rig: TriggerRig;
	/** Lets the platform refuse, and lets it answer again. */
	refuse: () => void;
	relent: () => void;
}

const KEY = 'stations:read';

/** Everything the platform may refuse for good, each with what makes it refuse and what ends that. */
const REFUSALS: Record<string, (rig: TriggerRig, keyId: string) => Pick<Refused, 'refuse' | 'relent'>> = {
	'licence inactive': () => ({
		refuse: () => (bench.platform.license.active = false),
		relent: () => (bench.platform.license.active = true),
	}),
	'scope missing': (_, keyId) => ({
		refuse: () => bench.platform.rescope(keyId, ['charging-sessions:read']),
		relent: () => bench.platform.rescope(keyId, ['charging-stations:read']),
	}),
	'key revoked': (rig, keyId) => ({
		refuse: () => bench.platform.revoke(keyId),
		relent: () => (rig.credential.apiKey = bench.platform.createKey({ scopes: ['charging-stations:read'] }).secret),
	}),
	'role refused': () => ({
		refuse: () => (bench.platform.behaviour.roleRules.accountantRefused = ['charging-stations']),
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

function prepareRefusal(engine: (typeof ENGINES)[number], kind: string): Refused {
	bench.platform.behaviour.scopeDelayMs = 0;
	const role = kind === 'role refused' ? 'Accountant' : 'CompanyAdmin';
	const key = bench.platform.createKey({ name: KEY, role, scopes: ['charging-stations:read'] });
	const rig = new TriggerRig(engine, { event: 'availability' }, { ...bench.credential(), apiKey: key.secret });
	const switches = REFUSALS[kind]?.(rig, key.id);
	if (!switches) throw new Error(`No refusal ${kind}`);
	return { rig, ...switches };
}

describe.each(ENGINES)('engine %s', (engine) => {
	describe.each(Object.keys(REFUSALS))('%s', (kind) => {
		it('for an hour alerts at the start and at the hour, and asks at most eight times', async () => {
			const { rig, refuse, relent } = prepareRefusal(engine, kind);
			await rig.activate();
			await bench.minutes(rig, 2);
			refuse();
			bench.set({ NetworkStatus: 2 }, 3);
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
			expect(short(rig.items)).toEqual(['offline 3']);
			expect(rig.errors).toHaveLength(2);
		});

		it('over a restart keeps the trigger alive, alerts with the next poll and resumes', async () => {
			const { rig, refuse, relent } = prepareRefusal(engine, kind);
			await rig.activate();
			await bench.minutes(rig, 2);
			refuse();
			bench.set({ NetworkStatus: 2 }, 3);
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
			expect(short(rig.items)).toEqual(['offline 3']);
		});

		it('at the first activation throws a message to act on, and asks once for five tries', async () => {
			const { rig, refuse, relent } = prepareRefusal(engine, kind);
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
			// A person who tries again once it is put right is not told of the past.
			bench.clock.forward(MINUTE);
			await rig.activate();
			bench.set({ NetworkStatus: 2 }, 3);
			await bench.minutes(rig, 1);
			expect(short(rig.items)).toEqual(['offline 3']);
		});
	});

	it.each([
		['429', { kind: 'status', status: 429, headers: { 'retry-after': '600' } }],
		['500', { kind: 'status', status: 500 }],
		['503 as HTML', { kind: 'html', status: 503 }],
		['a dropped connection', { kind: 'drop' }],
		['half an answer', { kind: 'dropMidBody' }],
	] as const)('%s is sat out without a word, over a restart too', async (_, fault) => {
		const rig = new TriggerRig(engine, { event: 'availability' }, bench.credential());
		await rig.activate();
		bench.set({ NetworkStatus: 2 }, 3);
		bench.platform.faults.add({ ...fault, times: Infinity });
		await bench.minutes(rig, 3);
		await rig.restart();
		await bench.minutes(rig, 3);
		bench.platform.faults.clear();
		expect(rig.items).toEqual([]);
		await bench.minutes(rig, 12);
		expect(short(rig.items)).toEqual(['offline 3']);
		expect(rig.errors).toEqual([]);
	});

	it('a server that is down at the first activation is reported, and asked for one poll only', async () => {
		const rig = new TriggerRig(engine, { event: 'availability' }, bench.credential());
		bench.platform.faults.add({ kind: 'status', status: 500, times: Infinity });
		const sent = await bench.requestsOf(async () => await expect(rig.activate()).rejects.toThrow());
		expect(sent).toBe(3);
	});

	it('a filter that cannot be read alerts once an hour and asks nothing', async () => {
		const rig = new TriggerRig(engine, { event: 'availability' }, bench.credential());
		await rig.activate();
		await rig.republish({ parameters: { event: 'availability', filters: statusFilter('status', '') } });
		const sent = await bench.requestsOf(async () => await bench.minutes(rig, 30));
		expect(sent).toBe(0);
		expect(rig.errors).toHaveLength(1);
		expect(rig.errors[0]?.message).toMatch(/Filters > Status/);
		await rig.republish({ parameters: { event: 'availability' } });
		bench.set({ NetworkStatus: 2 }, 3);
		await bench.minutes(rig, 2);
		expect(short(rig.items)).toEqual(['offline 3']);
	});
});
