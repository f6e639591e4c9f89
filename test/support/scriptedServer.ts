import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { ExecuteContext, LoadOptionsContext, PollContext } from 'n8n-core';
import {
	createRunExecutionData,
	type IDataObject,
	type INode,
	type INodeType,
	type WorkflowExecuteMode,
} from 'n8n-workflow';

import { ChargingNetworkApi } from '../../credentials/ChargingNetworkApi.credentials';
import { ChargingNetworkUserApi } from '../../credentials/ChargingNetworkUserApi.credentials';
import { authenticationProperties } from '../../nodes/shared/operation/panel';
import { openConnection, PlatformError, type Connection, type PlatformOptions } from '../../nodes/shared/platform';
import type { Answer } from '../../nodes/shared/platform/types';
import { listEndpoint } from '../../nodes/shared/platform/http/endpoint';
import { SESSIONS } from '../../nodes/shared/resources';
import { surroundingsOf } from './surroundings';

/** A key with characters of all kinds, long enough to recognise parts of it. */
export const API_KEY = 'cnk_7Hq2-LmZ9.wXyR4tUvB8sKpD1fGj';

export interface Received {
	method: string;
	/** Path with query. */
	url: URL;
	headers: IncomingMessage['headers'];
	body: string;
	at: number;
}

let keys = 0;
/** State that is kept per key outlives a test, so each test has its own. */
export const ownKey = () => `${API_KEY}${++keys}`;

type Handler = (request: Received, response: ServerResponse, index: number) => unknown;

/** A server that answers as each test says, and records the requests. */
export class ScriptedServer {
	readonly received: Received[] = [];
	baseUrl = '';
	handler: Handler = (_, response) => void response.end();
	/** Connections that the client closed before the answer was complete. */
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

	/** Forgets earlier requests and uses this handler from now on. */
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

/** Answers a list request. */
export function sendRows(response: ServerResponse, rows: IDataObject[], totalCount = rows.length) {
	sendJson(response, 200, { Items: rows, TotalCount: totalCount });
}

export const NODE: INode = {
	id: 'n1',
	name: 'Charging Sessions',
	type: 'test.platformUser',
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
	credentials: {
		chargingNetworkApi: { id: 'c1', name: 'Charging Network' },
		chargingNetworkUserApi: { id: 'c2', name: 'Charging Network User' },
	},
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
		credentials: [
			{
				name: 'chargingNetworkApi',
				required: true,
				displayOptions: { show: { authentication: ['apiKey'] } },
			},
			{
				name: 'chargingNetworkUserApi',
				required: true,
				displayOptions: { show: { authentication: ['signedInUser'] } },
			},
		],
		properties: [...authenticationProperties],
	},
};

export interface ContextOptions {
	credential?: IDataObject;
	/** Read on every access, so that a test can change the credential. */
	credentialNow?: () => IDataObject;
	mode?: WorkflowExecuteMode;
	executionId?: string;
	signal?: AbortSignal;
	/** The stored credential of a signed-in user, which the node then uses. */
	user?: IDataObject;
}

/** n8n's real contexts with n8n's real request helpers, for a credential of the scripted server. */
export function contexts(server: ScriptedServer, options: ContextOptions = {}) {
	const { mode, user } = options;
	const credential = { environment: 'test', testUrl: server.baseUrl, apiKey: API_KEY, allowHttp: false };
	const data: IDataObject = { ...credential, ...options.credential };
	const parameters = { authentication: user ? 'signedInUser' : 'apiKey' };
	const surroundings = surroundingsOf({
		node: { ...NODE, parameters },
		nodeType,
		credentialTypes: {
			chargingNetworkApi: new ChargingNetworkApi(),
			chargingNetworkUserApi: new ChargingNetworkUserApi(),
		},
		credentials: {
			chargingNetworkApi: () => options.credentialNow?.() ?? data,
			...(user && { chargingNetworkUserApi: () => user }),
		},
		mode,
		executionId: options.executionId,
	});
	const { workflow, node, additionalData, store } = surroundings;
	// Polls and the editor do not run as an execution.
	const outside = { ...additionalData, executionId: undefined };
	return {
		store,
		execute: () =>
			new ExecuteContext(
				workflow,
				node,
				additionalData,
				surroundings.mode,
				createRunExecutionData({}),
				0,
				[{ json: {} }],
				{ main: [[{ json: {} }]] },
				{ data: { main: [[{ json: {} }]] }, node, source: null },
				[],
				options.signal,
			),
		poll: () => new PollContext(workflow, node, outside, surroundings.mode, 'activate'),
		editor: () => new LoadOptionsContext(workflow, node, { ...outside, currentNodeParameters: parameters }, ''),
	};
}

/** The connection of an execution, with its own key unless the options name one. */
export async function openFor(
	server: ScriptedServer,
	{ platform, ...options }: ContextOptions & { platform?: Partial<PlatformOptions> } = {},
): Promise<Connection> {
	const credential = { apiKey: ownKey(), ...options.credential };
	return await openConnection(contexts(server, { ...options, credential }).execute(), platform);
}

/** The PlatformError that a request ends with. */
export async function errorOf(promise: Promise<unknown>): Promise<PlatformError> {
	const error: unknown = await promise.then(
		() => undefined,
		(thrown: unknown) => thrown,
	);
	if (error instanceof PlatformError) return error;
	throw new Error(`A PlatformError was expected, but this came: ${String(error)}`);
}

/** A refused list request. */
export const REFUSAL: Answer = {
	status: 400,
	body: '',
	headers: {},
	endpoint: listEndpoint(SESSIONS),
	baseUrl: 'https://api.example.com',
	environment: 'test',
	account: 'apiKey',
	secrets: [API_KEY],
};
