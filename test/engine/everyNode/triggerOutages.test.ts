import partition from 'lodash/partition.js';

import { CHARGE_POINT_TRIGGER, points, setPoints } from '../../support/chargePointTrigger/support.ts';
import { TIME_OF_DAY } from '../../support/clock.ts';
import { list, ROWS_TRIGGER, SESSION_LIST } from '../../support/rowsTrigger/support.ts';
import { SessionBench } from '../../support/sessionTrigger/support.ts';
import { MINUTE } from '../../support/stationTrigger/support.ts';
import { TriggerRig } from '../../support/trigger/rig.ts';
import { inTurns, rigOf, TARGETS, underway, type InTurn } from '../../support/trigger/targets.ts';

/** What all triggers promise while the platform refuses, or cannot be reached: nothing is lost, and no outage is silent. */
const bench = new SessionBench({ stations: 6 });
const ON = '$type, $event, engine $engine';

interface Refusal {
	rig: TriggerRig;
	keyId: string;
	target: InTurn;
}

type Switch = (refusal: Refusal) => unknown;
const answering = (fault: Omit<Parameters<typeof bench.platform.faults.add>[0], 'times'>): [Switch, Switch] => [
	() => bench.platform.faults.add({ ...fault, times: Infinity }),
	() => bench.platform.faults.clear(),
];

/** Every lasting refusal: what makes the platform refuse, and what makes it answer again. */
const REFUSALS: Record<string, [refuse: Switch, relent: Switch]> = {
	'licence inactive': [() => (bench.platform.license.active = false), () => (bench.platform.license.active = true)],
	'scope missing': [
		({ keyId, target }) => {
			const other = target.area === 'charging-stations' ? 'charging-sessions' : 'charging-stations';
			bench.platform.rescope(keyId, [`${other}:read`]);
		},
		({ keyId, target }) => bench.platform.rescope(keyId, [`${target.area}:read`]),
	],
	'key revoked': [
		({ keyId }) => bench.platform.revoke(keyId),
		({ rig, target }) => (rig.credential.apiKey = bench.platform.createKey({ scopes: [`${target.area}:read`] }).secret),
	],
	'role refused': answering({ kind: 'status', status: 403, body: { Message: 'The role Accountant may not do this' } }),
	'filter refused': answering({ kind: 'status', status: 400, body: { Message: 'Property Foo does not exist' } }),
	'not the platform': answering({
		kind: 'reply',
		status: 200,
		headers: { 'content-type': 'text/html' },
		body: '<html>Hello</html>',
	}),
	'another host': answering({ kind: 'reply', status: 302, headers: { location: 'https://elsewhere.example/' } }),
};

/** The trigger of a target with a key of its own, and what makes the platform refuse it and answer again. */
function refusalOf(target: InTurn) {
	bench.platform.behaviour.scopeDelayMs = 0;
	const key = bench.platform.createKey({ scopes: [`${target.area}:read`] });
	const rig = rigOf(target, target.engine, { ...bench.credential(), apiKey: key.secret });
	const refusal = { rig, keyId: key.id, target };
	const [refuse, relent] = REFUSALS[target.kind] ?? [];
	return { rig, refuse: () => refuse?.(refusal), relent: () => relent?.(refusal) };
}

/** The same after two polls: from now on all is refused, and something has happened. */
async function refusedOf(target: InTurn) {
	const { rig, refuse, relent } = refusalOf(target);
	await rig.activate();
	await bench.minutes(rig, 2);
	refuse();
	target.happen(bench, 3);
	return { rig, relent };
}

const REFUSED = Object.keys(REFUSALS);

