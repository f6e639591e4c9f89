import { startPlatform, type RateLimit, type StandIn } from '../../platform/index.ts';
import { installFastClock, type FastClock } from '../../support/clock.ts';
import { credentialFor, runNode, type RunOptions } from '../../support/harness.ts';
import { sentWhileToldToWait } from '../../support/engine.ts';
import { TriggerRig } from '../../support/trigger/rig.ts';

let platform: StandIn;
let clock: FastClock;

beforeAll(async () => {
	clock = installFastClock(10);
	platform = await startPlatform({ sessions: 3_000 });
});
afterAll(async () => {
	clock.restore();
	await platform.close();
});
beforeEach(() => platform.reset());

const readAll = async (options: Partial<RunOptions> = {}) =>
	await runNode({
		type: 'chargingSessions',
		// Each run has its own key: a hold is shared by all runs with the same key.
		credential: {
			...credentialFor(platform),
			apiKey: platform.createKey({ scopes: ['charging-sessions:read'] }).secret,
		},
		parameters: { operation: 'getAll', returnAll: true, ...options.parameters },
		...Object.fromEntries(Object.entries(options).filter(([name]) => name !== 'parameters')),
	});

const limited = (limit: Partial<RateLimit>): RateLimit => ({
	limit: 12,
	windowMs: 2000,
	retryAfter: 'seconds',
	...limit,
});

describe('the rate limit', () => {
	it.each([
		['seconds', 1],
		['seconds', 4],
		['seconds', 8],
		['date', 4],
	] as const)('is waited out with Retry-After in %s, %i requests at a time', async (retryAfter, parallelRequests) => {
		platform.behaviour.rateLimit = limited({ retryAfter });
		const { json, status, hints } = await readAll({ parameters: { options: { parallelRequests } } });
		expect(status).toBe('success');
		expect(new Set(json.map(({ Id: id }) => id)).size).toBe(3_000);
		expect(json).toHaveLength(3_000);
		expect(sentWhileToldToWait(platform.requests)).toEqual([]);
		expect(hints.map(({ message }) => message).join()).toMatch(/asked this node to wait: \d+ seconds?/);
	});

	it('is waited out without Retry-After', async () => {
		platform.behaviour.rateLimit = limited({ retryAfter: 'none', limit: 20, windowMs: 500 });
		const { json } = await readAll();
		expect(new Set(json.map(({ Id: id }) => id)).size).toBe(3_000);
	});

	it('is shared by two nodes with one key', async () => {
		platform.behaviour.rateLimit = limited({ limit: 25 });
		const credential = credentialFor(platform);
		const results = await Promise.all([readAll({ credential }), readAll({ credential })]);
		for (const { json } of results) expect(new Set(json.map(({ Id: id }) => id)).size).toBe(3_000);
		expect(sentWhileToldToWait(platform.requests)).toEqual([]);
	});

	it('a two-minute poll beside an export in eight lanes at the limit of the key is answered within its time', async () => {
		platform.behaviour.rateLimit = limited({ limit: 10, windowMs: 60_000 });
		platform.db.exec('DELETE FROM sessions WHERE Id NOT IN (SELECT Id FROM sessions LIMIT 1500)');
		const credential = credentialFor(platform);
		const rig = new TriggerRig('memory', { event: 'availability' }, credential);
		await rig.activate();
		const options = { parallelRequests: 8, idsPerRequest: 100, maxRateLimitWait: 3600 };
		const parameters = { operation: 'exportByFilter', options };
		let isDone = false;
		const exporting = runNode({ type: 'chargingSessionsCsvExport', credential, parameters });
		void exporting.finally(() => (isDone = true));
		const took: number[] = [];
		while (!isDone) {
			const began = performance.now();
			await rig.tick();
			took.push(performance.now() - began);
			while (!isDone && performance.now() < began + 120_000) await new Promise((resolve) => setTimeout(resolve, 2_000));
		}
		expect((await exporting).json[0]).toMatchObject({ sessionCount: 1_500 });
		expect(took.length).toBeGreaterThan(1);
		expect(Math.max(...took)).toBeLessThan(120_000);
		expect(rig.errors).toEqual([]);
		expect(rig.logs.filter((line) => line.includes('could not be polled'))).toEqual([]);
		expect(sentWhileToldToWait(platform.requests)).toEqual([]);
	}, 60_000);

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

	it('ends the run with a clear message when the platform asks for more than the longest wait', async () => {
		platform.behaviour.rateLimit = limited({ limit: 10, retryAfterSeconds: 4000 });
		const { error, status } = await readAll({ parameters: { options: { maxRateLimitWait: 60 } } });
		expect(status).toBe('error');
		expect(`${error?.message} ${error?.description}`).toMatch(/1 hour 7 minutes/);
		expect(error?.description).toMatch(/Rows read so far: \d+00\./);
		expect(error?.description).toContain('Max Rate Limit Wait');
	}, 20_000);
});

