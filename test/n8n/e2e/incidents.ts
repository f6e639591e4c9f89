import assert from 'node:assert/strict';

import type { IDataObject } from 'n8n-workflow';

import type { StandIn } from '../../platform/index.ts';
import type { N8nInstance } from '../instance.ts';
import { CREDENTIAL_TYPE } from '../showcase.ts';
import { until, type Later } from '../tools.ts';
import type { WorkflowFile } from '../client.ts';
import { startReceiver, type Receiver } from './receiver.ts';

/** The name of the trigger node in the workflow that tells the receiver. */
export const TRIGGER = 'Station Offline or Back';

const ONLINE = 1;
const OFFLINE = 2;
/** n8n polls at most once a minute for each poll time, but takes any number of poll times. */
const POLL_SECONDS = [0, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55];

/** Where incidents are played. */
export interface Scene {
	platform: StandIn;
	n8n: N8nInstance;
	later: Later;
}

/**
 * A workflow with the trigger, a receiver at its end that takes what comes, and stations of the stand-in to play with.
 * What was done to the stations and what the receiver got must be the same, whatever happened between.
 */
export class Incidents {
	readonly receiver: Receiver;
	readonly workflowId: string;
	/** Stations that are online at the beginning. */
	readonly stations: readonly number[];
	/** What was done at the stand-in, as the receiver should be told: "offline 12". */
	private readonly done: string[] = [];
	private readonly platform: StandIn;
	private readonly keyName: string;

	private constructor(platform: StandIn, receiver: Receiver, keyName: string, workflowId: string) {
		this.platform = platform;
		this.receiver = receiver;
		this.keyName = keyName;
		this.workflowId = workflowId;
		this.stations = platform.db
			.prepare('SELECT Id FROM stations WHERE NetworkStatus = ? ORDER BY Id')
			.all(ONLINE)
			.map(({ Id }) => Number(Id));
	}

	/** Imports the workflow, which is not published yet. Its key has this name, and nobody else uses it. */
	static async prepare({ platform, n8n, later }: Scene, keyName: string): Promise<Incidents> {
		const receiver = await startReceiver();
		later(() => receiver.close());
		const data = {
			environment: 'test',
			testUrl: platform.baseUrl,
			apiKey: platform.createKey({ name: keyName }).secret,
		};
		const id = await n8n.createCredential(keyName, CREDENTIAL_TYPE, data);
		const workflowId = await n8n.importWorkflow(alertWorkflow({ id, name: keyName }, receiver.url));
		return new Incidents(platform, receiver, keyName, workflowId);
	}

	/** Changes a station of the stand-in. */
	set(station: number | undefined, event: 'offline' | 'backOnline'): void {
		assert.ok(station !== undefined, 'the stand-in has too few stations');
		const status = event === 'offline' ? OFFLINE : ONLINE;
		this.platform.db.prepare('UPDATE stations SET NetworkStatus = ? WHERE Id = ?').run(status, station);
		this.done.push(`${event} ${station}`);
	}

	/** How many requests the trigger has sent. */
	polls(): number {
		return this.platform.requests.filter(({ keyName }) => keyName === this.keyName).length;
	}

	/** Waits for polls that begin after now. */
	async furtherPolls(count: number): Promise<void> {
		const from = this.polls();
		await until(`${count} further polls`, () => this.polls() >= from + count);
	}

	/** Waits until the receiver has what was done so far, and makes sure that nothing comes after it. */
	async agree(): Promise<IDataObject[]> {
		const { received } = this.receiver;
		const told = () => received.map(({ event, stationId }) => `${textOf(event)} ${textOf(stationId)}`);
		const isTold = () => this.done.every((line) => told().includes(line));
		// Where something is missing after that time, the comparison shows it.
		await until('the receiver is told everything', isTold).catch(() => undefined);
		await this.furtherPolls(2);
		assert.deepEqual(told().sort(), [...this.done].sort());
		const ids = new Set(received.map(({ eventId }) => eventId));
		assert.equal(ids.size, received.length, 'two events bear the same eventId');
		return received;
	}
}

export const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

/** A node that sends JSON to an address. */
export function tell(url: string, jsonBody: string, name = 'Tell'): WorkflowFile['nodes'][number] {
	return {
		id: name.toLowerCase(),
		name,
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.2,
		position: [240, 0],
		parameters: { method: 'POST', url, sendBody: true, specifyBody: 'json', jsonBody, options: {} },
	};
}

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
