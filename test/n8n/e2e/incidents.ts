import assert from 'node:assert/strict';

import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { StandIn } from '../../platform/index.ts';
import type { WorkflowFile } from '../client.ts';
import type { N8nInstance } from '../instance.ts';
import { CREDENTIAL_TYPE } from '../showcase.ts';
import { until, type Later } from '../tools.ts';
import { startReceiver, type Receiver } from './receiver.ts';

/** The name of the trigger node in the workflow. */
export const TRIGGER = 'Station Offline or Back';
const ONLINE = 1;
const OFFLINE = 2;
/** n8n polls at most once a minute for each poll time, but takes any number of poll times. */
export const EVERY_FIVE_SECONDS = [0, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55].map((second) => `${second} * * * * *`);

/** Where a trigger is watched. */
interface Scene {
	platform: StandIn;
	n8n: N8nInstance;
	later: Later;
}

/**
 * A workflow with the station trigger, and a receiver at its end. What was done to the stand-in's stations and what the
 * receiver got must match, whatever happened in between.
 */
export class Incidents {
	readonly receiver: Receiver;
	readonly workflowId: string;
	/** Stations that are online at the start. */
	readonly stations: readonly number[];
	/** What was done at the stand-in, as the receiver should get it: "offline 12". */
	private readonly done: string[] = [];
	private readonly platform: StandIn;
	private readonly keyName: string;

	private constructor(platform: StandIn, keyName: string, workflowId: string, receiver: Receiver) {
		this.platform = platform;
		this.keyName = keyName;
		this.workflowId = workflowId;
		this.receiver = receiver;
		this.stations = platform.db
			.prepare('SELECT Id FROM stations WHERE NetworkStatus = ? ORDER BY Id')
			.all(ONLINE)
			.map(({ Id }) => Number(Id));
	}

	/**
	 * Imports the workflow without publishing it. Nothing else uses the key with this name.
	 *
	 * @param pollTimes expressions of cron
	 */
	static async prepare({ platform, n8n, later }: Scene, keyName: string, pollTimes = EVERY_FIVE_SECONDS) {
		const receiver = await startReceiver();
		later(() => receiver.close());
		const { secret } = platform.createKey({ name: keyName });
		const data = { environment: 'test', testUrl: platform.baseUrl, apiKey: secret };
		const id = await n8n.createCredential(keyName, CREDENTIAL_TYPE, data);
		const parameters = { event: 'availability', ...every(pollTimes) };
		const workflow = watching('chargingStationStatusTrigger', parameters, { id, name: keyName }, receiver.url);
		return new Incidents(platform, keyName, await n8n.importWorkflow(workflow), receiver);
	}

	/** Changes a station of the stand-in. */
	set(station: number | undefined, event: 'offline' | 'backOnline'): void {
		assert.ok(station !== undefined, 'the stand-in has too few stations');
		const status = event === 'offline' ? OFFLINE : ONLINE;
		this.platform.db.prepare('UPDATE stations SET NetworkStatus = ? WHERE Id = ?').run(status, station);
		this.done.push(`${event} ${station}`);
	}

	/** Waits for polls of the trigger that begin after now. */
	async furtherPolls(count: number): Promise<void> {
		await furtherPolls(this.platform, this.keyName, count);
	}

	/** Kills n8n when no execution of the workflow is under way: n8n would call that one crashed. */
	async kill(n8n: N8nInstance): Promise<void> {
		await n8n.executions(this.workflowId);
		n8n.kill();
	}

	/** Waits until the receiver has everything done so far, and checks that nothing else arrives. */
	async agree(): Promise<IDataObject[]> {
		const { received } = this.receiver;
		const told = () => received.map(({ event, stationId }) => `${textOf(event)} ${textOf(stationId)}`);
		const isTold = () => this.done.every((line) => told().includes(line));
		// If something is missing after that time, the comparison shows it.
		await until('the receiver is told everything', isTold).catch(() => undefined);
		await this.furtherPolls(2);
		assert.deepEqual(told().sort(), [...this.done].sort());
		const ids = new Set(received.map(({ eventId }) => eventId));
		assert.equal(ids.size, received.length, 'two events bear the same eventId');
		return received;
	}
}

/**
 * Waits for polls that begin after now, whatever is answered to them: requests for the beginning of the list with a key
 * that one station trigger alone uses.
 */
export async function furtherPolls(platform: StandIn, keyNameOfTrigger: string, count: number): Promise<void> {
	const polls = () =>
		platform.requests.filter(
			({ keyName, query = '' }) =>
				keyName === keyNameOfTrigger && query.includes('"Skip":0') && !query.includes('"Operator":"In"'),
		).length;
	const from = polls();
	await until(`${count} further polls`, () => polls() >= from + count);
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

/** @param pollTimes expressions of cron */
export const every = (pollTimes: readonly string[]) => ({
	pollTimes: { item: pollTimes.map((cronExpression) => ({ mode: 'custom', cronExpression })) },
});

/** A workflow with one of the triggers that sends each item to a receiver. */
export function watching(
	type: string,
	parameters: INodeParameters,
	credential: { id: string; name: string },
	url: string,
): WorkflowFile {
	return {
		name: TRIGGER,
		nodes: [
			{
				id: 'trigger',
				name: TRIGGER,
				type: `n8n-nodes-charging-network.${type}`,
				typeVersion: 1,
				position: [0, 0],
				parameters,
				credentials: { [CREDENTIAL_TYPE]: credential },
			},
			{
				id: 'tell',
				name: 'Tell',
				type: 'n8n-nodes-base.httpRequest',
				typeVersion: 4.2,
				position: [240, 0],
				parameters: {
					...{ method: 'POST', url, sendBody: true, specifyBody: 'json', options: {} },
					jsonBody: '={{ JSON.stringify($json) }}',
				},
			},
		],
		connections: { [TRIGGER]: { main: [[{ node: 'Tell', type: 'main', index: 0 }]] } },
	};
}
