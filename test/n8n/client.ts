import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

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

/** Who logs in to n8n. */
export interface Login {
	email: string;
	password: string;
}

/** Somebody for an n8n that has nobody yet. n8n asks for an upper-case letter and a digit in a password. */
export const newOwner = (): Login => ({
	email: 'owner@example.com',
	password: `N8n-${randomBytes(6).toString('hex')}`,
});

/** A workflow as it is exported from n8n and imported again. */
export type WorkflowFile = Pick<IWorkflowBase, 'name' | 'nodes' | 'connections' | 'settings'>;

/** What running a workflow gave. */
export interface Execution {
	id: string;
	status: ExecutionStatus;
	data: IRunExecutionData;
}

/** The answer of a credential's test, as the editor shows it. */
export interface CredentialTestAnswer {
	status: 'OK' | 'Error';
	message: string;
}

const EXECUTION_MS = 600_000;
const POLL_MS = 200;
/** n8n ties a session to the browser that opened it; to n8n, this client is one browser. */
const BROWSER_ID = 'n8n-nodes-charging-network-tests';

/** Does in a running n8n what a person does in its editor, through the REST interface the editor uses. */
export class N8nClient {
	readonly url: string;
	readonly owner: Readonly<Login>;
	private cookie = '';

	constructor(url: string, owner: Login) {
		this.url = url;
		this.owner = owner;
	}

	/** Whether n8n takes calls already. Its own readiness check says so some time before, and pages of it do as well. */
	async isReady(): Promise<boolean> {
		return await this.request<object | undefined>('GET', '/settings').then(
			(settings) => settings !== undefined,
			() => false,
		);
	}

	/** Makes the owner of a new n8n, and logs in. */
	async setUpOwner(): Promise<void> {
		await this.request('POST', '/owner/setup', { ...this.owner, firstName: 'Charging', lastName: 'Operator' });
	}

	async logIn(): Promise<void> {
		const { email, password } = this.owner;
		await this.request('POST', '/login', { emailOrLdapLoginId: email, password });
	}

	/**
	 * Calls n8n's own REST interface as the owner; `path` begins after `/rest`. Returns what stands under `data`.
	 *
	 * @throws with n8n's message when it refuses
	 */
	async request<T>(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object): Promise<T> {
		const { response, text } = await this.send(method, path, body);
		const session = response.headers.getSetCookie().find((cookie) => cookie.startsWith('n8n-auth='));
		if (session) this.cookie = session.split(';')[0] ?? '';
		return (JSON.parse(text) as { data: T }).data;
	}

	/** The content of a file that an execution made, as *Download* in the editor gives it. */
	async download({ id = '' }: IBinaryData): Promise<string> {
		return (await this.send('GET', `/binary-data?action=download&id=${encodeURIComponent(id)}`)).text;
	}

	private async send(method: string, path: string, body?: object): Promise<{ response: Response; text: string }> {
		const response = await fetch(`${this.url}/rest${path}`, {
			method,
			headers: {
				'content-type': 'application/json',
				'browser-id': BROWSER_ID,
				cookie: this.cookie,
				// An n8n that is busy may close a kept connection in the moment in which the next request is sent.
				connection: 'close',
			},
			...(body ? { body: JSON.stringify(body) } : {}),
		});
		const text = await response.text();
		if (!response.ok) {
			throw new Error(`n8n answered ${method} ${path} with ${response.status}: ${text.slice(0, 500)}`);
		}
		return { response, text };
	}

	/** Saves a credential and returns its id. */
	async createCredential(name: string, type: string, data: ICredentialDataDecryptedObject): Promise<string> {
		return (await this.request<{ id: string }>('POST', '/credentials', { name, type, data })).id;
	}

	/** A saved credential as n8n shows it to its owner: secrets are replaced by a place-holder. */
	async savedCredential(id: string): Promise<{ data: ICredentialDataDecryptedObject }> {
		return await this.request('GET', `/credentials/${id}?includeData=true`);
	}

	/** Runs a saved credential's test the way its dialog does: `data` is what is typed there, or n8n's place-holder. */
	async testCredential(
		name: string,
		type: string,
		data: ICredentialDataDecryptedObject,
		id: string,
	): Promise<CredentialTestAnswer> {
		return await this.request('POST', '/credentials/test', { credentials: { id, name, type, data } });
	}

	/** Makes a data table and returns its id. Columns hold text, unless their name says another type: `energy:number`. */
	async createDataTable(name: string, columns: readonly string[]): Promise<string> {
		const project = await this.request<{ id: string }>('GET', '/projects/personal');
		const table = { name, columns: columns.map(columnOf) };
		return (await this.request<{ id: string }>('POST', `/projects/${project.id}/data-tables`, table)).id;
	}

	/** Adds rows to a data table. */
	async addDataTableRows(id: string, rows: readonly IDataObject[]): Promise<void> {
		const project = await this.request<{ id: string }>('GET', '/projects/personal');
		await this.request('POST', `/projects/${project.id}/data-tables/${id}/insert`, { data: rows });
	}

