import type {
	ExecutionError,
	ICredentialDataDecryptedObject,
	ICredentialsHelper,
	IRun,
	IDataObject,
	IHttpRequestOptions,
	INode,
	INodeExecutionData,
	INodeParameters,
	INodeType,
	IWorkflowExecuteAdditionalData,
	NodeExecutionHint,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import { createRunExecutionData, NodeHelpers, Workflow } from 'n8n-workflow';
import { ExecutionLifecycleHooks, LoadOptionsContext, PackageDirectoryLoader, WorkflowExecute } from 'n8n-core';

/** What a run needs of the package a node comes from. Lazily loaded nodes must be loaded already. */
export type NodeSource = Pick<PackageDirectoryLoader, 'packageName' | 'nodeTypes' | 'credentialTypes'>;

let loaded: Promise<PackageDirectoryLoader> | undefined;

/** Loads the built package (`npm run build`) as n8n does: from its package.json, with n8n's own loader. */
export async function loadPackage(): Promise<PackageDirectoryLoader> {
	loaded ??= (async () => {
		const loader = new PackageDirectoryLoader(process.cwd());
		await loader.loadAll();
		return loader;
	})();
	return await loaded;
}

/** The credential a user would fill in for a platform at this address. */
export const credentialFor = (platform: { baseUrl: string; key: string }) => ({
	environment: 'production',
	productionUrl: platform.baseUrl,
	testUrl: '',
	apiKey: platform.key,
	allowHttp: false,
});

/** The credential of a user who signs in to a platform at this address. */
export const userCredentialFor = (platform: { baseUrl: string }) => ({
	environment: 'production',
	productionUrl: platform.baseUrl,
	email: 'admin@example.test',
	password: 'correct-horse',
	answerField: '',
});

export interface RunOptions {
	/** Where the dropdown is in the node's parameters: `parameters.filters.other[0].field`. */
	path?: string;
	/** The node's name inside the package: `chargingSessions`. */
	type: string;
	/** Where the node comes from; this package by default. */
	from?: NodeSource;
	parameters?: INodeParameters;
	/** Input items; one empty item by default. */
	items?: IDataObject[];
	credential: IDataObject;
	/** The credential of a signed-in user, for runs that choose it. */
	user?: IDataObject;
	/** `trigger` is a production execution; `manual` is Execute Step in the editor. */
	mode?: WorkflowExecuteMode;
	/** Retry On Fail, Continue On Fail and the like. */
	node?: Partial<INode>;
	executionId?: string;
	/** The workflow's time zone. */
	timezone?: string;
	/** Called with the running execution's cancel function. */
	onStart?: (cancel: () => void) => void;
}

export interface RunResult {
	run: IRun;
	status: IRun['status'];
	/** Items of the node's first output. */
	items: INodeExecutionData[];
	json: IDataObject[];
	/** Items of n8n's error output, if the node has one. */
	errorItems: INodeExecutionData[];
	error: ExecutionError | undefined;
	hints: NodeExecutionHint[];
}

/** The node before, which gave the input. */
const INPUT = 'Input';

/** Runs one node in n8n's real engine, over real HTTP, as one execution of a workflow. */
export async function runNode(options: RunOptions): Promise<RunResult> {
	const { workflow, node, additionalData, mode } = await prepare(options);
	const items = (options.items ?? [{}]).map((json): INodeExecutionData => ({ json }));
	const main = [items];
	const source = { main: [{ previousNode: INPUT }] };
	const data = createRunExecutionData({
		executionData: { nodeExecutionStack: [{ node, data: { main }, source }] },
		// What n8n looks up through the pairing of items, such as the input of one in the error output.
		resultData: {
			runData: { [INPUT]: [{ startTime: 0, executionIndex: 0, executionTime: 0, source: [], data: { main } }] },
		},
	});
	const running = new WorkflowExecute(additionalData, mode, data).processRunExecutionData(workflow);
	options.onStart?.(() => running.cancel());
	const run = await running;
	const task = run.data.resultData.runData[node.name]?.at(-1);
	const [output, errorItems] = task?.data?.main ?? [];
	return {
		run,
		status: run.status,
		items: output ?? [],
		json: (output ?? []).map(({ json }) => json),
		errorItems: errorItems ?? [],
		error: task?.error ?? run.data.resultData.error,
		hints: task?.hints ?? [],
	};
}

/** A real editor context, as dropdowns get it to load their entries. */
export async function editorContext(
	options: RunOptions,
): Promise<{ context: LoadOptionsContext; nodeType: INodeType }> {
	const { workflow, node, additionalData, nodeType } = await prepare(options);
	const editing = { ...additionalData, currentNodeParameters: node.parameters };
	return { context: new LoadOptionsContext(workflow, node, editing, options.path ?? ''), nodeType };
}

let executions = 0;

/** Builds the workflow of one node, and what n8n's engine and its contexts need around it. */
export async function prepare(options: RunOptions) {
	const { from = await loadPackage(), type, credential, user } = options;
	const { mode = 'trigger', executionId = String(++executions), timezone = 'Europe/Berlin' } = options;
	const loadedNode = from.nodeTypes[type];
	if (!loadedNode) throw new Error(`The package has no node ${type}`);
	const nodeType = NodeHelpers.getVersionedNodeType(loadedNode.type, options.node?.typeVersion ?? 1);
	const node: INode = {
		id: 'node-1',
		name: nodeType.description.displayName,
		type: `${from.packageName}.${type}`,
		typeVersion: 1,
		position: [0, 0],
		parameters: options.parameters ?? {},
		credentials: {
			chargingNetworkApi: { id: '1', name: 'Charging Network account' },
			...(user && { chargingNetworkUserApi: { id: '2', name: 'Charging Network user' } }),
		},
		...options.node,
	};
	const input: INode = { ...node, id: 'node-0', name: INPUT, parameters: {}, onError: undefined };
	const connections = { [INPUT]: { main: [[{ node: node.name, type: 'main' as const, index: 0 }]] } };
	const nodeTypes = {
		getByName: () => loadedNode.type,
		getByNameAndVersion: () => nodeType,
		getKnownTypes: () => ({}),
	};
	const id = `workflow-${executionId}`;
	const settings = { executionOrder: 'v1' as const, timezone };
	const data = { id, name: id, nodes: [input, node], connections, active: false, settings };
	const stored = { ...data, isArchived: false, activeVersionId: null, createdAt: new Date(), updatedAt: new Date() };
	const base = 'http://localhost:5678';
	const additionalData = {
		credentialsHelper: credentialsHelper(from, { chargingNetworkApi: credential, chargingNetworkUserApi: user }),
		hooks: new ExecutionLifecycleHooks(mode, executionId, stored),
		executionId,
		currentNodeExecutionIndex: 0,
		variables: {},
		restApiUrl: base,
		instanceBaseUrl: base,
		formWaitingBaseUrl: base,
		webhookWaitingBaseUrl: base,
	} as unknown as IWorkflowExecuteAdditionalData;
	return { workflow: new Workflow({ ...data, nodeTypes }), node, nodeType, additionalData, mode };
}

/** n8n's CredentialsHelper with objects instead of its database. What tests of nodes never reach, it does not have. */
function credentialsHelper({ credentialTypes }: NodeSource, stored: Record<string, IDataObject | undefined>) {
	const typeOf = (name: string) => {
		const type = credentialTypes[name]?.type;
		if (!type) throw new Error(`There is no credential type ${name}`);
		return type;
	};
	const helper: Partial<ICredentialsHelper> = {
		getParentTypes: () => [],
		isCredentialUsableByNode: () => true,
		getCredentialsProperties: (name) => typeOf(name).properties,
		getDecrypted: async (_additionalData, _details, name) => {
			const data = stored[name];
			if (!data) throw new Error(`These tests have no credential of the type ${name}`);
			const standard = typeOf(name).properties.map((property) => [property.name, property.default] as const);
			return await Promise.resolve({ ...Object.fromEntries(standard), ...data } as ICredentialDataDecryptedObject);
		},
		preAuthentication: async () => await Promise.resolve(undefined),
		authenticate: async (credentials, name, request) => {
			const { authenticate } = typeOf(name);
			const asked = request as IHttpRequestOptions;
			return typeof authenticate === 'function' ? await authenticate(credentials, asked) : asked;
		},
	};
	return helper;
}
