/** When a key may be asked again. Licenses, wrong passwords and stopped runs: test/engine/everyNode. */
import { PlatformError } from '../../../../../nodes/shared/platform/answers/errors';
import { RateLimitGate } from '../../../../../nodes/shared/platform/http/rateLimitGate';
import type { Caller } from '../../../../../nodes/shared/platform/types';
import { installFastClock, type FastClock } from '../../../../support/clock.ts';
import { callerOf as caller, errorOf } from '../../../../support/scriptedConnection.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

let clock: FastClock;
let hold: RateLimitGate;
beforeAll(() => (clock = installFastClock()));
afterAll(() => clock.restore());
beforeEach(() => (hold = new RateLimitGate()));

const wait = (retryAfterMs?: number) => new PlatformError('rate-limited', 'The limit is used up', { retryAfterMs });

/** A request that is answered, or refused with this error. Returns when it was sent. */
async function ask(by = caller(), refusal?: PlatformError): Promise<number> {
	const at = await hold.acquire(by);
	hold.release(by, at, refusal);
	return at;
}
const textOf = async (promise: Promise<unknown>) => {
	const { message, description } = await errorOf(promise);
	return `${message}. ${description}`;
};
const apart = (times: readonly number[]) => times.slice(1).map((at, index) => at - (times[index] ?? 0));

describe('a key that is told to wait', () => {
	it('is held for all for as long as the platform says, whatever the clock is set to', async () => {
		const refusedAt = await ask(caller(), wait(30 * SECOND));
		for (const ms of [-60 * MINUTE, 120 * MINUTE]) clock.set(ms);
		const sent = await Promise.all(Array.from({ length: 4 }, async () => await ask()));
		expect(Math.min(...sent) - refusedAt).toBeGreaterThanOrEqual(30 * SECOND);
	});

	it('is held longer with each refusal in a row where the platform does not say how long', async () => {
		const times: number[] = [];
		for (let turn = 0; turn < 5; turn++) times.push(await ask(caller(), wait()));
		for (const [index, ms] of apart(times).entries()) expect(ms).toBeGreaterThanOrEqual(500 * 2 ** index);
	});

	it('is not waited for by a dropdown or the test of a credential, which say when to try again', async () => {
		await ask(caller(), wait(30 * SECOND));
		const inEditor = caller({ isEditor: true, person: 'editor' });
		for (let time = 0; time < 2; time++) expect(await textOf(ask(inEditor))).toMatch(/try again in (?:30|2\d) seconds/);
	});

	it('afterwards one request asks for all, and another refusal holds all again', async () => {
		await ask(caller(), wait(600 * SECOND));
		clock.forward(10 * MINUTE);
		const first = caller();
		const admittedAt = await hold.acquire(first);
		const others = Array.from({ length: 7 }, () => textOf(ask()));
		hold.release(first, admittedAt, wait(500 * SECOND));
		for (const text of await Promise.all(others)) expect(text).toMatch(/asks to wait 9 minutes/);
	});

	it('afterwards those that waited leave one by one, polls first', async () => {
		await ask(caller(), wait(20 * SECOND));
		const sent: string[] = [];
		const times: number[] = [];
		const send = async (who: string, by: Caller) => {
			times.push(await ask(by));
			sent.push(who);
		};
		const nodes = ['a', 'b', 'c'].map(async (who) => await send(who, caller()));
		await Promise.all([...nodes, send('poll', caller({ isPoll: true }))]);
		expect(sent).toEqual(['poll', 'a', 'b', 'c']);
		expect(Math.min(...apart(times))).toBeGreaterThanOrEqual(50);
	});

	it.each([
		['longer for each of them', [20, 20], /try again in (?:20|1\d) seconds/],
		['shorter because a later one says less', [55, 10], /try again in [45]\d seconds/],
	])('by answers to requests that were under way together is not held %s', async (_, [first = 0, later = 0], text) => {
		const together = Array.from({ length: 12 }, () => caller());
		const admitted = await Promise.all(together.map(async (by) => [by, await hold.acquire(by)] as const));
		for (const [index, [by, at]] of admitted.entries()) {
			hold.release(by, at, wait((index === 0 ? first : later) * SECOND));
		}
		expect(await textOf(ask(caller({ isEditor: true, person: 'editor' })))).toMatch(text);
	});

	it('is tried by one request, which others wait for longer than for the limit', async () => {
		await ask(caller(), wait(SECOND));
		const first = caller();
		const admittedAt = await hold.acquire(first);
		const other = Promise.allSettled([ask(caller({ maxRateLimitWaitMs: 3 * SECOND }))]);
		clock.forward(8 * SECOND);
		// It looks.
		await new Promise((resolve) => setTimeout(resolve, SECOND));
		hold.release(first, admittedAt);
		expect(await other).toMatchObject([{ status: 'fulfilled' }]);
	});

	it('once more lets a run that a person started ask once more', async () => {
		const run = caller({ person: 'who runs it' });
		const another = caller({ person: 'another' });
		await ask(run, wait(60 * MINUTE));
		await ask(another);
		await ask(another, wait(60 * MINUTE));
		await ask(run);
	});

	it('is not freed by an answer to what was sent before the refusal', async () => {
		const early = caller();
		const admittedAt = await hold.acquire(early);
		await ask(caller(), wait(600 * SECOND));
		hold.release(early, admittedAt);
		expect(await textOf(ask())).toMatch(/asks to wait 10 minutes/);
	});
});

describe('a wait that is too long', () => {
	it.each([5 * 24 * 60 * MINUTE, Number.MAX_SAFE_INTEGER])(
		'of %i ms is refused with the time, and lets each run that a person started ask once',
		async (ms) => {
			const refused = caller({ person: 'who was refused' });
			await ask(refused, wait(ms));
			expect(await textOf(ask(refused))).toMatch(
				/^The platform asks to wait .*, longer than this node may wait\. The limit is used up, so nothing is sent until (\d{4}-.* \(.*\)|a date far ahead)\. Raise Max Rate Limit Wait in Options \(now 1 minute\)/,
			);
			const another = caller({ person: 'another' });
			const both = await Promise.allSettled([hold.acquire(another), hold.acquire(another)]);
			expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
			// One is answered, which frees the key.
			await ask(caller({ person: 'a third' }));
			await ask();
		},
	);

	it('is counted from the first refusal, and the message says how long the run has waited', async () => {
		const run = caller({ maxRateLimitWaitMs: 40 * SECOND });
		await ask(run, wait(30 * SECOND));
		await ask(run, wait(120 * SECOND));
		expect(await textOf(ask(run))).toMatch(/asks to wait 2 minutes.*waited 3\d seconds already.*\(now 40 seconds\)/);
	});

	it('also ends a run while another request gets no answer', async () => {
		await ask(caller(), wait(SECOND));
		await hold.acquire(caller());
		expect(await textOf(ask(caller({ maxRateLimitWaitMs: 5 * SECOND })))).toMatch(
			/and the platform has not answered since\. It has waited \d+ seconds while another request with the same/,
		);
	});
});
