import assert from 'node:assert/strict';

import type { IDataObject, INode } from 'n8n-workflow';

import type { RequestRecord, StandIn } from '../../platform/index.ts';
import type { N8nInstance } from '../instance.ts';
import { CREDENTIAL_TYPE, workflowOf } from '../showcase.ts';
import { until, type Later } from '../tools.ts';
import { startReceiver, type Receiver } from './receiver.ts';

/** The node of the trigger in the workflow, by its name. */
export const TRIGGER = 'chargingStationStatusTrigger';
const ONLINE = 1;
const OFFLINE = 2;
/** n8n polls at most once a minute for each poll time, but takes any number of poll times. */
const EVERY_FIVE_SECONDS = [0, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55].map((second) => ({
	mode: 'custom',
	cronExpression: `${second} * * * * *`,
}));

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

	private constructor(platform: StandIn, workflowId: string, receiver: Receiver) {
		this.platform = platform;
		this.workflowId = workflowId;
		this.receiver = receiver;
		this.stations = platform.db
			.prepare('SELECT Id FROM stations WHERE NetworkStatus = ? ORDER BY Id')
			.all(ONLINE)
			.map(({ Id }) => Number(Id));
	}

	/** Publishes the workflow and waits until the trigger has noted how things are. */
	static async publish({ platform, n8n, later }: Scene): Promise<Incidents> {
		const receiver = await startReceiver(later);
		const { secret } = platform.createKey({ name: TRIGGER });
		const data = { environment: 'test', testUrl: platform.baseUrl, apiKey: secret };
		const credential = { id: await n8n.createCredential(TRIGGER, CREDENTIAL_TYPE, data), name: TRIGGER };
		const { nodes, ...rest } = workflowOf(TRIGGER, { event: 'availability', pollTimes: { item: EVERY_FIVE_SECONDS } });
		const workflow = {
			...rest,
			nodes: [...nodes.map((node) => ({ ...node, credentials: { [CREDENTIAL_TYPE]: credential } })), sendTo(receiver)],
			connections: { [TRIGGER]: { main: [[{ node: 'Tell', type: 'main' as const, index: 0 }]] } },
		};
		const incidents = new Incidents(platform, await n8n.importWorkflow(workflow), receiver);
		await n8n.publish(incidents.workflowId);
		await incidents.furtherPolls(2);
		return incidents;
	}

	/** Changes a station of the stand-in. */
	set(station: number | undefined, event: 'offline' | 'backOnline'): void {
		assert.ok(station !== undefined, 'the stand-in has too few stations');
		const status = event === 'offline' ? OFFLINE : ONLINE;
		this.platform.db.prepare('UPDATE stations SET NetworkStatus = ? WHERE Id = ?').run(status, station);
		this.done.push(`${event} ${station}`);
	}

	async furtherPolls(count: number): Promise<void> {
		await furtherPolls(this.platform, TRIGGER, count);
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
 * Waits for polls that begin after now, of the one station trigger that uses this key. When the second has begun, the
 * first has seen everything that was so before it. While the platform does not answer, a poll that asks again counts again.
 */
export async function furtherPolls(platform: StandIn, keyNameOfTrigger: string, count: number): Promise<void> {
	// A poll begins with the first page of the list. Later pages and look-ups of stations ask for certain Ids.
	const isBeginning = ({ keyName, query = '' }: RequestRecord) =>
		keyName === keyNameOfTrigger && query.includes('"Dir":"Asc"') && !query.includes('"Field":"Id","Operator"');
	const now = Date.now();
	const polls = () => platform.requests.filter((request) => request.at > now && isBeginning(request));
	await until(`${count} further polls`, () => polls().length >= count);
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

/** A node that sends each item to the receiver. */
const sendTo = ({ url }: Receiver): INode => ({
	id: 'tell',
	name: 'Tell',
	type: 'n8n-nodes-base.httpRequest',
	typeVersion: 4.2,
	position: [480, 0],
	parameters: {
		...{ method: 'POST', url, sendBody: true, specifyBody: 'json', options: {} },
		jsonBody: '={{ JSON.stringify($json) }}',
	},
});
