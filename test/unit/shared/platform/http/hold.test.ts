import { KeyHolds } from '../../../../../nodes/shared/platform/http/hold';

const MINUTE = 60_000;

/** Holds with a clock that the test moves. By default, random waits are at their longest. */
function start(random = 1) {
	const clock = { now: 1_000_000 };
	const holds = new KeyHolds(
		() => clock.now,
		() => random,
	);
	const ask = (options: Partial<Parameters<KeyHolds['ask']>[1]> = {}) => holds.ask('a', { patienceMs: 0, ...options });
	const limit = (askedMs?: number, sentAt = clock.now) =>
		holds.refused('a', sentAt, { reason: 'rate-limited', askedMs, patienceMs: 5_000 });
	const unpaid = (person?: string) => holds.refused('a', clock.now, { reason: 'license-inactive', person });
	return { clock, holds, ask, limit, unpaid };
}

describe('the rate limit', () => {
	it('holds the key as long as asked, and only this key', () => {
		const { clock, holds, ask, limit } = start();
		limit(5_000);
		expect(ask()).toMatchObject({ go: 'fail', untilMs: 5_000, askedMs: 5_000 });
		expect(ask({ patienceMs: 5_000 })).toMatchObject({ go: 'wait' });
		expect(holds.ask('b', { patienceMs: 0 })).toEqual({ go: 'now' });
		clock.now += 4_999;
		expect(ask()).toMatchObject({ go: 'fail', untilMs: 1 });
		clock.now += 1;
		expect(ask()).toEqual({ go: 'now' });
	});

	it('lets one request go first after the hold, and the others wait for its answer', () => {
		const { clock, holds, ask, limit } = start();
		limit(5_000);
		clock.now += 5_000;
		expect(ask()).toEqual({ go: 'now' });
		expect(ask()).toMatchObject({ go: 'wait' });
		holds.ended('a', clock.now);
		expect(ask()).toEqual({ go: 'now' });
		holds.ended('a', clock.now, 200);
		expect([ask(), ask()]).toEqual([{ go: 'now' }, { go: 'now' }]);
	});

	it('is never shortened by a request that was under way', () => {
		const { clock, holds, ask, limit } = start();
		const sentAt = clock.now;
		clock.now += 50;
		limit(10_000, sentAt);
		clock.now += 100;
		limit(1_000, sentAt);
		holds.ended('a', sentAt, 200);
		expect(ask()).toMatchObject({ untilMs: 9_900 });
		limit(20_000, sentAt);
		expect(ask()).toMatchObject({ untilMs: 20_000 });
	});

	it('backs off further with every refusal in a row, and starts over after an answer', () => {
		for (const askedMs of [undefined, 1]) {
			const { clock, holds, ask, limit } = start();
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
			holds.ended('a', clock.now, 200);
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
		const { ask, limit, holds, clock } = start();
		limit(1e15);
		expect(ask()).toMatchObject({ untilMs: 15 * MINUTE, askedMs: 1e15 });
		clock.now += 15 * MINUTE;
		expect(ask()).toEqual({ go: 'now' });
		holds.refused('a', clock.now, { reason: 'rate-limited', askedMs: 1e15, patienceMs: 60 * MINUTE });
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

	it('spreads out requests that waited together, further the more there are', () => {
		const { ask, limit, holds } = start(0.5);
		limit(100);
		const alone = ask({ patienceMs: 1_000 });
		for (let n = 0; n < 31; n++) holds.count('a', 1);
		expect([alone, ask({ patienceMs: 1_000 })]).toEqual([
			{ go: 'wait', ms: 125 },
			{ go: 'wait', ms: 100 + 800 },
		]);
	});
});

describe('an inactive licence', () => {
	it('holds the key for a minute, then two, up to fifteen, and lets one request ask in between', () => {
		const { clock, holds, ask, unpaid } = start();
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
		holds.ended('a', clock.now, 200);
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
		const { clock, holds, ask, limit, unpaid } = start();
		unpaid();
		clock.now += 10;
		expect(ask({ person: 'one' })).toEqual({ go: 'now' });
		limit(1_000);
		expect(ask()).toMatchObject({ go: 'fail', reason: 'license-inactive', untilMs: MINUTE - 10 });
		expect(ask({ person: 'two' })).toEqual({ go: 'now' });
		holds.ended('a', clock.now, 400);
		expect(ask()).toMatchObject({ go: 'fail', reason: 'license-inactive' });
	});
});

it('remembers a bounded number of keys', () => {
	const { holds, clock } = start();
	for (let n = 0; n < 600; n++) holds.refused(`key ${n}`, clock.now, { reason: 'rate-limited', askedMs: 1_000 });
	expect(holds.ask('key 0', { patienceMs: 0 })).toEqual({ go: 'now' });
	expect(holds.ask('key 599', { patienceMs: 0 })).toMatchObject({ go: 'fail' });
});
