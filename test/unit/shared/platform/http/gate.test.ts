import { PlatformError } from '../../../../../nodes/shared/platform/answers/errors';
import { Gate, gateOf, type Caller, type Visit } from '../../../../../nodes/shared/platform/http/gate';

const MINUTE = 60_000;

/** A gate with a clock that the test moves. By default, random waits are at their longest. */
function start(random = 1) {
	const clock = { now: 1_000_000 };
	const gate = new Gate(
		() => clock.now,
		() => random,
	);
	const ask = ({ patienceMs = 0, ...caller }: { patienceMs?: number; person?: string; isEditor?: boolean } = {}) =>
		gate.ask({ isEditor: false, ...caller }, patienceMs);
	const passFrom = (sentAt: number) => ({ sentAt, signsIn: false });
	const caller = { isEditor: false, zone: 'UTC', options: { timeoutMs: 1_000, maxRateLimitWaitMs: 5_000 } };
	const visitOf = (from: Caller): Visit => ({
		...{ caller: from, account: 'apiKey', waitedMs: 0, begin: () => undefined, onWait: () => undefined },
		endpoint: { scope: 'charging-sessions:read', path: '/api/charging-sessions/v1' },
	});
	const limit = (retryAfterMs?: number, sentAt = clock.now, options = caller.options) =>
		gate.refused(
			passFrom(sentAt),
			visitOf({ ...caller, options }),
			new PlatformError('rate-limited', '', { retryAfterMs }),
		);
	const unpaid = (person?: string) =>
		gate.refused(passFrom(clock.now), visitOf({ ...caller, person }), new PlatformError('license-inactive', ''));
	const freed = (status?: number, sentAt = clock.now) => gate.freed(passFrom(sentAt), status);
	return { clock, gate, caller, ask, limit, unpaid, freed };
}

describe('the rate limit', () => {
	it('holds the key as long as asked', () => {
		const { clock, ask, limit } = start();
		limit(5_000);
		expect(ask()).toMatchObject({ go: 'fail', untilMs: 5_000, askedMs: 5_000 });
		expect(ask({ patienceMs: 5_000 })).toMatchObject({ go: 'wait' });
		clock.now += 4_999;
		expect(ask()).toMatchObject({ go: 'fail', untilMs: 1 });
		clock.now += 1;
		expect(ask()).toEqual({ go: 'now' });
	});

	it('lets one request go first after the hold, and the others wait for its answer', () => {
		const { clock, freed, ask, limit } = start();
		limit(5_000);
		clock.now += 5_000;
		expect(ask()).toEqual({ go: 'now' });
		expect(ask()).toMatchObject({ go: 'wait' });
		freed();
		expect(ask()).toEqual({ go: 'now' });
		freed(200);
		expect([ask(), ask()]).toEqual([{ go: 'now' }, { go: 'now' }]);
	});

	it('is never shortened by a request that was under way', () => {
		const { clock, freed, ask, limit } = start();
		const sentAt = clock.now;
		clock.now += 50;
		limit(10_000, sentAt);
		clock.now += 100;
		limit(1_000, sentAt);
		freed(200, sentAt);
		expect(ask()).toMatchObject({ untilMs: 9_900 });
		limit(20_000, sentAt);
		expect(ask()).toMatchObject({ untilMs: 20_000 });
	});

	it('backs off further with every refusal in a row, and starts over after an answer', () => {
		for (const askedMs of [undefined, 1]) {
			const { clock, freed, ask, limit } = start();
			const waits: number[] = [];
			for (let n = 0; n < 9; n++) {
				limit(askedMs);
				const answer = ask();
				const wait = answer.go === 'fail' ? answer.untilMs : 0;
				waits.push(wait);
				clock.now += wait;
				expect(ask()).toEqual({ go: 'now' });
			}
			const doubling = [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000];
			expect(waits).toEqual(askedMs === undefined ? [...doubling, 60_000] : [1, ...doubling]);
			freed(200);
			limit(askedMs);
			expect(ask()).toMatchObject({ untilMs: askedMs ?? 1_000 });
		}
	});

	it('counts refusals of requests that were under way together as one', () => {
		const { clock, ask, limit } = start();
		const sentAt = clock.now;
		clock.now += 50;
		for (let n = 0; n < 8; n++) limit(undefined, sentAt);
		expect(ask()).toMatchObject({ untilMs: 1_000 });
	});

	it('holds for a quarter of an hour at most, or as long as the run may wait', () => {
		const { ask, limit, clock } = start();
		limit(1e15);
		expect(ask()).toMatchObject({ untilMs: 15 * MINUTE, askedMs: 1e15 });
		clock.now += 15 * MINUTE;
		expect(ask()).toEqual({ go: 'now' });
		limit(1e15, clock.now, { timeoutMs: 1_000, maxRateLimitWaitMs: 60 * MINUTE });
		expect(ask()).toMatchObject({ untilMs: 60 * MINUTE });
	});

	it('lets a run that a person started ask once, and a dropdown never', () => {
		const { ask, limit } = start();
		limit(10 * MINUTE);
		expect(ask({ person: 'editor', isEditor: true })).toMatchObject({ go: 'fail' });
		expect(ask({ person: 'one' })).toEqual({ go: 'now' });
		// Another request of this run waits for the answer; a production run does not.
		expect(ask({ person: 'one' })).toMatchObject({ go: 'wait' });
		expect(ask()).toMatchObject({ go: 'fail' });
		limit(10 * MINUTE);
		expect(ask({ person: 'one' })).toMatchObject({ go: 'fail' });
		expect(ask({ person: 'two' })).toEqual({ go: 'now' });
	});

	it('spreads out requests that waited together, further the more there are', async () => {
		const { gate, caller, ask, limit } = start(0.5);
		const stop = new AbortController();
		limit(100);
		const alone = ask({ patienceMs: 1_000 });
		const visit = {
			account: 'apiKey' as const,
			endpoint: { path: '' },
			waitedMs: 0,
			begin: () => undefined,
			onWait: () => {},
		};
		const waiting = Array.from({ length: 31 }, async () => {
			await gate.admit({ ...visit, caller: { ...caller, signal: stop.signal } });
		});
		expect([alone, ask({ patienceMs: 1_000 })]).toEqual([
			{ go: 'wait', ms: 125 },
			{ go: 'wait', ms: 100 + 800 },
		]);
		stop.abort();
		await Promise.allSettled(waiting);
	});
});