describe('a refusal', () => {
	it.each(inTurns(TARGETS, 0, REFUSED))(
		`lasting an hour alerts at the start and after the hour, with at most eight requests: $kind, ${ON}`,
		async (target) => {
			const { rig, relent } = await refusedOf(target);
			const sent = await bench.requestsOf(async () => {
				await bench.minutes(rig, 1);
				expect(rig.errors).toHaveLength(1);
				await bench.minutes(rig, 59);
				expect(rig.errors).toHaveLength(1);
				await bench.minutes(rig, 1);
			});
			expect(sent).toBeLessThanOrEqual(8);
			expect(rig.items).toEqual([]);
			expect(rig.errors.map(({ message }) => message)).toEqual(Array(2).fill(rig.errors[0]?.message));
			relent();
			await bench.minutes(rig, 16);
			expect(target.told(rig.items)).toEqual([`${target.event} 3`]);
			expect(rig.errors).toHaveLength(2);
		},
	);

	it.each(inTurns(TARGETS, 1, REFUSED))(
		`over a restart keeps the trigger active, alerts soon after and resumes: $kind, ${ON}`,
		async (target) => {
			const { rig, relent } = await refusedOf(target);
			await rig.restart();
			await bench.minutes(rig, 1);
			if (target.engine !== 'memory') {
				expect(rig.errors).toHaveLength(0);
				await bench.minutes(rig, 1);
			}
			expect(rig.errors).toHaveLength(1);
			await bench.minutes(rig, 5);
			expect(rig.errors).toHaveLength(1);
			relent();
			await bench.minutes(rig, 16);
			expect(target.told(rig.items)).toEqual([`${target.event} 3`]);
		},
	);

	it.each(inTurns(TARGETS, 2, REFUSED))(
		`at the first activation throws a message to act on, and sends one request for five tries: $kind, ${ON}`,
		async (target) => {
			const { rig, refuse, relent } = refusalOf(target);
			refuse();
			const tries: number[] = [];
			const sent = await bench.requestsOf(async () => {
				const activating = rig.activate('activate', 5, (attempt) => {
					tries.push(attempt);
					bench.clock.forward(1000 * 2 ** (attempt - 1));
				});
				await expect(activating).rejects.toMatchObject({
					message: expect.stringMatching(/\w+ \w+/) as string,
					description: expect.stringMatching(/\w+ \w+ \w+/) as string,
				});
			});
			expect([tries, sent, rig.saved()]).toEqual([[1, 2, 3, 4], 1, {}]);
			relent();
			// An activation after that does not report the past.
			bench.clock.forward(5 * MINUTE);
			await rig.activate();
			target.happen(bench, 3);
			await bench.minutes(rig, 1);
			expect(target.told(rig.items)).toEqual([`${target.event} 3`]);
		},
	);

	it('of a key ends with the next poll once the key is changed', async () => {
		const [target] = inTurns(TARGETS, 0, ['key revoked']) as [InTurn];
		const { rig, relent } = await refusedOf(target);
		await bench.minutes(rig, 30);
		relent();
		await bench.minutes(rig, 1);
		expect(target.told(rig.items)).toEqual([`${target.event} 3`]);
	});
});

const OUTAGES = {
	'429 for ten minutes': { kind: 'status', status: 429, headers: { 'retry-after': '600' } },
	'500': { kind: 'status', status: 500 },
	'503': { kind: 'status', status: 503 },
	'502 as a web page': { kind: 'html', status: 502 },
	'broken connections': { kind: 'drop' },
	'half an answer': { kind: 'dropMidBody' },
} as const;
const OUT = Object.keys(OUTAGES) as Array<keyof typeof OUTAGES>;

const QUOTA = { message: 'Out of call volume quota. Quota will be replenished in 4.23:10:20.' };
const FIVE_DAYS = { 'retry-after': '432000' };
const LONG_WAITS = {
	'403 out of quota': { kind: 'status', status: 403, headers: FIVE_DAYS, body: { statusCode: 403, ...QUOTA } },
	'429 for five days': { kind: 'status', status: 429, headers: FIVE_DAYS },
	'503 for five days': { kind: 'status', status: 503, headers: FIVE_DAYS },
} as const;
const LONG = Object.keys(LONG_WAITS) as Array<keyof typeof LONG_WAITS>;

/** How many failed executions there were after this many more polls. */
async function alertsAfter(rig: TriggerRig, polls: number, apartMinutes = 10): Promise<number> {
	await bench.polls(rig, polls, apartMinutes * MINUTE);
	return rig.errors.length;
}

