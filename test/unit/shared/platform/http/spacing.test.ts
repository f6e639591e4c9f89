import { Spacing } from '../../../../../nodes/shared/platform/http/spacing';

beforeEach(() => jest.useFakeTimers({ now: 0 }));
afterEach(() => jest.useRealTimers());

/** When each of so many requests that are ready now may begin, in milliseconds from now. */
async function beginnings(spacing: Spacing, requests: number): Promise<number[]> {
	const from = Date.now();
	const begun = Array.from({ length: requests }, async () => {
		await spacing.turn();
		return Date.now() - from;
	});
	await jest.advanceTimersByTimeAsync(1_000);
	return await Promise.all(begun);
}

function answer(spacing: Spacing, { times, ms }: { times: number; ms: number }): void {
	for (let count = 0; count < times; count++) spacing.answeredIn(ms);
}

it('a short list is not kept waiting', async () => {
	const spacing = new Spacing(undefined);
	answer(spacing, { times: 10, ms: 200 });
	expect(await beginnings(spacing, 8)).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
});

it('requests of a long list begin apart, and a late one need not wait', async () => {
	const spacing = new Spacing(undefined);
	answer(spacing, { times: 20, ms: 200 });
	expect(await beginnings(spacing, 4)).toEqual([0, 4, 8, 12]);
	expect(await beginnings(spacing, 1)).toEqual([0]);
});

it('a platform that answers at once is not slowed down', async () => {
	const spacing = new Spacing(undefined);
	answer(spacing, { times: 20, ms: 3 });
	expect(await beginnings(spacing, 4)).toEqual([0, 0, 0, 0]);
});

it('a clock that is set back stops nobody', async () => {
	const spacing = new Spacing(undefined);
	answer(spacing, { times: 20, ms: 200 });
	await spacing.turn();
	jest.setSystemTime(-600_000);
	const [begun] = await beginnings(spacing, 1);
	expect(begun).toBeLessThan(100);
});

it('whoever waits for a turn learns that the execution was stopped', async () => {
	const spacing = new Spacing({ aborted: true });
	answer(spacing, { times: 20, ms: 200 });
	await spacing.turn();
	await expect(spacing.turn()).rejects.toMatchObject({ kind: 'canceled' });
});
