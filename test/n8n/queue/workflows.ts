import type { INode, INodeParameters } from 'n8n-workflow';

import type { WorkflowFile } from '../client.ts';
import { CREDENTIAL_TYPE } from '../showcase.ts';
import { until } from '../tools.ts';
import type { Cluster } from './cluster.ts';

/** A published workflow that is started through its webhook, as an outside system would. */
export interface Published {
	id: string;
	/** Starts it and returns the id of the execution. */
	start: () => Promise<string>;
}

export interface Credential {
	id: string;
	name: string;
}

/** Saves a credential with a new key of that name. */
export async function addCredential({ platform, n8n }: Cluster, name: string): Promise<Credential> {
	const data = { environment: 'test', testUrl: platform.baseUrl, apiKey: platform.createKey({ name }).secret };
	return { id: await n8n.createCredential(name, CREDENTIAL_TYPE, data), name };
}

/** Saves and publishes a workflow whose nodes follow a webhook. */
export async function publish(
	{ n8n }: Cluster,
	name: string,
	nodes: INode[],
	connections: WorkflowFile['connections'],
): Promise<Published> {
	const webhook = node('Webhook', 'n8n-nodes-base.webhook', 2, {
		httpMethod: 'POST',
		path: name,
		responseMode: 'onReceived',
	});
	const first = nodes[0]?.name ?? '';
	const id = await n8n.importWorkflow({
		name,
		nodes: [{ ...webhook, webhookId: name }, ...nodes],
		connections: { ...connections, Webhook: to(first) },
		settings: {},
	});
	await n8n.publish(id);
	const call = async () => (await fetch(`${n8n.url}/webhook/${name}`, { method: 'POST' })).ok;
	return {
		id,
		start: async () => {
			const before = new Set(await n8n.executionIds(id));
			// n8n opens the webhook shortly after it has published the workflow.
			await until(`${name} can be started`, call);
			return await until(`${name} has started`, async () => {
				return (await n8n.executionIds(id)).find((execution) => !before.has(execution));
			});
		},
	};
}

export function node(name: string, type: string, typeVersion: number, parameters: INodeParameters): INode {
	return { id: name.toLowerCase(), name, type, typeVersion, position: [0, 0], parameters };
}

/** Connections of a node's output to the inputs of others. */
export function to(...names: string[]): WorkflowFile['connections'][string] {
	return { main: [names.map((name) => ({ node: name, type: 'main', index: 0 }))] };
}