describe('an outage', () => {
	it.each(inTurns(TARGETS, 3, OUT))(
		`of some minutes is waited out silently, even over a restart: $kind, ${ON}`,
		async (target) => {
			const rig = await underway(bench, target);
			target.happen(bench, 3);
			bench.platform.faults.add({ ...OUTAGES[target.kind], times: Infinity });
			await bench.minutes(rig, 3);
			await rig.restart();
			await bench.minutes(rig, 3);
			bench.platform.faults.clear();
			expect(rig.items).toEqual([]);
			await bench.minutes(rig, 12);
			expect(target.told(rig.items)).toEqual([`${target.event} 3`]);
			expect(rig.errors).toEqual([]);
		},
	);

	it.each(inTurns(TARGETS, 4, OUT))(
		`is said after half an hour, with the reason and since when, and again after six hours: $kind, ${ON}`,
		async (target) => {
			const rig = await underway(bench, target);
			bench.platform.faults.add({ ...OUTAGES[target.kind], times: Infinity });
			target.happen(bench, 3);
			expect(await alertsAfter(rig, 3)).toBe(0);
			expect(await alertsAfter(rig, 1)).toBe(1);
			const { message, description } = rig.errors[0] as Error & { description: string };
			expect(message).toMatch(new RegExp(`^The .* could not be read since ${TIME_OF_DAY}$`));
			expect(description).toMatch(/rate limit|cannot answer|connection/i);
			expect(await alertsAfter(rig, 5, 60)).toBe(1);
			expect(await alertsAfter(rig, 1, 60)).toBe(2);
			bench.platform.faults.clear();
			await bench.minutes(rig, 16);
			expect(target.told(rig.items)).toEqual([`${target.event} 3`]);
			expect(rig.errors).toHaveLength(2);
		},
	);

	it.each(inTurns(TARGETS, 6, ['memory']))(
		`in which a gateway answers without content in place of the list is said after half an hour: ${ON}`,
		async (target) => {
			const rig = await underway(bench, target);
			bench.platform.faults.add({ kind: 'reply', status: 204, times: Infinity });
			target.happen(bench, 3);
			expect(await alertsAfter(rig, 3)).toBe(0);
			expect(await alertsAfter(rig, 1)).toBe(1);
			const { message, description } = rig.errors[0] as Error & { description: string };
			expect(message).toMatch(/could not be read since/);
			expect(description).toMatch(/without any content|with nothing/);
			bench.platform.faults.clear();
			await bench.minutes(rig, 16);
			expect(target.told(rig.items)).toEqual([`${target.event} 3`]);
		},
	);

	it('is none where a platform answers without content when no station is offline', async () => {
		const rig = await bench.live({ event: 'availability' });
		const isFiltered = ({ query = '' }) => query.includes('Filter');
		bench.platform.faults.add({ kind: 'reply', status: 204, match: isFiltered, times: Infinity });
		expect(await alertsAfter(rig, 24, 60)).toBe(0);
	});

	describe('in which the platform answers with an empty list', () => {
		const EMPTY = { kind: 'reply', status: 200, body: { Items: [], TotalCount: 0 }, times: Infinity } as const;
		const isDetail = ({ path }: { path: string }) => /\/v1\/\d+$/.test(path);
		const empties = () => {
			bench.platform.faults.add({ kind: 'status', status: 404, match: isDetail, times: Infinity });
			bench.platform.faults.add(EMPTY);
		};
		const [rows, others] = partition(TARGETS, ({ type }) => type === ROWS_TRIGGER);

		it.each(inTurns(others, 7, ['the list']))(
			`is said within 70 minutes, and again after six hours; then it goes on: ${ON}`,
			async (target) => {
				bench.start(1);
				const rig = await underway(bench, target);
				empties();
				target.happen(bench, 3);
				expect(await alertsAfter(rig, 7)).toBe(1);
				const { message, description } = rig.errors[0] as Error & { description: string };
				expect(message).toMatch(/^The charging (stations|sessions) could not be read since/);
				expect(description).toMatch(/^The platform lists no charging (stations|sessions) at all\./);
				expect(await alertsAfter(rig, 6, 60)).toBe(2);
				bench.platform.faults.clear();
				await bench.minutes(rig, 2);
				expect(target.told(rig.items)).toEqual([`${target.event} 3`]);
			},
		);

		it.each(inTurns(rows, 8))(`nothing is lost of rows: $type, $event, engine $engine`, async (target) => {
			bench.start(1);
			const rig = await underway(bench, target);
			empties();
			target.happen(bench, 3);
			expect(await alertsAfter(rig, 12, 60)).toBe(0);
			bench.platform.faults.clear();
			await bench.minutes(rig, 2);
			expect(target.told(rig.items)).toEqual([`${target.event} 3`]);
		});

		it.each([1, 2])('what is open stays open, of %i stations and sessions: its end comes afterwards', async (count) => {
			const ids = [3, 5].slice(0, count);
			bench.start(1);
			const stations = await bench.live({ event: 'availability' });
			const sessions = await bench.rig('memory', { events: ['ended'] });
			const both = async (polls: number) => {
				await bench.polls(stations, polls, 10 * MINUTE);
				await bench.polls(sessions, polls, 10 * MINUTE);
			};
			bench.set({ NetworkStatus: 2 }, ...ids);
			for (const id of ids) bench.start(id);
			await both(1);
			expect(stations.told()).toEqual(ids.map((id) => `offline ${id}`));
			empties();
			await both(20);
			bench.set({ NetworkStatus: 1 }, ...ids);
			bench.become(4, ...ids);
			bench.platform.faults.clear();
			await both(2);
			expect(stations.told().sort()).toEqual(ids.map((id) => `backOnline ${id}`));
			expect(stations.items.at(-1)).not.toHaveProperty('removed');
			expect(sessions.told().sort()).toEqual(ids.map((id) => `ended ${id}`));
		});

		it('is none where no station matches, and costs a request every half hour to know that', async () => {
			const filters = { status: [{ operator: 'Eq', value: '9' }] };
			for (const parameters of [{ event: 'availability' }, { event: 'availability', filters, logic: 'And' }]) {
				const rig = await bench.live(parameters);
				const sent = await bench.requestsOf(async () => await bench.minutes(rig, 100));
				expect([sent, rig.errors]).toEqual([103, []]);
			}
		});
	});

	it('in which several lists come without content costs one more request a poll to see whether there is a list', async () => {
		const filters = { hardwareStatus: [{ operator: 'Eq', value: '3' }] };
		const rig = await bench.live({ event: 'filterMatch', filters, options: { stationChanges: ['added'] } });
		bench.platform.faults.add({
			kind: 'reply',
			status: 204,
			match: ({ query = '' }) => !query.includes('"In"'),
			times: Infinity,
		});
		const before = bench.platform.requests.length;
		await bench.minutes(rig, 1);
		const sent = bench.platform.requests.slice(before).map(({ path, query }) => path + query);
		expect(sent.filter((each) => sent.indexOf(each) !== sent.lastIndexOf(each))).toEqual([]);
	});

	it.each(inTurns(TARGETS, 5, LONG))(
		`that the platform itself announces is said at once, but for the first poll after a start: $kind, ${ON}`,
		async (target) => {
			const rig = await underway(bench, target);
			bench.platform.faults.add({ ...LONG_WAITS[target.kind], times: Infinity });
			await rig.restart();
			if (target.engine !== 'memory') await bench.minutes(rig, 1);
			expect(rig.errors).toEqual([]);
			await bench.minutes(rig, 1);
			expect(rig.errors.map(({ message }) => message)).toEqual([expect.stringMatching(/could not be read since/)]);
			expect(await alertsAfter(rig, 5, 60)).toBe(1);
			expect(await alertsAfter(rig, 1, 60)).toBe(2);
		},
	);

	it('is counted anew after a poll that could read', async () => {
		const rig = await bench.rig('memory', { events: ['started'] });
		for (let outage = 0; outage < 3; outage++) {
			bench.platform.faults.add({ kind: 'status', status: 503, times: Infinity });
			expect(await alertsAfter(rig, 3)).toBe(0);
			bench.platform.faults.clear();
			expect(await alertsAfter(rig, 1)).toBe(0);
		}
	});
});

