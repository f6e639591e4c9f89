import assert from 'node:assert/strict';
import { it } from 'node:test';

import { checkExample } from '../check.ts';
import { outputOf } from '../client.ts';
import { EXPECTATIONS } from '../expectations.ts';
import { connect, exampleFiles, readExample } from '../showcase.ts';
import { until } from '../tools.ts';
import { sendingTo } from './alerts.ts';
import { TIMEZONE, type Lab } from './lab.ts';
import { startReceiver } from './receiver.ts';
import { textOf } from './watched.ts';

/** What n8n 2 shows under Settings > Migration Report. */
interface MigrationReport {
	report: { workflowResults: { ruleTitle: string; nbAffectedWorkflows: number }[] };
}

/** Imports every file in examples/ as a user does, runs it, and compares its output with SQL on the stand-in. */
export function exampleTests(lab: () => Lab): void {
	const files = new Set([...exampleFiles(), ...Object.keys(EXPECTATIONS)]);
	for (const file of [...files].sort()) {
		it(file, async () => {
			const findings = await checkExample(lab(), TIMEZONE, file);
			const differences = findings.flatMap(({ node, difference }) => (difference ? [`${node}: ${difference}`] : []));
			assert.deepEqual(differences, []);
			assert.notEqual(findings.length, 0, 'nothing was compared');
		});
	}

	it('stations-that-went-quiet.json: tells of each station once', async () => {
		const { n8n, workflows } = lab();
		const execution = await n8n.execute(workflows.get('stations-that-went-quiet.json') ?? '');
		assert.equal(execution.status, 'success');
		assert.notEqual(outputOf(execution, 'Online, but Quiet').length, 0);
		assert.deepEqual(outputOf(execution, 'Message'), []);
	});

	it('offline-acknowledge-and-escalate.json: an outage is over at once, also if another begins in the same poll', async () => {
		const { n8n, platform, credential, dataTables, later } = lab();
		const file = 'offline-acknowledge-and-escalate.json';
		const table = dataTables.get(file) ?? '';
		await n8n.addDataTableRows(table, [{ incidentId: 'over', stationName: 'Back' }]);
		const receiver = await startReceiver();
		later(() => receiver.close());
		const workflow = sendingTo(receiver.url, connect(readExample(file), credential, platform.baseUrl, table));
		const events = [
			{ event: 'offline', incidentId: 'new', stationName: 'Offline', text: 'Offline.' },
			{ event: 'backOnline', incidentId: 'over', stationName: 'Back' },
		];
		const pinData = { 'Station Offline or Back': events.map((json) => ({ json })) };
		const id = await n8n.startExecution(await n8n.importWorkflow({ ...workflow, pinData }));
		await until('the wait for an answer', async () => (await n8n.executionStatus(id)) === 'waiting');
		assert.match(textOf(receiver.received[0]?.text), /^Offline\. I take care of it: http/);
		assert.deepEqual(
			(await n8n.dataTableRows(table)).map(({ incidentId }) => incidentId),
			['new'],
		);
		await n8n.stopExecution(id);
	});
}

/** What n8n 2 reports about the examples for the move to n8n 3. n8n 1 has no such report. */
export function migrationTests(lab: () => Lab): void {
	it('n8n reports nothing in them that n8n 3 removes or changes', async () => {
		const { n8n } = lab();
		const affected = async () => {
			const { report } = await n8n.request<MigrationReport>('POST', '/breaking-changes/report/refresh?version=v3');
			return report.workflowResults.filter(({ nbAffectedWorkflows }) => nbAffectedWorkflows > 0);
		};
		assert.deepEqual(await affected(), []);
		const old = { id: 'old', name: 'Old', type: 'n8n-nodes-base.function', typeVersion: 1 };
		const workflow = await n8n.importWorkflow({
			name: 'With a node that n8n 3 removes',
			nodes: [{ ...old, position: [0, 0], parameters: {} }],
			connections: {},
		});
		assert.equal((await affected()).length, 1, 'the list is empty whatever there is');
		await n8n.request('POST', `/workflows/${workflow}/archive`);
	});
}
