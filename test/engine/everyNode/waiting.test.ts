import { startPlatform, type Fault, type RateLimit, type StandIn } from '../../platform/index.ts';
import { installFastClock, type FastClock } from '../../support/clock.ts';
import { credentialFor, runNode, type RunOptions, type RunResult } from '../../support/harness.ts';
import { TriggerRig } from '../../support/trigger/rig.ts';

const SESSIONS = 1_500;
let platform: StandIn;
let clock: FastClock;

beforeAll(async () => {
	clock = installFastClock(10);
	platform = await startPlatform({ sessions: SESSIONS });
});
afterAll(async () => {
	clock.restore();
	await platform.close();
});
beforeEach(() => platform.reset());

/** Reads all sessions, with a key of its own: a hold is shared by all runs with the same key. */
async function readAll({ parameters, ...options }: Partial<RunOptions> = {}) {
	const { secret } = platform.createKey({ scopes: ['charging-sessions:read'] });
	return await runNode({
		type: 'chargingSessions',
		credential: { ...credentialFor(platform), apiKey: secret },
		parameters: { operation: 'getAll', returnAll: true, ...parameters },
		...options,
	});
}

const limited = (limit: Partial<RateLimit>): RateLimit => ({
	limit: 12,
	// A busy machine asks slowly.
	windowMs: 10_000,
	retryAfter: 'seconds',
	...limit,
});
/** List requests that arrived while an earlier 429 told the key to wait. Requests already in flight do not count. */
function sentWhileToldToWait() {
	const stops = platform.requests.flatMap(({ status, doneAt, waitUntil }) =>
		status === 429 && doneAt !== undefined && waitUntil !== undefined ? [{ from: doneAt, until: waitUntil }] : [],
	);
	// A request in flight could not know of the refusal. While a busy machine works on it for a few hundredths of a second,
	// seconds of the fast clock pass: less than a window.
	const IN_FLIGHT_MS = 4_000;
	return platform.requests.filter(({ at }) => stops.some(({ from, until }) => at > from + IN_FLIGHT_MS && at < until));
}

const isWhole = ({ json }: RunResult) => {
	expect(json).toHaveLength(SESSIONS);
	expect(new Set(json.map(({ Id: id }) => id)).size).toBe(SESSIONS);
};

describe('the rate limit', () => {
	it.each([
		['seconds', 8],
		['date', 4],
	] as const)('is waited out with Retry-After in %s, %i requests at a time', async (retryAfter, parallelRequests) => {
		platform.behaviour.rateLimit = limited({ retryAfter });
		const result = await readAll({ parameters: { options: { parallelRequests } } });
		isWhole(result);
		expect(sentWhileToldToWait()).toEqual([]);
		expect(result.hints.map(({ message }) => message).join()).toMatch(/asked this node to wait: \d+ seconds?/);
	});

	it('is shared by two nodes with one key', async () => {
		platform.behaviour.rateLimit = limited({ limit: 25 });
		const credential = credentialFor(platform);
		for (const result of await Promise.all([readAll({ credential }), readAll({ credential })])) isWhole(result);
		expect(sentWhileToldToWait()).toEqual([]);
	});

	it('lets a poll go before the nodes that wait', async () => {
		const credential = credentialFor(platform);
		const rig = new TriggerRig('memory', { event: 'availability' }, credential);
		await rig.activate();
		platform.faults.add({ kind: 'status', status: 429, headers: { 'retry-after': '20' } });
		const count = async () => await readAll({ credential, parameters: { operation: 'count' } });
		const waiting = [count()];
		while (platform.requests.at(-1)?.status !== 429) await new Promise((resolve) => setTimeout(resolve, 20));
		// Until n8n has it, too.
		await new Promise((resolve) => setTimeout(resolve, 2_000));
		const before = platform.requests.length;
		waiting.push(...Array.from({ length: 4 }, count));
		await Promise.all([...waiting, rig.tick()]);
		const paths = platform.requests.slice(before).map(({ path }) => path.replace(/^\/api\/|\/v1$/g, ''));
		expect(paths[0]).toBe('charging-stations');
		expect(paths.filter((path) => path === 'charging-sessions')).toHaveLength(5);
	});
});