it('a filter that cannot be read is said at once, and nothing is sent until it can', async () => {
	const rig = await bench.rig('memory', { events: ['started'] });
	const filters = { status: [{ operator: 'Eq', value: '' }] };
	await bench.minutes(rig, 1);
	await rig.republish({ parameters: { events: ['started'], filters } });
	expect(await bench.requestsOf(async () => await bench.minutes(rig, 30))).toBe(0);
	expect(rig.errors.map(({ message }) => message)).toEqual([expect.stringMatching(/Filters > Status 1/)]);
	bench.start(3);
	await rig.republish({ parameters: { events: ['started'] } });
	await bench.minutes(rig, 2);
	expect(rig.told()).toEqual(['started 3']);
});

describe('at most one failed execution an hour for each reason', () => {
	const [target] = inTurns(TARGETS, 0, ['429 for ten minutes']) as [InTurn];
	const forbidden = { kind: 'html', status: 403 } as const;
	const notFound = { kind: 'html', status: 404 } as const;
	/** The platform refuses every second poll, with one of these after the other. */
	const refusesInTurn = async (
		rig: TriggerRig,
		polls: number,
		...faults: Array<typeof forbidden | typeof notFound>
	) => {
		for (let poll = 0; poll < polls; poll++) {
			bench.platform.faults.clear();
			const fault = faults[poll % faults.length];
			if (fault) bench.platform.faults.add({ ...fault, times: Infinity });
			await bench.polls(rig, 1, 2 * MINUTE);
		}
	};

	it('where a 403 page and a 404 page take turns: the 404 of a list that was there is passing', async () => {
		const rig = await underway(bench, { ...target, engine: 'memory' });
		await refusesInTurn(rig, 180, forbidden, notFound);
		const refusals = rig.errors.filter(({ message }) => !message.includes('could not be read since'));
		expect(refusals).toHaveLength(6);
		expect(rig.errors.length).toBeLessThanOrEqual(12);
	});

	it('where every second poll is refused, and none where that is a 404', async () => {
		const rig = await underway(bench, { ...target, engine: 'memory' });
		const works = { ...notFound, match: () => false };
		await refusesInTurn(rig, 90, notFound, works);
		expect(rig.errors).toEqual([]);
		await refusesInTurn(rig, 90, forbidden, works);
		expect(rig.errors).toHaveLength(3);
	});

	it('but at once after a change of the settings, of the key, and where a person publishes again', async () => {
		const rig = await underway(bench, { ...target, engine: 'memory' });
		const works = { ...notFound, match: () => false };
		await refusesInTurn(rig, 10, forbidden, works);
		expect(rig.errors).toHaveLength(1);
		await rig.republish({ parameters: { ...rig.parameters, output: 'digest' } });
		await refusesInTurn(rig, 10, works, forbidden);
		expect(rig.errors).toHaveLength(2);
		await rig.republish({ credential: bench.credential() });
		await refusesInTurn(rig, 10, works, forbidden);
		expect(rig.errors).toHaveLength(3);
		bench.clock.forward(MINUTE);
		await rig.activate();
		await refusesInTurn(rig, 10, works, forbidden);
		expect(rig.errors).toHaveLength(4);
	});

	it('a list at an address that was never there is refused at once', async () => {
		const { rig } = refusalOf(target);
		bench.platform.faults.add({ ...notFound, times: Infinity });
		await expect(rig.activate()).rejects.toThrow(/\w+ \w+/);
	});

	it('and is said at once where another list was chosen, as a mistyped one', async () => {
		const rig = new TriggerRig('scheduler', list(SESSION_LIST), bench.credential(), {}, ROWS_TRIGGER);
		await rig.activate();
		await rig.republish({ parameters: list('/api/charging-sesions/v1') });
		await bench.minutes(rig, 2);
		expect(rig.errors.map(({ message }) => message)).toEqual(['The platform has no list at /api/charging-sesions/v1']);
	});
});