describe('a platform that goes on asking to wait', () => {
	beforeEach(() =>
		platform.faults.add({
			...{ kind: 'status', status: 429, headers: { 'retry-after': '25' }, times: Infinity },
			match: { path: '/api/charging-sessions/v1', nth: 6 },
		}),
	);
	const options = { maxRateLimitWait: 60 };
	/** How long a run takes, in milliseconds of the clock. */
	const took = async (run: Partial<RunOptions>) => {
		const began = performance.now();
		const { error, json } = await readAll(run);
		expect(error?.message ?? json.at(-1)?.error).toMatch(/asks to wait \d+ seconds, longer than this node may/);
		return performance.now() - began;
	};

	it.each([1, 8])(
		'ends a run after the longest wait, with %i requests at a time',
		async (parallelRequests) => {
			expect(await took({ parameters: { options: { ...options, parallelRequests } } })).toBeLessThan(90_000);
		},
		60_000,
	);

	it('ends a run after the longest wait, however many input items it has', async () => {
		const items = Array.from({ length: 4 }, (_, item) => ({ item }));
		const node = { onError: 'continueRegularOutput' as const };
		expect(await took({ parameters: { options }, items, node })).toBeLessThan(90_000);
	}, 60_000);
});

describe('cancelling', () => {
	const cancelled = async (canCancel: () => boolean) => {
		const running = readAll({
			parameters: { options: { maxRateLimitWait: 36_000 } },
			onStart: (cancel) => {
				const timer = setInterval(() => {
					if (!canCancel()) return;
					clearInterval(timer);
					cancel();
				}, 5);
			},
			// A cancelled node that throws is run again by Retry On Fail.
			node: { retryOnFail: true, maxTries: 3, waitBetweenTries: 0 },
		});
		const { status } = await running;
		const requests = platform.requests.length;
		await new Promise((resolve) => setTimeout(resolve, 1500));
		return { status, sentAfterwards: platform.requests.length - requests };
	};

	it('during a wait of hours ends at once, with status canceled, and sends nothing more', async () => {
		platform.behaviour.rateLimit = limited({ retryAfterSeconds: 20_000 });
		const { status, sentAfterwards } = await cancelled(() =>
			platform.requests.some((request) => request.status === 429),
		);
		expect(status).toBe('canceled');
		expect(sentAfterwards).toBe(0);
	}, 20_000);

	it('during a request ends with status canceled and sends nothing more', async () => {
		platform.faults.add({ kind: 'stall', match: { nth: 5 }, times: Infinity });
		const { status, sentAfterwards } = await cancelled(() => platform.requests.length >= 5);
		expect(status).toBe('canceled');
		expect(sentAfterwards).toBe(0);
	}, 20_000);
});

describe('refusals that a retry cannot fix', () => {
	const withRetries = { node: { retryOnFail: true, maxTries: 5, waitBetweenTries: 0 } };

	it.each(['trigger', 'manual'] as const)('asks once when the license is not active, in mode %s', async (mode) => {
		platform.license.active = false;
		const { error } = await readAll({ ...withRetries, mode });
		expect(platform.requests).toHaveLength(1);
		expect(`${error?.message} ${error?.description}`).toMatch(/licen[cs]e/i);
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
		expect(status).toBe('success');
		expect((await readAll({ credential })).status).toBe('success');
	});
});
