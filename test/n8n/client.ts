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

/** The login of an n8n user. */
interface Login {
	email: string;
	password: string;
}

/** An owner for a new n8n, which requires an upper-case letter and a digit in a password. */
export const newOwner = (): Login => ({
	email: 'owner@example.com',
	password: `N8n-${randomBytes(6).toString('hex')}`,
});

/** A workflow as n8n exports and imports it. */
export type WorkflowFile = Pick<IWorkflowBase, 'name' | 'nodes' | 'connections' | 'settings' | 'pinData'>;

/** The result of running a workflow. */
interface Execution {
	id: string;
	status: ExecutionStatus;
	data: IRunExecutionData;
}

/** The result of a credential's test, as the editor shows it. */
export interface CredentialTestAnswer {
	status: 'OK' | 'Error';
	message: string;
}

const EXECUTION_MS = 600_000;
const POLL_MS = 200;
/** n8n ties a session to a browser's id; this client is one browser. */
const BROWSER_ID = 'n8n-nodes-charging-network-tests';

/** Does in a running n8n what a person does in its editor, through the REST API that the editor uses. */
export class N8nClient {
	readonly url: string;
	readonly owner: Readonly<Login>;
	private cookie = '';

	constructor(url: string, owner: Login) {
		this.url = url;
		this.owner = owner;
	}

	/** Whether n8n accepts API calls yet. Its readiness check and its pages say so too early. */
	async isReady(): Promise<boolean> {
		return await this.request<object | undefined>('GET', '/settings').then(
			(settings) => settings !== undefined,
			() => false,
		);
	}

	/** Creates the owner of a new n8n and logs in. */
	async setUpOwner(): Promise<void> {
		await this.request('POST', '/owner/setup', { ...this.owner, firstName: 'Charging', lastName: 'Operator' });
	}

	async logIn(): Promise<void> {
		const { email, password } = this.owner;
		await this.request('POST', '/login', { emailOrLdapLoginId: email, password });
	}

	/**
	 * Calls n8n's internal REST API as the owner; `path` begins after `/rest`. Returns the `data` of the answer.
	 *
	 * @throws with n8n's message if it refuses
	 */
	async request<T>(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object): Promise<T> {
		const { response, text } = await this.send(method, path, body);
		const session = response.headers.getSetCookie().find((cookie) => cookie.startsWith('n8n-auth='));
		if (session) this.cookie = session.split(';')[0] ?? '';
		return (JSON.parse(text) as { data: T }).data;
	}

	/** The content of a file that an execution made, as from *Download* in the editor. */
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
				// A busy n8n may close a kept-alive connection just as the next request is sent.
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

	/** A saved credential as n8n shows it to its owner: secrets are replaced by a placeholder. */
	async savedCredential(id: string): Promise<{ data: ICredentialDataDecryptedObject }> {
		return await this.request('GET', `/credentials/${id}?includeData=true`);
	}

	/** Runs a saved credential's test as its dialog does: `data` is what is typed there, or n8n's placeholder. */
	async testCredential(
		name: string,
		type: string,
		data: ICredentialDataDecryptedObject,
		id: string,
	): Promise<CredentialTestAnswer> {
		return await this.request('POST', '/credentials/test', { credentials: { id, name, type, data } });
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

	/** All executions of a workflow, oldest first. Waits for those that are still running. */
	async executions(workflowId: string): Promise<Execution[]> {
		const ids = await this.executionIds(workflowId);
		return await Promise.all(ids.map(async (id) => await this.executionEnd(id)));
	}

	/** The ids of the executions of a workflow, at most 100, whatever their state, oldest first. */
	async executionIds(workflowId: string): Promise<string[]> {
		const path = `/executions?limit=100&filter=${encodeURIComponent(JSON.stringify({ workflowId }))}`;
		const { results } = await this.request<{ results: { id: string }[] }>('GET', path);
		return results.map(({ id }) => id).sort((a, b) => Number(a) - Number(b));
	}

	/**
	 * Runs a saved workflow like *Execute Workflow*, from its first trigger, and waits for the end.
	 *
	 * @throws if it has not ended after ten minutes; a failed execution is returned
	 */
	async execute(workflowId: string): Promise<Execution> {
		return await this.executionEnd(await this.startExecution(workflowId));
	}

	/** Starts what `execute` runs, and returns the execution's id at once. */
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

	/** An execution that has ended; undefined while it is running. */
	async execution(id: string): Promise<Execution | undefined> {
		const answer = await this.request<{ status: ExecutionStatus; data: string }>('GET', `/executions/${id}`);
		if (UNFINISHED.includes(answer.status)) return undefined;
		const data = parseFlatted(answer.data) as IRunExecutionData | undefined;
		// n8n 1.x reports the end before it has saved the result.
		return data && 'resultData' in data ? { id, status: answer.status, data } : undefined;
	}

	/**
	 * Waits for the end of an execution.
	 *
	 * @throws if it has not ended after ten minutes
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

const UNFINISHED: readonly ExecutionStatus[] = ['new', 'running', 'waiting', 'unknown'];

const isTrigger = ({ type, disabled }: INode) => !disabled && /trigger$/i.test(type);

/** The items of a node's first output in its last run; none if it did not run. */
export function outputOf(execution: Execution, node: string): IDataObject[] {
	const output = execution.data.resultData.runData[node]?.at(-1)?.data?.main?.[0];
	return (output ?? []).map(({ json }) => json);
}