describe('a part of a poll that never comes is said after half an hour', () => {
	const GATEWAYS = {
		'504': { kind: 'status', status: 504 },
		'429': { kind: 'status', status: 429, headers: { 'retry-after': '100' } },
	} as const;
	const never = (part: RegExp, gateway: keyof typeof GATEWAYS) =>
		bench.platform.faults.add({ ...GATEWAYS[gateway], match: ({ query = '' }) => part.test(query), times: Infinity });
	const messages = (rig: TriggerRig) => rig.errors.map(({ message }) => message.replace(/since.*/, 'since'));

	it.each(['504', '429'] as const)(
		'the open sessions, by %s: their ends come once they are answered',
		async (gateway) => {
			bench.start(1);
			bench.startAll(2, 60, { status: 4 });
			const rig = await bench.rig('memory', { events: ['started', 'ended'] });
			never(/"Lte"/, gateway);
			bench.become(4, 1);
			bench.start(61);
			expect(await alertsAfter(rig, 3)).toBe(0);
			expect(await alertsAfter(rig, 1)).toBe(1);
			expect(messages(rig)).toEqual(['The open charging sessions could not be read since']);
			expect(await alertsAfter(rig, 5, 60)).toBe(1);
			expect(await alertsAfter(rig, 1, 60)).toBe(2);
			bench.platform.faults.clear();
			await bench.minutes(rig, 3);
			expect(rig.told()).toEqual(['started 61', 'ended 1']);
		},
	);

	it('long sessions, beside others', async () => {
		const rig = await bench.rig('memory', { events: ['started', 'runningLong'], runningHours: 1 });
		never(/"GteLte"/, '504');
		expect(await alertsAfter(rig, 4)).toBe(1);
		expect(messages(rig)).toEqual(['The charging sessions that run long could not be read since']);
	});

	it('the fleet behind Added or Removed, beside matches', async () => {
		const filters = { hardwareStatus: [{ operator: 'Eq', value: '3' }] };
		const rig = new TriggerRig(
			'memory',
			{ event: 'filterMatch', filters, options: { stationChanges: ['added'] } },
			bench.credential(),
		);
		await rig.activate();
		const isFleet = ({ query = '' }: { query?: string }) => !query.includes('HardwareStatus');
		bench.platform.faults.add({ kind: 'status', status: 504, match: isFleet, times: Infinity });
		bench.set({ HardwareStatus: 3 }, 2);
		expect(await alertsAfter(rig, 4)).toBe(1);
		expect(messages(rig)).toEqual(['The list of all charging stations could not be read since']);
		expect(rig.told()).toEqual(['startedMatching 2']);
	});

	it('which counts anew once it was read', async () => {
		const rig = await bench.rig('memory', { events: ['started', 'runningLong'], runningHours: 1 });
		for (let outage = 0; outage < 3; outage++) {
			never(/"GteLte"/, '504');
			expect(await alertsAfter(rig, 3)).toBe(0);
			bench.platform.faults.clear();
			expect(await alertsAfter(rig, 1)).toBe(0);
		}
	});
});

