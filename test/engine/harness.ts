import type {
	ExecutionError,
	IRun,
	ICredentialDataDecryptedObject,
	ICredentials,
	ICredentialType,
	IDataObject,
	IHttpRequestOptions,
	INode,
	INodeExecutionData,
	INodeParameters,
	INodeProperties,
	INodeType,
	INodeTypes,
	IRequestOptionsSimplified,
	IVersionedNodeType,
	IWorkflowBase,
	IWorkflowExecuteAdditionalData,
	NodeExecutionHint,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import { createRunExecutionData, ICredentialsHelper, Workflow, NodeHelpers } from 'n8n-workflow';
import { ExecutionLifecycleHooks, LoadOptionsContext, PackageDirectoryLoader, WorkflowExecute } from 'n8n-core';

/** The package as n8n loads it: the built files, by n8n's own loader. */
export type LoadedPackage = PackageDirectoryLoader;

/** What a run needs of the package a node comes from. Nodes that are loaded on demand must have been. */
export type NodeSource = Pick<LoadedPackage, 'packageName' | 'nodeTypes' | 'credentialTypes'>;

let loaded: Promise<LoadedPackage> | undefined;

/** Loads the built package (`npm run build`) from its package.json, as n8n does. */
export async function loadPackage(): Promise<LoadedPackage> {
	loaded ??= (async () => {
		const loader = new PackageDirectoryLoader(process.cwd());
		await loader.loadAll();
		return loader;
	})();
	return await loaded;
}

export interface CredentialData extends IDataObject {
	environment: 'production' | 'test';
	productionUrl: string;
	testUrl: string;
	apiKey: string;
	allowHttp: boolean;
}

/** The credential a user would fill in for a platform at this address. */
export function credentialFor(platform: { baseUrl: string; key: string }): CredentialData {
	return {
		environment: 'production',
		productionUrl: platform.baseUrl,
		testUrl: '',
		apiKey: platform.key,
		allowHttp: false,
	};
}

/** Hands out one credential and applies it as the credential type says; everything else of n8n's helper is not reached here. */
class TestCredentials extends ICredentialsHelper {
	private readonly types: Record<string, { type: ICredentialType }>;
	private readonly data: IDataObject;

	constructor(types: Record<string, { type: ICredentialType }>, data: IDataObject) {
		super();
		this.types = types;
		this.data = data;
	}

	getParentTypes(): string[] {
		return [];
	}

	isCredentialUsableByNode(): boolean {
		return true;
	}

	async authenticate(
		credentials: ICredentialDataDecryptedObject,
		typeName: string,
		options: IHttpRequestOptions | IRequestOptionsSimplified,
	): Promise<IHttpRequestOptions> {
		const authenticate = this.types[typeName]?.type.authenticate;
		if (typeof authenticate !== 'object')
			throw new Error(`The credential type ${typeName} does not say which headers to send`);
		const resolved = (value: unknown) => {
			const field = /^=\{\{\s*\$credentials\.(\w+)\s*\}\}$/.exec(typeof value === 'string' ? value : '')?.[1];
			return field === undefined ? value : credentials[field];
		};
		const headers: IDataObject = { ...options.headers };
		for (const [name, value] of Object.entries(authenticate.properties.headers ?? {})) {
			headers[resolved(name) as string] = resolved(value) as string;
		}
		return await Promise.resolve({ ...(options as IHttpRequestOptions), headers });
	}

	async preAuthentication(): Promise<undefined> {
		return await Promise.resolve(undefined);
	}

	async runPreAuthentication(): Promise<undefined> {
		return await Promise.resolve(undefined);
	}

	async getCredentials(): Promise<ICredentials> {
		return await Promise.reject(new Error('Encrypted credentials are not read in these tests'));
	}

	async getDecrypted(): Promise<ICredentialDataDecryptedObject> {
		return await Promise.resolve({ ...this.data } as ICredentialDataDecryptedObject);
	}

	async updateCredentials(): Promise<void> {
		await Promise.resolve();
	}

	async updateCredentialsOauthTokenData(): Promise<void> {
		await Promise.resolve();
	}

	getCredentialsProperties(type: string): INodeProperties[] {
		return this.types[type]?.type.properties ?? [];
	}
}

export interface RunOptions {
	/** The node's name inside the package: `chargingSessions`. */
	type: string;
	/** Where the node comes from; this package when left out. */
	from?: NodeSource;
	parameters?: INodeParameters;
	/** Input items; one empty item when left out. */
	items?: IDataObject[];
	credential: IDataObject;
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
	/** Items of n8n's error output, where the node has one. */
	errorItems: INodeExecutionData[];
	error: ExecutionError | undefined;
	hints: NodeExecutionHint[];
}

let executions = 0;

/** Runs one node in n8n's real engine, over real HTTP, as one execution of a workflow. */
export async function runNode(options: RunOptions): Promise<RunResult> {
	const { workflow, node, additionalData, mode } = await prepare(options);
	const items = (options.items ?? [{}]).map((json): INodeExecutionData => ({ json }));
	const data = createRunExecutionData({
		executionData: { nodeExecutionStack: [{ node, data: { main: [items] }, source: null }] },
	});
	const running = new WorkflowExecute(additionalData, mode, data).processRunExecutionData(workflow);
	options.onStart?.(() => running.cancel());
	const run = await running;
	const task = run.data.resultData.runData[node.name]?.at(-1);
	const main = task?.data?.main ?? [];
	return {
		run,
		status: run.status,
		items: main[0] ?? [],
		json: (main[0] ?? []).map(({ json }) => json),
		errorItems: main[1] ?? [],
		error: task?.error ?? run.data.resultData.error,
		hints: task?.hints ?? [],
	};
}

/** A real context of the editor, as dropdowns that load their entries get it. */
export async function editorContext(
	options: RunOptions,
): Promise<{ context: LoadOptionsContext; nodeType: INodeType }> {
	const { workflow, node, additionalData, nodeType } = await prepare(options);
	return { context: new LoadOptionsContext(workflow, node, additionalData, ''), nodeType };
}

export async function prepare(options: RunOptions) {
	const loader = options.from ?? (await loadPackage());
	const loadedNode = loader.nodeTypes[options.type];
	if (!loadedNode) throw new Error(`The package has no node ${options.type}`);
	const nodeType = NodeHelpers.getVersionedNodeType(loadedNode.type);
	const credentialName = nodeType.description.credentials?.[0]?.name ?? '';
	const node: INode = {
		id: 'node-1',
		name: nodeType.description.displayName,
		type: `${loader.packageName}.${options.type}`,
		typeVersion: 1,
		position: [0, 0],
		parameters: options.parameters ?? {},
		credentials: { [credentialName]: { id: '1', name: 'Charging Network account' } },
		...options.node,
	};
	const nodeTypes: INodeTypes = {
		getByName: (): INodeType | IVersionedNodeType => loadedNode.type,
		getByNameAndVersion: () => nodeType,
		getKnownTypes: () => ({}),
	};
	const id = `workflow-${options.executionId ?? executions}`;
	const settings = { executionOrder: 'v1' as const, timezone: options.timezone ?? 'Europe/Berlin' };
	const workflow = new Workflow({ id, name: id, nodes: [node], connections: {}, active: false, nodeTypes, settings });
	const mode = options.mode ?? 'trigger';
	const executionId = options.executionId ?? String(++executions);
	const workflowData: IWorkflowBase = {
		id,
		name: id,
		active: false,
		isArchived: false,
		activeVersionId: null,
		createdAt: new Date(),
		updatedAt: new Date(),
		nodes: [node],
		connections: {},
		settings,
	};
	const base = 'http://localhost:5678';
	const additionalData = {
		credentialsHelper: new TestCredentials(loader.credentialTypes, options.credential),
		hooks: new ExecutionLifecycleHooks(mode, executionId, workflowData),
		executionId,
		currentNodeExecutionIndex: 0,
		variables: {},
		restApiUrl: base,
		instanceBaseUrl: base,
		formBaseUrl: base,
		formWaitingBaseUrl: base,
		formTestBaseUrl: base,
		webhookBaseUrl: base,
		webhookWaitingBaseUrl: base,
		webhookTestBaseUrl: base,
		logAiEvent: () => undefined,
		setExecutionStatus: () => undefined,
	} as unknown as IWorkflowExecuteAdditionalData;
	const inWorkflow = workflow.getNode(node.name);
	if (!inWorkflow) throw new Error('The node is not in its workflow');
	return { workflow, node: inWorkflow, additionalData, nodeType, mode, workflowData };
}
