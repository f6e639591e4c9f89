import assert from 'node:assert/strict';
import { before, it } from 'node:test';

import type { IDataObject } from 'n8n-workflow';

import { outputOf } from '../client.ts';
import type { Lab } from './lab.ts';
import { textOf, Watched, type WatchedTrigger } from './watched.ts';

const ACTIVE = 1;
const FINISHED = 4;
const EXPIRED = 5;
const FAILED = 6;
const HOUR = 3_600_000;

const SESSION_TRIGGER: WatchedTrigger = {
	name: 'Session Event',
	type: 'chargingSessionTrigger',
	parameters: {
		events: ['started', 'ended', 'failed', 'runningLong'],
		endStatuses: ['4'],
		runningHours: 24,
		options: { otherEndStatuses: [String(EXPIRED)] },
	},
	short: ({ event, sessionId }) => `${textOf(event)} ${textOf(sessionId)}`,
};

/** The session trigger in a published workflow, whatever happens to n8n: see `Watched`. */
export function sessionTriggerTests(lab: () => Lab): void {
	let watched: Watched;
	/** Sessions that run at the start. */
	let running: number[];
	let nextId: number;

	before(async () => {
		const { platform } = lab();
		running = platform.db
			.prepare('SELECT Id FROM sessions WHERE Status = ? ORDER BY Id')
			.all(ACTIVE)
			.map(({ Id }) => Number(Id));
		nextId = 10 + Number(platform.db.prepare('SELECT max(Id) AS Id FROM sessions').get()?.Id);
		watched = await Watched.watch(lab(), SESSION_TRIGGER, 'session-trigger');
	});

	/** Starts a session, which may be over at once. */
	function start({ status = ACTIVE, id = nextId++, ago = 0 } = {}): number {
		lab().platform.startSession({ id, status, energy: 1.5, startedAt: Date.now() - ago });
		watched.done.push(`started ${id}`);
		expectEnd(id, status);
		return id;
	}

	function end(id: number | undefined, status: number): void {
		assert.ok(id !== undefined, 'the stand-in has too few sessions');
		lab().platform.db.prepare('UPDATE sessions SET Status = ? WHERE Id = ?').run(status, id);
		expectEnd(id, status);
	}

	function expectEnd(id: number, status: number): void {
		if (status === FINISHED) watched.done.push(`ended ${id}`);
		if (status === FAILED) watched.done.push(`failed ${id}`);
	}

	const itemOf = (items: IDataObject[], event: string, id: number) =>
		items.find((item) => item.event === event && item.sessionId === id);

	it('once published, n8n polls it, and existing sessions raise nothing', async () => {
		await lab().n8n.publish(watched.workflowId);
		await watched.furtherPolls(6);
		assert.deepEqual(watched.receiver.received, []);
	});

	it('a session that starts and ends gives one item each', async () => {
		const id = start();
		await watched.agree();
		end(id, FINISHED);
		const items = await watched.agree();
		const common = { sessionId: id, environment: 'test', durationSeconds: null };
		assert.partialDeepStrictEqual(itemOf(items, 'started', id), {
			...common,
			status: ACTIVE,
			statusLabel: `Code ${ACTIVE}`,
		});
		const ended = itemOf(items, 'ended', id);
		assert.partialDeepStrictEqual(ended, { ...common, status: FINISHED, statusLabel: 'Finished' });
		assert.partialDeepStrictEqual(ended?.session, { Id: id, Status: FINISHED, EnergyConsumed: 1.5 });
		assert.match(textOf(ended?.startedAt), /T.*[+-]\d\d:\d\d$/, 'times bear the zone of the workflow');
	});

	it('a session that started and failed between two polls gives both events; expired is not reported as ended', async () => {
		start({ status: FAILED });
		start({ status: EXPIRED });
		end(running[0], EXPIRED);
		end(running[1], FINISHED);
		await watched.agree();
	});

	it('a session that turns up late with a lower Id is found', async () => {
		start({ id: nextId - 8 });
		await watched.agree();
	});

	it('a session that has been running for a day is reported once', async () => {
		const id = start({ ago: 24 * HOUR - 3000 });
		watched.done.push(`runningLong ${id}`);
		const items = await watched.agree();
		assert.ok(Number(itemOf(items, 'runningLong', id)?.durationSeconds) >= 86_400);
	});

	it('an outage of the platform loses nothing', async () => {
		const { platform } = lab();
		platform.faults.add({ kind: 'status', status: 503, times: Infinity });
		start({ status: FINISHED });
		end(running[2], FAILED);
		await watched.furtherPolls(6);
		platform.faults.clear();
		await watched.agree();
	});

	it('stopping and starting n8n while sessions start and end loses nothing', async () => {
		const { n8n } = lab();
		const id = start();
		await watched.agree();
		await n8n.stop();
		end(id, FINISHED);
		end(running[3], FINISHED);
		start();
		start({ status: FAILED });
		await n8n.start();
		await watched.agree();
	});

	it('killing n8n between two polls loses nothing', async () => {
		const { n8n } = lab();
		const id = start();
		await watched.agree();
		await watched.kill(n8n);
		end(id, FINISHED);
		for (let session = 0; session < 150; session++) start({ status: session % 3 === 0 ? FINISHED : ACTIVE });
		await n8n.start();
		await watched.agree();
		await watched.kill(n8n);
		await n8n.start();
		await watched.agree();
	});

	it('the executions n8n keeps succeeded and hold exactly the events received', async () => {
		const executions = await lab().n8n.executions(watched.workflowId);
		assert.deepEqual(new Set(executions.map(({ status }) => status)), new Set(['success']));
		const items = executions.flatMap((execution) => outputOf(execution, SESSION_TRIGGER.name));
		const idsOf = (list: IDataObject[]) => list.map(({ eventId }) => textOf(eventId)).sort();
		const events = items.filter(({ eventId }) => eventId !== undefined);
		assert.deepEqual(idsOf(events), idsOf(watched.receiver.received));
		await lab().n8n.unpublish(watched.workflowId);
	});
}
