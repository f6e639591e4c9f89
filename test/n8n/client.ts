import { randomBytes } from 'node:crypto';

import { parse as parseFlatted } from 'flatted';
import type {
	ExecutionStatus,
	IBinaryData,
	ICredentialDataDecryptedObject,
	IDataObject,
	INode,
	IRunExecutionData,
	IWorkflowBase,
} from 'n8n-workflow';

import { until } from './tools.ts';

/** A workflow as n8n exports and imports it. */
export type WorkflowFile = Pick<IWorkflowBase, 'name' | 'nodes' | 'connections' | 'settings' | 'pinData'>;

/** The result of running a workflow. */
export interface Execution {
	id: string;
	status: ExecutionStatus;
	data: IRunExecutionData;
}

/** The result of a credential's test, as the editor shows it. */
interface CredentialTestAnswer {
	status: 'OK' | 'Error';
	message: string;
}

const UNFINISHED: readonly ExecutionStatus[] = ['new', 'running', 'waiting', 'unknown'];
const EXECUTION_MS = 600_000;

/** Does in a running n8n what a person does in its editor, through the REST API that the editor uses. */
export class N8nClient {
	readonly url: string;
	/** The owner of a new n8n, which requires an upper-case letter and a digit in a password. */
	readonly owner = { email: 'owner@example.com', password: `N8n-${randomBytes(6).toString('hex')}` };
	private cookie = '';

	constructor(url: string) {
		this.url = url;
	}

	/**
	 * Calls n8n's internal REST API as the owner; `path` begins after `/rest`. Returns the text of the answer.
	 *
	 * @throws with n8n's message if it refuses
	 */
	private async send(method: 'GET' | 'POST' | 'PATCH', path: string, body?: object): Promise<string> {
		const request = {
			method,
			headers: {
				'content-type': 'application/json',
				// n8n ties a session to a browser's id; this client is one browser.
				'browser-id': 'n8n-nodes-charging-network-tests',
				cookie: this.cookie,
				// A busy n8n may close a kept-alive connection just as the next request is sent.
				connection: 'close',
			},
			body: body && JSON.stringify(body),
		};
		// A busy n8n may lose sight of its database for a moment, and then takes no request.
		const response = await until('n8n is ready', async () => {
			const answer = await fetch(`${this.url}/rest${path}`, request);
			return answer.status !== 503 && answer;
		});
		const text = await response.text();
		if (!response.ok) {
			throw new Error(`n8n answered ${method} ${path} with ${response.status}: ${text.slice(0, 500)}`);
		}
		const session = response.headers.getSetCookie().find((cookie) => cookie.startsWith('n8n-auth='));
		this.cookie = session?.split(';')[0] ?? this.cookie;
		return text;
	}

	async request<T>(...[method, path, body]: Parameters<N8nClient['send']>): Promise<T> {
		return (JSON.parse(await this.send(method, path, body)) as { data: T }).data;
	}

	/** Creates the owner of a new n8n and logs in. */
	async setUpOwner(): Promise<void> {
		await this.request('POST', '/owner/setup', { ...this.owner, firstName: 'Charging', lastName: 'Operator' });
	}

	/** The content of a file that an execution made, as from *Download* in the editor. */
	async download({ id = '' }: IBinaryData): Promise<string> {
		return await this.send('GET', `/binary-data?action=download&id=${encodeURIComponent(id)}`);
	}

	/** Saves a credential and returns its id. */
	async createCredential(name: string, type: string, data: ICredentialDataDecryptedObject): Promise<string> {
		return (await this.request<{ id: string }>('POST', '/credentials', { name, type, data })).id;
	}

	/** Runs a saved credential's test as its dialog does, which is given a placeholder in place of each secret. */
	async testCredential(id: string): Promise<CredentialTestAnswer> {
		const credentials = await this.request<object>('GET', `/credentials/${id}?includeData=true`);
		return await this.request('POST', '/credentials/test', { credentials });
	}

	/** Creates a data table whose columns hold text, and returns its id. */
	async createDataTable(name: string, columns: readonly string[]): Promise<string> {
		const project = await this.request<{ id: string }>('GET', '/projects/personal');
		const table = { name, columns: columns.map((column) => ({ name: column, type: 'string' })) };
		return (await this.request<{ id: string }>('POST', `/projects/${project.id}/data-tables`, table)).id;
	}

	/** Saves a workflow and returns its id. */
	async importWorkflow({ name, nodes, connections, settings, pinData }: WorkflowFile): Promise<string> {
		// n8n 1.x requires `active`.
		const workflow = { name, nodes, connections, settings: settings ?? {}, pinData, active: false };
		return (await this.request<{ id: string }>('POST', '/workflows', workflow)).id;
	}

	/** The executions of a workflow, at most 100, oldest first. Waits for those that are still running. */
	async executions(workflowId: string): Promise<Execution[]> {
		const path = `/executions?limit=100&filter=${encodeURIComponent(JSON.stringify({ workflowId }))}`;
		const { results } = await this.request<{ results: { id: string }[] }>('GET', path);
		const ids = results.map(({ id }) => id).sort((a, b) => Number(a) - Number(b));
		return await Promise.all(ids.map(async (id) => await this.executionEnd(id)));
	}

	/**
	 * Runs a saved workflow like *Execute Workflow*, from its first trigger, and waits for the end.
	 *
	 * @throws if it has not ended after ten minutes; a failed execution is returned
	 */
	async execute(workflowId: string): Promise<Execution> {
		const workflowData = await this.request<IWorkflowBase>('GET', `/workflows/${workflowId}`);
		const triggerToStartFrom = { name: workflowData.nodes.find(isTrigger)?.name };
		const run = { workflowData, triggerToStartFrom };
		const { executionId } = await this.request<{ executionId: string }>('POST', `/workflows/${workflowId}/run`, run);
		return await this.executionEnd(executionId);
	}

	private async executionEnd(id: string): Promise<Execution> {
		const ended = async () => {
			const answer = await this.request<{ status: ExecutionStatus; data: string }>('GET', `/executions/${id}`);
			if (UNFINISHED.includes(answer.status)) return undefined;
			const data = parseFlatted(answer.data) as IRunExecutionData | undefined;
			// n8n 1.x reports the end before it has saved the result.
			return data && 'resultData' in data ? { id, status: answer.status, data } : undefined;
		};
		return await until(`the end of execution ${id}`, ended, EXECUTION_MS);
	}
}

const isTrigger = ({ type, disabled }: INode) => !disabled && /trigger$/i.test(type);

/** The items of an output of a node in its last run, of the first unless another is named; none if it did not run. */
export function outputOf(execution: Execution, node: string, place = 0): IDataObject[] {
	const output = execution.data.resultData.runData[node]?.at(-1)?.data?.main?.[place];
	return (output ?? []).map(({ json }) => json);
}
