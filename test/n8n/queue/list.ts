import assert from 'node:assert/strict';
import { afterEach, it } from 'node:test';

import { until } from '../tools.ts';
import { workerOf, type Cluster } from './cluster.ts';
import { addCredential, listAndTell, publish } from './workflows.ts';

const FINISHED = 4;
const EXPIRED = 5;
const FAILED = 6;

/** Lists under a rate limit. Each worker knows only its own requests; the platform counts all of the key. */
export function listTests(cluster: () => Cluster): void {
	afterEach(() => {
		cluster().platform.behaviour.rateLimit = undefined;
	});

	/** Fewer requests than a list sends at once, so that it is refused even on a slow machine. */
	function limitRate(): void {
		cluster().platform.behaviour.rateLimit = { limit: 2, windowMs: 1500, window: 'fixed', retryAfter: 'seconds' };
	}

	function idsOf(status: number): unknown[] {
		const { db } = cluster().platform;
		return db
			.prepare('SELECT Id FROM sessions WHERE Status = ? ORDER BY Id')
			.all(status)
			.map(({ Id }) => Id);
	}

	/** What the receiver was told by an execution. */
	async function told(execution: string): Promise<unknown> {
		const { received } = cluster().receiver;
		const { ids } = await until(`execution ${execution} tells`, () =>
			received.find((body) => body.execution === execution),
		);
		return ids;
	}

	const requestsOf = (keyName: string) => cluster().platform.requests.filter((request) => request.keyName === keyName);

	it('a list under a rate limit is complete', async () => {
		const credential = await addCredential(cluster(), 'one');
		const { start } = await publish(cluster(), 'list', listAndTell(credential, FAILED, cluster().receiver.url));
		limitRate();
		const execution = await start();
		assert.deepEqual(await told(execution), idsOf(FAILED));
		assert.ok(
			requestsOf('one').some(({ status }) => status === 429),
			'the rate limit was never reached',
		);
	});

	it('two workers with one key at the same time: both lists are complete', async () => {
		const credential = await addCredential(cluster(), 'both');
		const { url } = cluster().receiver;
		const statuses = [FAILED, EXPIRED] as const;
		const workflows = await Promise.all(
			statuses.map((status) => publish(cluster(), `list-${status}`, listAndTell(credential, status, url))),
		);
		limitRate();
		const executions = await Promise.all(workflows.map(({ start }) => start()));
		const workers = await Promise.all(executions.map((execution) => workerOf(cluster(), execution)));
		assert.notEqual(workers[0], workers[1], 'both ran on the same worker');
		for (const [index, execution] of executions.entries()) {
			assert.deepEqual(await told(execution), idsOf(statuses[index] ?? FINISHED));
		}
		const times = statuses.map((status) => {
			const answered = requestsOf('both').filter(({ query }) => query?.includes(`"Value":"${status}"`));
			return answered.map(({ at }) => at);
		});
		const [one = [], other = []] = times;
		assert.ok(
			Math.max(...one) > Math.min(...other) && Math.max(...other) > Math.min(...one),
			'they did not run at the same time',
		);
		assert.ok(
			requestsOf('both').some(({ status }) => status === 429),
			'the rate limit was never reached',
		);
	});
}
