import assert from 'node:assert/strict';
import { it } from 'node:test';

import chunk from 'lodash/chunk.js';
import range from 'lodash/range.js';
import type { IDataObject } from 'n8n-workflow';

import type { WorkflowFile } from '../client.ts';
import { connect, readExample } from '../showcase.ts';
import { until } from '../tools.ts';
import type { Lab } from './lab.ts';
import { startReceiver } from './receiver.ts';
import { textOf } from './watched.ts';

const EVENTS = 1_050;
/** More than n8n's Remove Duplicates node can remember: it stops for good after 10,000. */
const EVENTS_AT_NIGHT = 10_500;
const POLLS = 21;
/** Concurrent executions. */
const AT_ONCE = 3;
/** Attempts for a ticket before the execution fails, as in the example. */
const TRIES = 3;

/** The recipe of new-fault-creates-a-ticket-once.json, with far more events than a real trigger gives in a year. */
export function ticketTests(lab: () => Lab, atNight: boolean): void {
	const count = atNight ? EVENTS_AT_NIGHT : EVENTS;
	it(`${count} events, some sent twice and some tickets refused at first: one ticket for each`, async () => {
		const { n8n, later, credential, platform } = lab();
		const refusals = new Map([
			['event-70', 1],
			['event-123', TRIES],
			['event-432', 1],
			[`event-${count - 1}`, TRIES],
		]);
		const receiver = await startReceiver(({ reference }) => {
			const left = refusals.get(textOf(reference)) ?? 0;
			refusals.set(textOf(reference), left - 1);
			return left > 0;
		});
		later(() => receiver.close());
		const url = `${n8n.url}/webhook/events`;
		const dataTable = await n8n.createDataTable(`Tickets of ${count} events`, ['eventId']);
		const example = connect(readExample('new-fault-creates-a-ticket-once.json'), credential, platform.baseUrl, {
			dataTable,
		});
		const workflow = await n8n.importWorkflow(startedByWebhook(example, receiver.url));
		await n8n.publish(workflow);
		const polls = chunk(range(count).map(event), count / POLLS);
		const [first = [], ...waiting] = polls;
		await until('the webhook is there', async () => (await tell(url, first)) !== 404);
		const handOver = async () => {
			for (let events = waiting.shift(); events; events = waiting.shift()) await tell(url, events);
		};
		await Promise.all(Array.from({ length: AT_ONCE }, handOver));

		const failed = (await n8n.executions(workflow)).filter(({ status }) => status === 'error');
		assert.equal(failed.length, 2, 'two tickets were refused three times each');
		assert.ok(receiver.received.length < count, 'what comes behind a refused ticket waits for the retry');
		for (const { id } of failed) await n8n.retryExecution(id);

		// As if n8n was killed while it handed over events.
		for (const events of polls.slice(-2)) await tell(url, events);

		const tickets = receiver.received.map(({ reference }) => textOf(reference));
		assert.equal(new Set(tickets).size, count);
		assert.equal(tickets.length, count);
	});
}

const event = (number: number) => ({
	eventId: `event-${number}`,
	stationName: `Station ${number}`,
	stationId: number,
	from: 1,
	to: 3,
	since: '2026-11-21T10:00:00.000+01:00',
	station: { EVSEs: [{}] },
});

/** Sends events, waits until the workflow has succeeded or failed, and returns the status of the answer. */
async function tell(url: string, events: IDataObject[]): Promise<number> {
	const headers = { 'content-type': 'application/json' };
	return (await fetch(url, { method: 'POST', headers, body: JSON.stringify({ events }) })).status;
}

/** The example started by a webhook that gives items like those of the trigger. */
function startedByWebhook(workflow: WorkflowFile, receiver: string): WorkflowFile {
	const nodes = workflow.nodes.flatMap((node): WorkflowFile['nodes'] => {
		const { name, position } = node;
		if (name === 'Create Ticket')
			return [{ ...node, disabled: false, parameters: { ...node.parameters, url: receiver } }];
		if (name !== 'New Fault') return [node];
		const webhook = {
			id: 'webhook',
			name: 'Webhook',
			type: 'n8n-nodes-base.webhook',
			typeVersion: 2,
			webhookId: 'events',
			position: [-240, 0] as [number, number],
			parameters: { httpMethod: 'POST', path: 'events', responseMode: 'lastNode', responseData: 'noData', options: {} },
		};
		const split = { fieldToSplitOut: 'body.events', options: {} };
		return [
			webhook,
			{ id: 'events', name, type: 'n8n-nodes-base.splitOut', typeVersion: 1, position, parameters: split },
		];
	});
	const start = { main: [[{ node: 'New Fault', type: 'main' as const, index: 0 }]] };
	// Saving successful executions, with each round of the loop, takes longer than running them.
	const settings = { ...workflow.settings, saveDataSuccessExecution: 'none' as const };
	return { ...workflow, settings, nodes, connections: { ...workflow.connections, Webhook: start } };
}
