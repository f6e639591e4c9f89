import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { it } from 'node:test';

import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';

import { outputOf } from '../client.ts';
import { connect, FORM_LOGIN, readExample, tableOf } from '../showcase.ts';
import { until } from '../tools.ts';
import type { Lab } from './lab.ts';

/** The examples that answer a browser or a scraper: what they send, and that a view costs the platform no request. */
export function pageTests(lab: () => Lab): void {
	/** Runs an example once, publishes it, and returns how to ask its address. */
	async function publish(file: string): Promise<(headers?: Record<string, string>) => Promise<Response>> {
		const { n8n, platform, credential, basicAuth, dataTables } = lab();
		const places = { basicAuth, dataTable: tableOf(dataTables, file) };
		const workflow = connect(readExample(file), credential, platform.baseUrl, places);
		const id = await n8n.importWorkflow(workflow);
		assert.equal((await n8n.execute(id)).status, 'success');
		await n8n.publish(id);
		const { path } = workflow.nodes.find(({ type }) => type.endsWith('.webhook'))?.parameters as { path: string };
		const login = `Basic ${Buffer.from(`${FORM_LOGIN.user}:${FORM_LOGIN.password}`).toString('base64')}`;
		const ask = async (headers: Record<string, string> = { authorization: login }) =>
			await fetch(`${n8n.url}/webhook/${path}`, { headers });
		await until('n8n answers there', async () => (await ask({})).status !== 404);
		return ask;
	}

	it('status-page.json: a page with the open outage first, for who has the password', async () => {
		const { n8n, platform, dataTables } = lab();
		const iso = (hours: number) => DateTime.utc().minus({ hours }).toISO();
		const outage = { incidentId: 'page', stationId: '7', since: iso(3) };
		await n8n.addDataTableRows(dataTables.get('status-page.json') ?? '', [
			{ kind: 'incident', ...outage },
			{ kind: 'watching', since: iso(900), until: iso(0.5), openIncidents: JSON.stringify([outage]) },
		]);
		platform.db.prepare('UPDATE stations SET Name = ? WHERE Id = 7').run('<b>Seven</b>');
		const view = await publish('status-page.json');
		assert.equal((await view({})).status, 401);
		const before = platform.requests.length;
		const answer = await view();
		const page = await answer.text();
		assert.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8');
		assert.match(page, /<li><span class="name"><bdi>&#60;b&#62;Seven&#60;\/b&#62;<\/bdi>[^\n]*Offline/);
		assert.match(page, /1 of 250 stations is down/);
		assert.equal(page.match(/<li>/g)?.length, 250);
		assert.equal(platform.requests.length, before);
	});

	it('figures-for-prometheus.json: figures in the text format, from what the last run kept', async () => {
		const { platform } = lab();
		const scrape = await publish('figures-for-prometheus.json');
		assert.equal((await scrape({})).status, 401);
		const before = platform.requests.length;
		const answer = await scrape();
		assert.equal(answer.status, 200);
		assert.match(answer.headers.get('content-type') ?? '', /^text\/plain;.* version=0\.0\.4/);
		const lines = (await answer.text()).split('\n');
		const count = (value: number) =>
			lines.filter((line) => line.startsWith('charging_station_online{') && line.endsWith(` ${value}`)).length;
		const { online } = platform.db.prepare('SELECT count(*) AS online FROM stations WHERE NetworkStatus = 1').get() as {
			online: number;
		};
		assert.deepEqual([count(1), count(0)], [online, 250 - online]);
		assert.equal(platform.requests.length, before);
	});

	it('passed-a-limit-this-month.json: tells of each driver once', async () => {
		const { n8n, workflows } = lab();
		const run = await n8n.execute(workflows.get('passed-a-limit-this-month.json') ?? '');
		assert.equal(run.status, 'success');
		const again = await n8n.execute(workflows.get('passed-a-limit-this-month.json') ?? '');
		assert.equal(again.data.resultData.runData.Message, undefined);
	});

	it('tell-the-driver.json: a name of two users gets nothing, and no sample goes to a driver', async () => {
		const { n8n, platform, credential, dataTables } = lab();
		const file = 'tell-the-driver.json';
		const run = async (sendAllTo: string) => {
			const workflow = connect(readExample(file), credential, platform.baseUrl, {
				dataTable: tableOf(dataTables, file),
			});
			const settings = workflow.nodes.find(({ name }) => name === 'Your Settings')?.parameters;
			const { assignments } = (settings?.assignments ?? { assignments: [] }) as { assignments: IDataObject[] };
			for (const field of assignments) if (field.name === 'sendAllTo') field.value = sendAllTo;
			const execution = await n8n.execute(await n8n.importWorkflow(workflow));
			assert.equal(execution.status, 'success');
			return ['User', 'Message', 'Mail the Driver'].map((node) => outputOf(execution, node).length > 0);
		};
		const newest = 'WHERE Id IN (SELECT Id FROM sessions ORDER BY Id DESC LIMIT 300)';
		platform.db.exec(`UPDATE sessions SET UserName = 'Anna Twin' ${newest}`);
		const insert = platform.db.prepare('INSERT INTO users (Id, Name, Email) VALUES (?, ?, ?)');
		insert.run(9001, 'Anna Twin', 'anna@example.test');
		assert.deepEqual(await run('me@example.test'), [true, true, true]);
		assert.deepEqual(await run(''), [false, false, false]);
		insert.run(9002, 'Anna Twin', 'other.anna@example.test');
		platform.db.exec(`UPDATE sessions SET Id = Id + 1000000 ${newest}`);
		assert.deepEqual(await run('me@example.test'), [true, true, false]);
	});

	it('export-proven-on-arrival.json: stored once although the answer is lost, proven, and not sent again', async () => {
		const { n8n, platform, later } = lab();
		const store = await startStore();
		later(() => store.close());
		const id = await arrival(store.url);
		assert.equal((await n8n.execute(id)).status, 'success');
		const [[name = '', file = Buffer.alloc(0)] = [], [proofName, proof] = []] = [...store.files];
		assert.equal(proofName, `${name}.json`);
		assert.equal((JSON.parse(String(proof)) as IDataObject).sha256, createHash('sha256').update(file).digest('hex'));
		assert.deepEqual(store.answers.slice(0, 3), ['503', 'none', '412']);
		const before = [platform.requests.length, store.answers.length];
		assert.equal((await n8n.execute(id)).status, 'success');
		assert.deepEqual([platform.requests.length, store.answers.length], before);
	});

	it('export-proven-on-arrival.json: another file in its place stops it, and nothing is noted', async () => {
		const { n8n, later } = lab();
		const store = await startStore(Buffer.from('Id\n1\n'));
		later(() => store.close());
		const execution = await n8n.execute(await arrival(store.url));
		assert.equal(execution.status, 'error');
		assert.match(execution.data.resultData.error?.message ?? '', /is not the one that was exported/);
		assert.equal(execution.data.resultData.runData['Note It'], undefined);
	});

	/** The example as a user sets it up, with a table of its own and this server. Returns its id. */
	async function arrival(folder: string): Promise<string> {
		const { n8n, platform, credential } = lab();
		const dataTable = await n8n.createDataTable(`Files sent to ${folder}`, ['fileName', 'sha256', 'sentAt']);
		const workflow = connect(readExample('export-proven-on-arrival.json'), credential, platform.baseUrl, { dataTable });
		for (const node of workflow.nodes) {
			node.disabled = false;
			const { assignments } = (node.parameters.assignments ?? { assignments: [] }) as { assignments: IDataObject[] };
			for (const field of assignments) if (field.name === 'folder') field.value = folder;
		}
		return await n8n.importWorkflow(workflow);
	}
}

/**
 * A server that keeps what is put there, and replaces nothing. It refuses the first file once, and the second time keeps
 * it without an answer.
 */
async function startStore(present?: Buffer) {
	const files = new Map<string, Buffer>();
	const answers: string[] = [];
	const server = createServer((request, response) => {
		const { method, url = '' } = request;
		const chunks: Buffer[] = [];
		request.on('data', (chunk: Buffer) => chunks.push(chunk));
		request.on('end', () => {
			const known = present ?? files.get(url);
			const isFirst = answers.length === 0 && !present;
			const isTaken = request.headers['if-none-match'] === '*' && known !== undefined;
			const [status, body] = method === 'GET' ? [known ? 200 : 404, known] : [isFirst ? 503 : isTaken ? 412 : 201];
			if (status === 201) files.set(url, Buffer.concat(chunks));
			const isLost = status === 201 && files.size === 1;
			answers.push(isLost ? 'none' : String(status));
			if (isLost) request.socket.destroy();
			else response.writeHead(status, { 'content-type': 'text/csv' }).end(body);
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	const close = () => {
		server.closeAllConnections();
		server.close();
	};
	return { url: `http://127.0.0.1:${port}/`, files, answers, close };
}