describe('a poll of 36 seconds', () => {
	const live = async (options = {}) => {
		bench.platform.faults.clear();
		const rig = new TriggerRig('scheduler', { event: 'availability', options }, bench.credential());
		await rig.activate();
		await bench.minutes(rig, 1);
		return rig;
	};
	const told = async (rig: TriggerRig, fault: Parameters<typeof bench.platform.faults.add>[0]) => {
		bench.platform.faults.add({ ...fault, times: Infinity });
		await bench.polls(rig, 4, 10 * MINUTE);
		return rig.errors.map((error) => (error as Error & { description: string }).description);
	};
	const limited = { kind: 'status', status: 429, headers: { 'retry-after': '100' } } as const;

	it('waits for the limit as long as it may look things up, as beside an export that uses it', async () => {
		const rig = await live();
		bench.set({ NetworkStatus: 2 }, 3);
		bench.platform.faults.add({ kind: 'status', status: 429, headers: { 'retry-after': '17' } });
		await bench.minutes(rig, 1);
		expect(rig.told()).toEqual(['offline 3']);
	});

	it('says how long it waits at most, and does not advise to raise that', async () => {
		expect(await told(await live(), limited)).toEqual([
			expect.stringMatching(/A poll waits 20 seconds at most, whatever Max Rate Limit Wait is.*a key of its own/),
		]);
		expect(await told(await live({ maxRateLimitWait: 5 }), limited)).toEqual([
			expect.stringMatching(/Raise Max Rate Limit Wait in Options \(now 5 seconds; a poll waits 20 seconds at most\)/),
		]);
	});
});

describe('a poll in which nothing can be read counts', () => {
	it('where the list of stations answers, and no detail does', async () => {
		const target = inTurns(TARGETS, 0).find(({ type }) => type === CHARGE_POINT_TRIGGER) as InTurn;
		const rig = await underway(bench, { ...target, engine: 'memory' });
		const isDetail = ({ path }: { path: string }) => /\/v1\/\d+$/.test(path);
		bench.platform.faults.add({ kind: 'status', status: 503, match: isDetail, times: Infinity });
		expect(await alertsAfter(rig, 3)).toBe(0);
		expect(await alertsAfter(rig, 1)).toBe(1);
		expect(rig.errors[0]?.message).toMatch(/^The details of charging stations could not be read since/);
		bench.platform.faults.clear();
		setPoints(bench, 3, points(3, 9));
		await bench.minutes(rig, 16);
		expect(target.told(rig.items)).toEqual([`${target.event} 3`]);
	});

	it('where new sessions answer, and whether they match the filter does not', async () => {
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
