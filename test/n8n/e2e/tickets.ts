import assert from 'node:assert/strict';
import { it } from 'node:test';

import type { IDataObject } from 'n8n-workflow';

import type { WorkflowFile } from '../client.ts';
import { connect, readExample } from '../showcase.ts';
import { until } from '../tools.ts';
import type { Lab } from './lab.ts';
import { startReceiver } from './receiver.ts';
import { textOf } from './watched.ts';

/** More than n8n's Remove Duplicates node can remember: it stops for good after 10,000. */
const EVENTS = 10_500;
const EVENTS_IN_A_POLL = 500;
/** Concurrent executions. */
const AT_ONCE = 3;
/** Attempts for a ticket before the execution fails, as in the example. */
const TRIES = 3;

/** The recipe of new-fault-creates-a-ticket-once.json, with far more events than a real trigger gives in a year. */
export function ticketTests(lab: () => Lab): void {
	it(`${EVENTS} events, some sent twice and some tickets refused at first: one ticket for each`, async () => {
		const { n8n, later, credential, platform } = lab();
		const refusals = new Map([
			['event-700', 1],
			['event-1234', TRIES],
			['event-4321', 1],
			['event-10499', TRIES],
		]);
		const receiver = await startReceiver(({ reference }) => {
			const left = refusals.get(textOf(reference)) ?? 0;
			refusals.set(textOf(reference), left - 1);
			return left > 0;
		});
		later(() => receiver.close());
		const url = `${n8n.url}/webhook/events`;
		const dataTable = await n8n.createDataTable('Tickets of 10,500 events', ['eventId']);
		const example = connect(readExample('new-fault-creates-a-ticket-once.json'), credential, platform.baseUrl, {
			dataTable,
		});
		const workflow = await n8n.importWorkflow(startedByWebhook(example, receiver.url));
		await n8n.publish(workflow);
		const polls = Array.from({ length: EVENTS / EVENTS_IN_A_POLL }, (_, poll) =>
			Array.from({ length: EVENTS_IN_A_POLL }, (_, index) => event(poll * EVENTS_IN_A_POLL + index)),
		);
		const [first = [], ...waiting] = polls;
		await until('the webhook is there', async () => (await tell(url, first)) !== 404);
		const handOver = async () => {
			for (let events = waiting.shift(); events; events = waiting.shift()) await tell(url, events);
		};
		await Promise.all(Array.from({ length: AT_ONCE }, handOver));

		const failed = (await n8n.executions(workflow)).filter(({ status }) => status === 'error');
		assert.equal(failed.length, 2, 'two tickets were refused three times each');
		assert.ok(receiver.received.length < EVENTS, 'what comes behind a refused ticket waits for the retry');
		for (const { id } of failed) await n8n.retryExecution(id);

		// As if n8n was killed while it handed over events.
		for (const events of polls.slice(-2)) await tell(url, events);

		const tickets = receiver.received.map(({ reference }) => textOf(reference));
		assert.equal(new Set(tickets).size, EVENTS);
		assert.equal(tickets.length, EVENTS);
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
