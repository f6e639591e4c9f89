import assert from 'node:assert/strict';
import { afterEach, it } from 'node:test';

import { checkExample } from '../check.ts';
import { outputOf } from '../client.ts';
import { connect, CREDENTIAL_TYPE, readExample } from '../showcase.ts';
import { until } from '../tools.ts';
import { TIMEZONE, type Lab } from './lab.ts';
import { POLL_SECONDS } from './watched.ts';

const LIST = 'finished-sessions-last-month.json';
const EXPORT = 'csv-export-to-rows.json';

/** What the platform refuses, seen from a running workflow. n8n 1.x can wait and stop less than 2.x. */
export function refusalTests(lab: () => Lab): void {
	afterEach(() => {
		lab().platform.behaviour.rateLimit = undefined;
		lab().platform.license.active = true;
	});

	/** Imports the list with its own key, so that nothing else has to wait for it. */
	async function importList(scopes?: string[]): Promise<{ workflowId: string; apiKey: string }> {
		const { n8n, platform } = lab();
		const apiKey = platform.createKey({ scopes }).secret;
		const data = { environment: 'test', testUrl: platform.baseUrl, apiKey };
		const name = 'Key that is refused';
		const id = await n8n.createCredential(name, CREDENTIAL_TYPE, data);
		const workflowId = await n8n.importWorkflow(connect(readExample(LIST), { id, name }, platform.baseUrl));
		return { workflowId, apiKey };
	}

	/** Runs the list, and returns the message for the user. */
	async function refusal(scopes?: string[]): Promise<string> {
		const { n8n, platform } = lab();
		const { workflowId, apiKey } = await importList(scopes);
		const from = platform.requests.length;
		const execution = await n8n.execute(workflowId);
		assert.equal(execution.status, 'error');
		assert.equal(platform.requests.length, from + 1, 'one request finds it out');
		const { error } = execution.data.resultData;
		assert.equal(JSON.stringify(execution.data).includes(apiKey), false, 'the execution gives the key away');
		return `${error?.message}. ${error?.description}`;
	}

	for (const file of [LIST, EXPORT]) {
		it(`a rate limit is waited out, and nothing is lost: ${file}`, async () => {
			const { platform } = lab();
			const from = platform.requests.length;
			platform.behaviour.rateLimit = { limit: 1, windowMs: 1000, window: 'fixed', retryAfter: 'seconds' };
			const [finding] = await checkExample(lab(), TIMEZONE, file);
			assert.equal(finding?.difference, undefined);
			const refused = platform.requests.slice(from).filter(({ status }) => status === 429);
			assert.notEqual(refused.length, 0, 'the rate limit was never reached');
		});
	}

	it('an execution can be stopped while it waits for the rate limit', async () => {
		const { n8n, platform } = lab();
		const { workflowId } = await importList();
		const from = platform.requests.length;
		platform.behaviour.rateLimit = {
			limit: 1,
			windowMs: 120_000,
			window: 'fixed',
			retryAfter: 'seconds',
			retryAfterSeconds: 120,
		};
		const id = await n8n.startExecution(workflowId);
		await until('the platform refuses', () => platform.requests.slice(from).some(({ status }) => status === 429));
		await n8n.stopExecution(id);
		const { status } = await n8n.executionEnd(id);
		assert.equal(status, 'canceled');
	});

	it('tell-me-when-a-workflow-stops.json: tells that a key was revoked while a trigger was running', async () => {
		const { n8n, platform, workflows } = lab();
		const errorWorkflow = workflows.get('tell-me-when-a-workflow-stops.json') ?? '';
		await n8n.publish(errorWorkflow);
		const key = platform.createKey({ name: 'alert that stops' });
		const data = { environment: 'test', testUrl: platform.baseUrl, apiKey: key.secret };
		const credential = {
			id: await n8n.createCredential('Key to revoke', CREDENTIAL_TYPE, data),
			name: 'Key to revoke',
		};
		const { nodes, ...alert } = connect(readExample('offline-alert.json'), credential, platform.baseUrl);
		const pollTimes = {
			item: POLL_SECONDS.map((second) => ({ mode: 'custom', cronExpression: `${second} * * * * *` })),
		};
		const workflowId = await n8n.importWorkflow({
			...alert,
			name: 'My alert',
			nodes: nodes.map((node) =>
				/trigger$/i.test(node.type) ? { ...node, parameters: { ...node.parameters, pollTimes } } : node,
			),
			settings: { errorWorkflow },
		});
		await n8n.publish(workflowId);
		const polls = () => platform.requests.filter(({ keyName }) => keyName === 'alert that stops').length;
		await until('the first poll', () => polls() > 0);
		const earlier = (await n8n.executionIds(errorWorkflow)).length;
		platform.revoke(key.id);
		const told = await until('the error workflow runs', async () => {
			const execution = (await n8n.executions(errorWorkflow)).slice(earlier).at(0);
			return execution && outputOf(execution, 'Message');
		});
		assert.match(JSON.stringify(told[0]?.text), /The workflow \\"My alert\\" stopped: .*API key/);
		await n8n.request('POST', `/workflows/${workflowId}/archive`);
	});

	it('a missing scope is named', async () => {
		assert.match(await refusal([]), /lacks the scope charging-sessions:read.*Ask a company admin/);
	});

	it('an inactive license is named', async () => {
		lab().platform.license.active = false;
		assert.match(await refusal(), /license of your organization is not active.*billing/);
	});
}