it('a platform that goes on asking to wait ends a run after the longest wait, however many input items it has', async () => {
	platform.faults.add({
		kind: 'status',
		status: 429,
		headers: { 'retry-after': '25' },
		times: Infinity,
		match: { path: '/api/charging-sessions/v1', nth: 6 },
	});
	const items = Array.from({ length: 4 }, (_, item) => ({ item }));
	const node = { onError: 'continueRegularOutput' as const };
	const began = performance.now();
	const { json } = await readAll({ parameters: { options: { maxRateLimitWait: 60 } }, items, node });
	expect(performance.now() - began).toBeLessThan(90_000);
	expect(json.at(-1)?.error).toMatch(/asks to wait \d+ seconds, longer than this node may/);
}, 60_000);

it('Max Rate Limit Wait may differ by input item: what is too long for the first is waited out for the second', async () => {
	platform.faults.add({ kind: 'status', status: 429, headers: { 'retry-after': '25' } });
	const parameters = { operation: 'count', options: { maxRateLimitWait: '={{ $json.longest }}' } };
	const items = [{ longest: 5 }, { longest: 60 }];
	const { json } = await readAll({ parameters, items, node: { onError: 'continueRegularOutput' } });
	expect(json[0]?.error).toMatch(/asks to wait \d+ seconds, longer than this node may/);
	expect(json[1]).toEqual({ count: SESSIONS });
});

/** Cancels a run as soon as this is so. */
const cancelOnce = (canCancel: () => boolean) => (cancel: () => void) => {
	const timer = setInterval(() => {
		if (!canCancel()) return;
		clearInterval(timer);
		cancel();
	}, 5);
};

const HOURS: Fault = { kind: 'status', status: 429, headers: { 'retry-after': '20000' } };

describe('cancelling', () => {
	it.each<[string, () => unknown, () => boolean]>([
		[
			'during a wait of hours',
			() => platform.faults.add({ ...HOURS, match: { nth: 5 } }),
			() => platform.requests.some(({ status }) => status === 429),
		],
		[
			'during a request',
			() => platform.faults.add({ kind: 'stall', match: { nth: 5 }, times: Infinity }),
			() => platform.requests.length >= 5,
		],
	])(
		'%s ends at once, with status canceled, and sends nothing more',
		async (_, hold, canCancel) => {
			hold();
			const { status, errorItems } = await readAll({
				parameters: { options: { maxRateLimitWait: 36_000 } },
				onStart: cancelOnce(canCancel),
				// A cancelled node that throws is run again by Retry On Fail; Continue On Fail makes no items of it.
				node: { retryOnFail: true, maxTries: 3, waitBetweenTries: 0, onError: 'continueErrorOutput' },
				items: [{}, {}],
			});
			const requests = platform.requests.length;
			await new Promise((resolve) => setTimeout(resolve, 1500));
			expect([status, errorItems, platform.requests.length - requests]).toEqual(['canceled', [], 0]);
		},
		20_000,
	);
});

describe('a refusal that a retry cannot end', () => {
	const items = Array.from({ length: 6 }, (_, index) => ({ from: index + 1 }));
	const parameters = { filters: { id: [{ operator: 'Gte', value: '={{ $json.from }}' }] } };
	const onError = 'continueErrorOutput' as const;

	it.each(['trigger', 'manual'] as const)(
		'asks once when the license is not active, for all input items, in mode %s',
		async (mode) => {
			platform.license.active = false;
			const node = { onError, retryOnFail: mode === 'trigger', maxTries: 5, waitBetweenTries: 1 };
			const { items: good, errorItems } = await readAll({ parameters, items, mode, node });
			expect(platform.requests).toHaveLength(1);
			expect(good).toEqual([]);
			expect(errorItems.map(({ pairedItem }) => pairedItem)).toEqual(items.map((_, item) => ({ item })));
		},
	);

	it('asks once for a missing scope, too', async () => {
		const { secret } = platform.createKey({ scopes: ['charging-stations:read'] });
		const credential = { ...credentialFor(platform), apiKey: secret };
		const { errorItems } = await readAll({ parameters, items, node: { onError }, credential });
		expect(platform.requests).toHaveLength(1);
		expect(errorItems).toHaveLength(6);
	});

	it('fails at once while the license is known to be inactive, and a person can ask again', async () => {
		platform.license.active = false;
		const credential = credentialFor(platform);
		await readAll({ credential });
		await readAll({ credential });
		expect(platform.requests).toHaveLength(1);
		await readAll({ credential, mode: 'manual' });
		expect(platform.requests).toHaveLength(2);
		platform.license.active = true;
		const { status } = await readAll({ credential, mode: 'manual', parameters: { limit: 1, returnAll: false } });
		expect([status, (await readAll({ credential })).status]).toEqual(['success', 'success']);
	});
});