	/** The rows of a data table, at most 250. */
	async dataTableRows(id: string): Promise<IDataObject[]> {
		const project = await this.request<{ id: string }>('GET', '/projects/personal');
		const path = `/projects/${project.id}/data-tables/${id}/rows?take=250`;
		return (await this.request<{ data: IDataObject[] }>('GET', path)).data;
	}

	/** Saves a workflow and returns its id. */
	async importWorkflow({ name, nodes, connections, settings }: WorkflowFile): Promise<string> {
		// n8n 1.x wants to be told that it is not active yet.
		const workflow = { name, nodes, connections, settings: settings ?? {}, active: false };
		return (await this.request<{ id: string }>('POST', '/workflows', workflow)).id;
	}

	/** All executions of a workflow, oldest first. Waits for the end of those that are under way. */
	async executions(workflowId: string): Promise<Execution[]> {
		const ids = await this.executionIds(workflowId);
		return await Promise.all(ids.map(async (id) => await this.executionEnd(id)));
	}

	/** The ids of all executions of a workflow, whatever their state, oldest first. */
	async executionIds(workflowId: string): Promise<string[]> {
		const filter = encodeURIComponent(JSON.stringify({ workflowId }));
		const { results } = await this.request<{ results: { id: string }[] }>(
			'GET',
			`/executions?limit=100&filter=${filter}`,
		);
		return results.map(({ id }) => id).sort((a, b) => Number(a) - Number(b));
	}

	/** What every execution that failed says: its workflow, and the error with the name of the node. */
	async failures(): Promise<string[]> {
		const filter = encodeURIComponent(JSON.stringify({ status: ['error', 'crashed'] }));
		const { results } = await this.request<{ results: { id: string; workflowName: string }[] }>(
			'GET',
			`/executions?limit=100&filter=${filter}`,
		);
		return await Promise.all(
			results.map(async ({ id, workflowName }) => {
				const { data } = await this.executionEnd(id);
				const { lastNodeExecuted, error } = data.resultData;
				return `${workflowName}, ${lastNodeExecuted}: ${error?.message}`;
			}),
		);
	}

	/**
	 * Runs a saved workflow as *Execute Workflow* does, from its first trigger, and waits for the end.
	 *
	 * @throws when it has not ended after ten minutes; an execution that ends badly is returned as it is
	 */
	async execute(workflowId: string): Promise<Execution> {
		return await this.executionEnd(await this.startExecution(workflowId));
	}

	/** Begins what `execute` does, and returns the execution's id at once. */
	async startExecution(workflowId: string): Promise<string> {
		const workflowData = await this.request<IWorkflowBase>('GET', `/workflows/${workflowId}`);
		const trigger = workflowData.nodes.find(isTrigger);
		if (!trigger) throw new Error(`"${workflowData.name}" has no trigger node to start from.`);
		const { executionId } = await this.request<{ executionId: string }>('POST', `/workflows/${workflowId}/run`, {
			workflowData,
			triggerToStartFrom: { name: trigger.name },
		});
		return executionId;
	}

	/** Retries an execution that failed, from the node that failed, and waits for the end. */
	async retryExecution(id: string): Promise<void> {
		await this.request('POST', `/executions/${id}/retry`, { loadWorkflow: false });
	}

	/** Stops an execution that is under way, as the button in the editor does. */
	async stopExecution(id: string): Promise<void> {
		await this.request('POST', `/executions/${id}/stop`);
	}

	/** The state of an execution, ended or not. */
	async executionStatus(id: string): Promise<ExecutionStatus> {
		return (await this.request<{ status: ExecutionStatus }>('GET', `/executions/${id}`)).status;
	}

	/** An execution that has ended; undefined while it is still under way. */
	async execution(id: string): Promise<Execution | undefined> {
		const answer = await this.request<{ status: ExecutionStatus; data: string }>('GET', `/executions/${id}`);
		if (UNFINISHED.includes(answer.status)) return undefined;
		const data = parseFlatted(answer.data) as IRunExecutionData | undefined;
		// n8n 1.x says that it has ended before it has written down what came out.
		return data && 'resultData' in data ? { id, status: answer.status, data } : undefined;
	}

	/**
	 * Waits for the end of an execution.
	 *
	 * @throws when it has not ended after ten minutes
	 */
	async executionEnd(id: string): Promise<Execution> {
		const deadline = Date.now() + EXECUTION_MS;
		for (;;) {
			const execution = await this.execution(id);
			if (execution) return execution;
			if (Date.now() > deadline) throw new Error(`Execution ${id} has not ended after ten minutes.`);
			await sleep(POLL_MS);
		}
	}
}

function columnOf(column: string): { name: string; type: string } {
	const [name = '', type = 'string'] = column.split(':');
	return { name, type };
}

const UNFINISHED: readonly ExecutionStatus[] = ['new', 'running', 'waiting', 'unknown'];

const isTrigger = ({ type, disabled }: INode) => !disabled && /trigger$/i.test(type);

/** The items a node gave on its first output in its last run; none when it did not run. */
export function outputOf(execution: Execution, node: string): IDataObject[] {
	const output = execution.data.resultData.runData[node]?.at(-1)?.data?.main?.[0];
	return (output ?? []).map(({ json }) => json);
}
