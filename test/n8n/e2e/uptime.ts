import assert from 'node:assert/strict';
import { it } from 'node:test';

import type { IDataObject } from 'n8n-workflow';

import { outputOf, type WorkflowFile } from '../client.ts';
import { connect, INCIDENT_COLUMNS, readExample } from '../showcase.ts';
import { until } from '../tools.ts';
import { TIMEZONE, type Lab } from './lab.ts';
import { POLL_SECONDS, textOf } from './watched.ts';

const FAULTY = 3;
const CAUSES = ['offline', 'faulted'];
const CHARGE_POINT = 'chargePoint';
const HOUR_MS = 3_600_000;

/** The examples that keep outages and compute uptime, with all triggers. */
export function uptimeTests(lab: () => Lab): void {
	it('three causes into one data table, figures by station and by charge point out; and none out of an empty table', async () => {
		const { n8n, platform, credential } = lab();
		const dataTable = await n8n.createDataTable('Incidents of three causes', INCIDENT_COLUMNS);
		const set = (column: string, value: number, id: number) =>
			platform.db.prepare(`UPDATE stations SET ${column} = ? WHERE Id = ?`).run(value, id);
		for (const id of [1, 2, 3]) for (const column of ['NetworkStatus', 'HardwareStatus', 'Status']) set(column, 1, id);
		const setChargePoint = (status: number) => {
			const entries = JSON.stringify([1, status].map((Status, index) => ({ Id: 31 + index, Status })));
			platform.db.prepare('UPDATE stations SET EVSEs = ? WHERE Id = 3').run(entries);
		};
		setChargePoint(1);

		const uptimeOf = async (result = 'stations') => {
			const report = connect(readExample('monthly-uptime-report-by-mail.json'), credential, platform.baseUrl, {
				dataTable,
			});
			const id = await n8n.importWorkflow(ofThisYear(report, result));
			return outputOf(await n8n.execute(id), 'Uptime per Station');
		};
		const [unknown] = await uptimeOf();
		assert.equal(unknown?.uptimePercent, null);
		assert.match(textOf(unknown?.uptimeMissing), /^No row says that anything was watched/);

		const keeping = connect(readExample('incidents-to-data-table.json'), credential, platform.baseUrl, { dataTable });
		const workflow = await n8n.importWorkflow(withAllTriggers(keeping));
		const before = platform.requests.length;
		await n8n.publish(workflow);
		// What is so at the first poll of a trigger is no event.
		await until('two polls of each trigger', () =>
			['NetworkStatus', 'HardwareStatus', '/3'].every((asked) => {
				const asks = platform.requests
					.slice(before)
					.filter(({ query = '', path }) => query.includes(asked) || path.endsWith(asked));
				return asks.length > 1;
			}),
		);
		const rowsOf = async (id: number) =>
			(await n8n.dataTableRows(dataTable)).filter(({ stationId }) => textOf(stationId) === `${id}`);
		const changes = [
			{ cause: 'offline', column: 'NetworkStatus', value: 2, id: 1 },
			{ cause: 'faulted', column: 'HardwareStatus', value: FAULTY, id: 2 },
		];
		const outages = [...changes, { cause: CHARGE_POINT, id: 3 }];
		for (const { column, value, id } of changes) set(column, value, id);
		setChargePoint(FAULTY);
		for (const { cause, id } of outages) {
			await until(`the ${cause} row`, async () => (await rowsOf(id)).some((row) => row.cause === cause));
		}
		for (const { column, id } of changes) set(column, 1, id);
		setChargePoint(1);
		for (const { cause, id } of outages) {
			await until(`the end of ${cause}`, async () => (await rowsOf(id)).every((row) => Boolean(row.until)));
		}
		// The triggers report what was watched once an hour: too late for a test.
		await n8n.addDataTableRows(dataTable, [...CAUSES, CHARGE_POINT].map(watchedNow));

		const stations = await uptimeOf();
		for (const { cause, id } of changes) {
			const station = stations.find(({ stationId }) => stationId === `${id}`);
			const { [cause]: down, ...others } = (station?.downMinutesByCause ?? {}) as Record<string, number>;
			assert.ok((down ?? 0) > 0, `${cause}: ${JSON.stringify(station)}`);
			assert.deepEqual(Object.values(others), [0]);
			assert.equal(station?.downMinutes, down);
			assert.ok(Number(station?.uptimePercent) < 100);
		}

		const chargePoints = (await uptimeOf('chargePoints')).filter(({ stationId }) => stationId === '3');
		const [works, broke] = chargePoints;
		assert.deepEqual([works?.chargePointId, broke?.chargePointId, chargePoints.length], ['31', '32', 2]);
		assert.deepEqual([works?.downMinutes, works?.uptimePercent], [0, 100]);
		const { [CHARGE_POINT]: down } = broke?.downMinutesByCause as Record<string, number>;
		assert.ok((down ?? 0) > 0 && broke?.downMinutes === down, JSON.stringify(broke));
	});
}

function watchedNow(cause: string): IDataObject {
	const [since, to] = [Date.now() - HOUR_MS, Date.now() + HOUR_MS].map((ms) => new Date(ms).toISOString());
	return { kind: 'watching', cause, incidentId: `watched ${cause}`, since, until: to, openIncidents: '[]' };
}

/** All triggers are on, and poll every five seconds. */
function withAllTriggers(workflow: WorkflowFile): WorkflowFile {
	const pollTimes = {
		item: POLL_SECONDS.map((second) => ({ mode: 'custom', cronExpression: `${second} * * * * *` })),
	};
	const nodes = workflow.nodes.map((node) =>
		node.parameters.pollTimes ? { ...node, disabled: false, parameters: { ...node.parameters, pollTimes } } : node,
	);
	return { ...workflow, nodes };
}

/** The report on this year, as a day may end during the test, counting both causes of stations, or all by charge point. */
function ofThisYear(workflow: WorkflowFile, result: string): WorkflowFile {
	const causes = result === 'stations' ? CAUSES : [...CAUSES, CHARGE_POINT];
	const options = { countsAsDown: causes.join(', ') };
	const nodes = workflow.nodes.map((node) =>
		node.name === 'Uptime per Station'
			? { ...node, parameters: { ...node.parameters, period: 'thisYear', result, options } }
			: node,
	);
	return { ...workflow, nodes, settings: { ...workflow.settings, timezone: TIMEZONE } };
}
