import assert from 'node:assert/strict';
import { it } from 'node:test';

import { parse } from 'csv-parse/sync';
import type { IDataObject, INode } from 'n8n-workflow';

import { tell, textOf } from '../e2e/incidents.ts';
import { CREDENTIAL_TYPE } from '../showcase.ts';
import { until } from '../tools.ts';
import { workerOf, type Cluster } from './cluster.ts';
import { addCredential, node, publish, to, type Credential } from './workflows.ts';

const FAILED = 6;

/** The file is made on one worker and needed elsewhere: in the editor, served by main, and on other workers. */
export function exportTests(cluster: () => Cluster): void {
	it('a file made by one worker can be downloaded from main and sent on by another worker', async () => {
		const { n8n, platform, receiver, workers } = cluster();
		const credential = await addCredential(cluster(), 'export');
		const connections = {
			Export: to('Tell', 'Wait', 'File'),
			Wait: { main: [[{ node: 'File', type: 'main' as const, index: 1 }]] },
			File: to('Send'),
		};
		const { start } = await publish(cluster(), 'export', exportAndSend(credential, receiver.url), connections);

		const id = await start();
		const resumeUrl = await until('the execution waits', () => receiver.received.find(isResumeUrl)?.resumeUrl);
		const first = await workerOf(cluster(), id);
		// Not before it is saved that the execution waits.
		await until('n8n says so', async () => (await n8n.executionStatus(id)) === 'waiting');
		await first.stop();
		try {
			await until('n8n goes on with it', async () => (await fetch(textOf(resumeUrl), { method: 'POST' })).ok);
			await n8n.executionEnd(id);
		} finally {
			await first.start();
		}
		const execution = await n8n.executionEnd(id);

		assert.equal(execution.status, 'success', JSON.stringify(execution.data.resultData.error));
		const second = workers.find((worker) => worker !== first);
		assert.ok(second?.hasTaken(id), 'the second part was not run by the other worker');

		const [file] = receiver.files;
		assert.ok(file !== undefined && receiver.files.length === 1, 'not exactly one file was sent');
		const rows = parse<{ Id: string }>(file, { columns: true });
		const ids = rows.map(({ Id }) => Number(Id));
		const expected = platform.db.prepare('SELECT Id FROM sessions WHERE Status = ? ORDER BY Id').all(FAILED);
		assert.deepEqual(
			[...ids].sort((a, b) => a - b),
			expected.map(({ Id }) => Id),
		);
		assert.equal(file, await exportDirectly(ids), 'the bytes are not those of the platform');

		const binary = execution.data.resultData.runData.Export?.[0]?.data?.main?.[0]?.[0]?.binary?.data;
		assert.ok(binary, 'the execution keeps no file');
		assert.equal(await n8n.download(binary), file);
	});

	async function exportDirectly(ids: number[]): Promise<string> {
		const { platform } = cluster();
		const response = await fetch(`${platform.baseUrl}/api/charging-sessions/v1/export-csv`, {
			method: 'POST',
			headers: { 'api-key': platform.key, 'content-type': 'application/json' },
			body: JSON.stringify({ Ids: ids }),
		});
		return await response.text();
	}
}

const isResumeUrl = ({ resumeUrl }: IDataObject) => typeof resumeUrl === 'string';

function exportAndSend(credential: Credential, url: string): INode[] {
	return [
		{
			...node('Export', 'n8n-nodes-charging-network.chargingSessionsCsvExport', 1, {
				operation: 'exportByFilter',
				filters: { status: [{ operator: 'Eq', value: String(FAILED) }] },
			}),
			credentials: { [CREDENTIAL_TYPE]: credential },
		},
		tell(url, '={{ JSON.stringify({ resumeUrl: $execution.resumeUrl }) }}'),
		{
			...node('Wait', 'n8n-nodes-base.wait', 1.1, { resume: 'webhook', httpMethod: 'POST' }),
			webhookId: 'wait',
			// Below the node beside it: n8n runs upper nodes first.
			position: [240, 200],
		},
		// Wait's output is the request that ended it; the file from before is needed.
		node('File', 'n8n-nodes-base.merge', 3.2, { mode: 'chooseBranch', useDataOfInput: '1' }),
		node('Send', 'n8n-nodes-base.httpRequest', 4.2, {
			method: 'POST',
			url,
			sendBody: true,
			contentType: 'binaryData',
			inputDataFieldName: 'data',
		}),
	];
}