describe('an inactive licence', () => {
	it('holds the key for a minute, then two, up to fifteen, and lets one request ask in between', () => {
		const { clock, freed, ask, unpaid } = start();
		const held: number[] = [];
		for (let n = 0; n < 6; n++) {
			unpaid();
			const answer = ask({ patienceMs: 60 * MINUTE });
			if (answer.go === 'fail') held.push(answer.untilMs / MINUTE);
			clock.now += (held.at(-1) ?? 0) * MINUTE;
			expect(ask()).toEqual({ go: 'now' });
			expect(ask()).toMatchObject({ go: 'wait' });
		}
		expect(held).toEqual([1, 2, 4, 8, 15, 15]);
		freed(200);
		unpaid();
		expect(ask()).toMatchObject({ untilMs: MINUTE });
	});

	it('is not held longer after refusals of requests under way together or of a person who asks', () => {
		const { clock, ask, unpaid } = start();
		unpaid();
		clock.now += 10;
		unpaid();
		expect(ask({ person: 'one' })).toEqual({ go: 'now' });
		unpaid('one');
		expect(ask({ person: 'one' })).toMatchObject({ go: 'fail', untilMs: MINUTE - 10 });
	});

	it('stays held when a person who asks is refused for the rate limit or another reason', () => {
		const { clock, freed, ask, limit, unpaid } = start();
		unpaid();
		clock.now += 10;
		expect(ask({ person: 'one' })).toEqual({ go: 'now' });
		limit(1_000);
		expect(ask()).toMatchObject({ go: 'fail', refusal: { kind: 'license-inactive' }, untilMs: MINUTE - 10 });
		expect(ask({ person: 'two' })).toEqual({ go: 'now' });
		freed(400);
		expect(ask()).toMatchObject({ go: 'fail', refusal: { kind: 'license-inactive' } });
	});
});

it('is the same for all that use a credential, and another for others; their number is bounded', () => {
	const first = gateOf('key 0');
	expect(gateOf('key 0')).toBe(first);
	expect(gateOf('key 1')).not.toBe(first);
	for (let n = 1; n < 600; n++) gateOf(`key ${n}`);
	expect(gateOf('key 0')).not.toBe(first);
});
