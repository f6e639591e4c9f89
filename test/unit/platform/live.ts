import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { ExecuteContext, LoadOptionsContext, PollContext } from 'n8n-core';
import {
	createRunExecutionData,
	ICredentialsHelper,
	Workflow,
	type ICredentialDataDecryptedObject,
	type ICredentials,
	type IDataObject,
	type IHttpRequestOptions,
	type INode,
	type INodeProperties,
	type INodeType,
	type IWorkflowExecuteAdditionalData,
	type WorkflowExecuteMode,
} from 'n8n-workflow';

import { ChargingNetworkApi } from '../../../credentials/ChargingNetworkApi.credentials';

/** A key with characters of all kinds, long enough to be recognised in parts. */
export const API_KEY = 'cnk_7Hq2-LmZ9.wXyR4tUvB8sKpD1fGj';

export interface Received {
	method: string;
	/** Path with query. */
	url: URL;
	headers: IncomingMessage['headers'];
	body: string;
	at: number;
}

type Handler = (request: Received, response: ServerResponse, index: number) => unknown;

/** A server that answers as each test says, and remembers what it was asked. */
export class ScriptedServer {
	readonly received: Received[] = [];
	baseUrl = '';
	handler: Handler = (_, response) => void response.end();
	/** Connections whose other side went away before the answer was complete. */
	aborted = 0;
	private readonly server: Server;

	constructor() {
		this.server = createServer((request, response) => void this.answer(request, response));
	}

	async start(): Promise<void> {
		await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
		this.baseUrl = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
	}

	async stop(): Promise<void> {
		this.server.closeAllConnections();
		await new Promise((resolve) => this.server.close(resolve));
	}

	/** Forgets earlier requests and answers as the handler says from now on. */
	script(handler: Handler): void {
		this.received.length = 0;
		this.aborted = 0;
		this.handler = handler;
	}

	private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const chunks: Buffer[] = [];
		for await (const chunk of request) chunks.push(chunk as Buffer);
		const received = {
			method: request.method ?? '',
			url: new URL(request.url ?? '/', this.baseUrl),
			headers: request.headers,
			body: Buffer.concat(chunks).toString('utf8'),
			at: Date.now(),
		};
		response.on('close', () => {
			if (!response.writableFinished) this.aborted++;
		});
		await this.handler(received, response, this.received.push(received) - 1);
	}
}

export function sendJson(
	response: ServerResponse,
	status: number,
	body: unknown,
	headers: Record<string, string> = {},
) {
	response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

/** An answered list request. */
export function sendRows(response: ServerResponse, rows: IDataObject[], totalCount = rows.length) {
	sendJson(response, 200, { Items: rows, TotalCount: totalCount });
}

/** Applies the real credential type with n8n's expressions, as n8n's own helper does. */
class OneCredential extends ICredentialsHelper {
	constructor(private readonly read: () => ICredentialDataDecryptedObject) {
		super();
	}

	getParentTypes(): string[] {
		return [];
	}

	isCredentialUsableByNode(): boolean {
		return true;
	}

	async authenticate(
		credentials: ICredentialDataDecryptedObject,
		_typeName: string,
		options: IHttpRequestOptions,
		workflow: Workflow,
		node: INode,
	): Promise<IHttpRequestOptions> {
		const headers: IDataObject = { ...options.headers };
		for (const [name, value] of Object.entries(new ChargingNetworkApi().authenticate.properties.headers ?? {})) {
			const keys = { $credentials: credentials };
			headers[name] = workflow.expression.getSimpleParameterValue(node, value as string, 'internal', keys) as string;
		}
		return await Promise.resolve({ ...options, headers });
	}

	async preAuthentication(): Promise<undefined> {
		return await Promise.resolve(undefined);
	}

	async runPreAuthentication(): Promise<undefined> {
		return await Promise.resolve(undefined);
	}

	async getCredentials(): Promise<ICredentials> {
		return await Promise.reject(new Error('not needed here'));
	}

	async getDecrypted(): Promise<ICredentialDataDecryptedObject> {
		return await Promise.resolve({ ...this.read() });
	}

	async updateCredentials(): Promise<void> {
		await Promise.resolve();
	}

	async updateCredentialsOauthTokenData(): Promise<void> {
		await Promise.resolve();
	}

	getCredentialsProperties(): INodeProperties[] {
		return new ChargingNetworkApi().properties;
	}
}

export const NODE: INode = {
	id: 'n1',
	name: 'Charging Sessions',
	type: 'test.platformUser',
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
	credentials: { chargingNetworkApi: { id: 'c1', name: 'Charging Network' } },
};

const nodeType: INodeType = {
	description: {
		displayName: 'Platform User',
		name: 'platformUser',
		group: ['input'],
		version: 1,
		description: '',
		defaults: {},
		inputs: ['main'],
		outputs: ['main'],
		credentials: [{ name: 'chargingNetworkApi', required: true }],
		properties: [],
	},
};

export interface ContextOptions {
	credential?: IDataObject;
	/** Read at every look, to change the credential meanwhile. */
	credentialNow?: () => IDataObject;
	mode?: WorkflowExecuteMode;
	executionId?: string;
	signal?: AbortSignal;
}

let executions = 0;

/** n8n's real contexts with n8n's real request helpers, for a credential of the scripted server. */
export function contexts(server: ScriptedServer, options: ContextOptions = {}) {
	const { mode = 'trigger', executionId = `execution ${++executions}` } = options;
	const credential = { environment: 'test', testUrl: server.baseUrl, apiKey: API_KEY, allowHttp: false };
	const data = { ...credential, ...options.credential } as ICredentialDataDecryptedObject;
	const read = () => (options.credentialNow?.() as ICredentialDataDecryptedObject | undefined) ?? data;
	const workflow = new Workflow({
		id: 'wf1',
		name: 'wf',
		nodes: [NODE],
		connections: {},
		active: false,
		nodeTypes: { getByName: () => nodeType, getByNameAndVersion: () => nodeType, getKnownTypes: () => ({}) },
		settings: { timezone: 'Europe/Berlin' },
	});
	const base = {
		credentialsHelper: new OneCredential(read),
		currentNodeExecutionIndex: 0,
		variables: {},
		restApiUrl: 'http://l',
		instanceBaseUrl: 'http://l',
		webhookBaseUrl: 'http://l/w',
		webhookWaitingBaseUrl: 'http://l/ww',
		webhookTestBaseUrl: 'http://l/wt',
		formWaitingBaseUrl: 'http://l/fw',
	};
	const additionalData = (id?: string) => ({ ...base, executionId: id }) as unknown as IWorkflowExecuteAdditionalData;
	return {
		execute: () =>
			new ExecuteContext(
				workflow,
				NODE,
				additionalData(executionId),
				mode,
				createRunExecutionData({}),
				0,
				[{ json: {} }],
				{ main: [[{ json: {} }]] },
				{ data: { main: [[{ json: {} }]] }, node: NODE, source: null },
				[],
				options.signal,
			),
		poll: () => new PollContext(workflow, NODE, additionalData(), mode, 'activate'),
		editor: () => new LoadOptionsContext(workflow, NODE, additionalData(), ''),
	};
}
