import assert from 'node:assert/strict';
import { before, it } from 'node:test';

import type { IDataObject } from 'n8n-workflow';

import { outputOf, type WorkflowFile } from '../client.ts';
import { CREDENTIAL_TYPE } from '../showcase.ts';
import { until } from '../tools.ts';
import type { Lab } from './lab.ts';
import { startReceiver, type Receiver } from './receiver.ts';

const KEY_NAME = 'trigger';
const TRIGGER = 'Station Offline or Back';
const ONLINE = 1;
const OFFLINE = 2;
/** Time for an event to arrive: many polls. */
const AGREE_MS = 90_000;
/** n8n polls at most once a minute for each poll time, but takes any number of poll times. */
const POLL_SECONDS = [0, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55];

/**
 * The trigger in a published workflow: n8n's own scheduler polls, and a receiver at the workflow's end takes what comes.
 * What was done to the stations of the stand-in and what the receiver got must be the same, whatever happened between.
 */
export function triggerTests(lab: () => Lab): void {
	let receiver: Receiver;
	let workflowId: string;
	/** Stations that are online at the beginning. */
	let stations: number[];
	/** What was done at the stand-in, as the receiver should be told: "offline 12". */
	const done: string[] = [];

	before(async () => {
		const { n8n, platform, later } = lab();
		receiver = await startReceiver();
		later(() => receiver.close());
		stations = platform.db
			.prepare('SELECT Id FROM stations WHERE NetworkStatus = ? ORDER BY Id')
			.all(ONLINE)
			.map(({ Id }) => Number(Id));
		const data = {
			environment: 'test',
			testUrl: platform.baseUrl,
			apiKey: platform.createKey({ name: KEY_NAME }).secret,
		};
		const id = await n8n.createCredential(KEY_NAME, CREDENTIAL_TYPE, data);
		workflowId = await n8n.importWorkflow(alertWorkflow({ id, name: KEY_NAME }, receiver.url));
	});

	function set(station: number | undefined, event: 'offline' | 'backOnline'): void {
		assert.ok(station !== undefined, 'the stand-in has too few stations');
		const status = event === 'offline' ? OFFLINE : ONLINE;
		lab().platform.db.prepare('UPDATE stations SET NetworkStatus = ? WHERE Id = ?').run(status, station);
		done.push(`${event} ${station}`);
	}

	const polls = () => lab().platform.requests.filter(({ keyName }) => keyName === KEY_NAME).length;

	/** Waits for polls that begin after now. */
	async function furtherPolls(count: number): Promise<void> {
		const from = polls();
		await until(`${count} further polls`, () => polls() >= from + count);
	}

	/** Waits until the receiver has what was done so far, and makes sure that nothing comes after it. */
	async function agree(): Promise<IDataObject[]> {
		const told = () => receiver.received.map(({ event, stationId }) => `${textOf(event)} ${textOf(stationId)}`);
		const isTold = () => done.every((line) => told().includes(line));
		// Where something is missing after that time, the comparison shows it.
		await until('the receiver is told everything', isTold, AGREE_MS).catch(() => undefined);
		await furtherPolls(2);
		assert.deepEqual(told().sort(), [...done].sort());
		const ids = new Set(receiver.received.map(({ eventId }) => eventId));
		assert.equal(ids.size, receiver.received.length, 'two events bear the same eventId');
		return receiver.received;
	}

	it('once published, it is polled by n8n, and stations that were offline before raise nothing', async () => {
		await lab().n8n.publish(workflowId);
		await furtherPolls(3);
		assert.deepEqual(receiver.received, []);
	});

	it('a station that goes offline and comes back gives one item each', async () => {
		const [station] = stations;
		set(station, 'offline');
		await agree();
		set(station, 'backOnline');
		const [offline, back] = await agree();
		const { Name } =
			lab()
				.platform.db.prepare('SELECT Name FROM stations WHERE Id = ?')
				.get(station ?? 0) ?? {};
		const common = { stationId: station, stationName: Name, dimension: 'NetworkStatus', environment: 'test' };
		assert.partialDeepStrictEqual(offline, { ...common, event: 'offline', from: 'online', to: 'offline' });
		assert.partialDeepStrictEqual(back, { ...common, event: 'backOnline', from: 'offline', to: 'online' });
		assert.equal(typeof back?.durationSeconds, 'number');
		assert.match(textOf(back?.detectedAt), /T.*[+-]\d\d:\d\d$/, 'times bear the zone of the workflow');
	});

	it('several stations at once arrive together', async () => {
		for (const station of stations.slice(1, 6)) set(station, 'offline');
		await agree();
	});

	it('an outage of the platform loses nothing', async () => {
		const { platform } = lab();
		platform.faults.add({ kind: 'status', status: 503, times: Infinity });
		set(stations[6], 'offline');
		set(stations[1], 'backOnline');
		await furtherPolls(4);
		platform.faults.clear();
		await agree();
	});

	it('n8n is stopped and started in the middle of incidents', async () => {
		const { n8n } = lab();
		set(stations[7], 'offline');
		await agree();
		await n8n.stop();
		set(stations[7], 'backOnline');
		set(stations[8], 'offline');
		await n8n.start();
		await agree();
	});

	it('n8n is killed between two polls', async () => {
		const { n8n } = lab();
		set(stations[9], 'offline');
		await agree();
		n8n.kill();
		set(stations[9], 'backOnline');
		set(stations[10], 'offline');
		await n8n.start();
		await agree();
		n8n.kill();
		await n8n.start();
		await agree();
	});

	it('n8n keeps one execution for each poll that had something to tell', async () => {
		const executions = await lab().n8n.executions(workflowId);
		assert.deepEqual(new Set(executions.map(({ status }) => status)), new Set(['success']));
		const items = executions.flatMap((execution) => outputOf(execution, TRIGGER));
		const events = items.filter(({ eventId }) => eventId !== undefined);
		const idsOf = (list: IDataObject[]) => list.map(({ eventId }) => textOf(eventId)).sort();
		assert.deepEqual(idsOf(events), idsOf(receiver.received));
	});

	it('is no longer polled once it is unpublished', async () => {
		const { n8n, platform } = lab();
		await n8n.unpublish(workflowId);
		set(stations[11], 'offline');
		const before = polls();
		// A schedule that is still running tells that n8n's clock goes on.
		const clockId = await n8n.importWorkflow(clockWorkflow(receiver.url));
		await n8n.publish(clockId);
		await until('six ticks', () => receiver.received.filter(({ tick }) => tick === true).length >= 6);
		await n8n.unpublish(clockId);
		assert.equal(polls(), before);
		platform.faults.clear();
	});
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

function alertWorkflow(credential: { id: string; name: string }, url: string): WorkflowFile {
	return {
		name: 'Alert',
		nodes: [
			{
				id: 'trigger',
				name: TRIGGER,
				type: 'n8n-nodes-charging-network.chargingStationStatusTrigger',
				typeVersion: 1,
				position: [0, 0],
				parameters: {
					event: 'availability',
					pollTimes: {
						item: POLL_SECONDS.map((second) => ({ mode: 'custom', cronExpression: `${second} * * * * *` })),
					},
				},
				credentials: { [CREDENTIAL_TYPE]: credential },
			},
			tell(url, '={{ JSON.stringify($json) }}'),
		],
		connections: { [TRIGGER]: { main: [[{ node: 'Tell', type: 'main', index: 0 }]] } },
	};
}

function clockWorkflow(url: string): WorkflowFile {
	return {
		name: 'Clock',
		nodes: [
			{
				id: 'clock',
				name: 'Clock',
				type: 'n8n-nodes-base.scheduleTrigger',
				typeVersion: 1.2,
				position: [0, 0],
				parameters: { rule: { interval: [{ field: 'seconds', secondsInterval: 2 }] } },
			},
			tell(url, '{ "tick": true }'),
		],
		connections: { Clock: { main: [[{ node: 'Tell', type: 'main', index: 0 }]] } },
	};
}

function tell(url: string, jsonBody: string): WorkflowFile['nodes'][number] {
	return {
		id: 'tell',
		name: 'Tell',
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.2,
		position: [240, 0],
		parameters: { method: 'POST', url, sendBody: true, specifyBody: 'json', jsonBody, options: {} },
	};
}
