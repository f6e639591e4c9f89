import assert from 'node:assert/strict';

import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { StandIn } from '../../platform/index.ts';
import type { WorkflowFile } from '../client.ts';
import type { N8nInstance } from '../instance.ts';
import { CREDENTIAL_TYPE } from '../showcase.ts';
import { until, type Later } from '../tools.ts';
import { startReceiver, type Receiver } from './receiver.ts';

/** n8n polls at most once a minute for each poll time, but takes any number of poll times. */
export const POLL_SECONDS = [0, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55];

/** Where a trigger is watched. */
export interface Scene {
	platform: StandIn;
	n8n: N8nInstance;
	later: Later;
}

/** A trigger to watch: its node, and the short form of an item, such as "offline 12". */
export interface WatchedTrigger {
	/** The name of the node in the workflow. */
	name: string;
	type: string;
	parameters: INodeParameters;
	short: (item: IDataObject) => string;
}

/**
 * A workflow with a trigger, and a receiver at its end. What was done at the stand-in and what the receiver got must
 * match, whatever happened in between.
 */
export class Watched {
	readonly receiver: Receiver;
	readonly workflowId: string;
	/** What was done at the stand-in, as the receiver should get it: "offline 12". */
	readonly done: string[] = [];
	protected readonly platform: StandIn;
	private readonly trigger: WatchedTrigger;
	private readonly keyName: string;

	protected constructor(
		platform: StandIn,
		trigger: WatchedTrigger,
		keyName: string,
		{ receiver, workflowId }: { receiver: Receiver; workflowId: string },
	) {
		this.platform = platform;
		this.trigger = trigger;
		this.keyName = keyName;
		this.receiver = receiver;
		this.workflowId = workflowId;
	}

	/** Imports the workflow without publishing it. Nothing else uses the key with this name. */
	static async watch(scene: Scene, trigger: WatchedTrigger, keyName: string): Promise<Watched> {
		return new Watched(scene.platform, trigger, keyName, await Watched.putInPlace(scene, trigger, keyName));
	}

	protected static async putInPlace({ platform, n8n, later }: Scene, trigger: WatchedTrigger, keyName: string) {
		const receiver = await startReceiver();
		later(() => receiver.close());
		const data = {
			environment: 'test',
			testUrl: platform.baseUrl,
			apiKey: platform.createKey({ name: keyName }).secret,
		};
		const id = await n8n.createCredential(keyName, CREDENTIAL_TYPE, data);
		const workflowId = await n8n.importWorkflow(workflowOf(trigger, { id, name: keyName }, receiver.url));
		return { receiver, workflowId };
	}

	/** How often the trigger has begun to read a list: of stations, once in each poll. */
	polls(): number {
		return readingsWith(this.keyName, this.platform).length;
	}

	/** Waits for polls that begin after now. */
	async furtherPolls(count: number): Promise<void> {
		const from = this.polls();
		await until(`${count} further polls`, () => this.polls() >= from + count);
	}

	/** Kills n8n when no execution of the workflow is under way: n8n would call that one crashed. */
	async kill(n8n: N8nInstance): Promise<void> {
		await n8n.executions(this.workflowId);
		n8n.kill();
	}

	/** Waits until the receiver has everything done so far, and checks that nothing else arrives. */
	async agree(): Promise<IDataObject[]> {
		const { received } = this.receiver;
		const told = () => received.map((item) => this.trigger.short(item));
		const isTold = () => this.done.every((line) => told().includes(line));
		// If something is missing after that time, the comparison shows it.
		await until('the receiver is told everything', isTold).catch(() => undefined);
		await this.furtherPolls(2);
		assert.deepEqual(told().sort(), [...this.done].sort());
		assert.equal(
			new Set(received.map(({ eventId }) => eventId)).size,
			received.length,
			'two events bear the same eventId',
		);
		return received;
	}
}

/** The requests with this key that begin to read a list. A poll may look up rows by their Ids, too, which does not count. */
export const readingsWith = (key: string, { requests }: StandIn) =>
	requests.filter(
		({ keyName, query = '' }) => keyName === key && query.includes('"Skip":0') && !query.includes('"Operator":"In"'),
	);

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

function workflowOf(
	{ name, type, parameters }: WatchedTrigger,
	credential: { id: string; name: string },
	url: string,
): WorkflowFile {
	return {
		name,
		nodes: [
			{
				id: 'trigger',
				name,
				type: `n8n-nodes-charging-network.${type}`,
				typeVersion: 1,
				position: [0, 0],
				parameters: {
					...parameters,
					pollTimes: {
						item: POLL_SECONDS.map((second) => ({ mode: 'custom', cronExpression: `${second} * * * * *` })),
					},
				},
				credentials: { [CREDENTIAL_TYPE]: credential },
			},
			tell(url, '={{ JSON.stringify($json) }}'),
		],
		connections: { [name]: { main: [[{ node: 'Tell', type: 'main', index: 0 }]] } },
	};
}
