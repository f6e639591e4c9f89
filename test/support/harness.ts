import type {
	ExecutionError,
	IRun,
	IDataObject,
	INode,
	INodeExecutionData,
	INodeParameters,
	INodeType,
	NodeExecutionHint,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import { createRunExecutionData, NodeHelpers } from 'n8n-workflow';
import { LoadOptionsContext, PackageDirectoryLoader, WorkflowExecute } from 'n8n-core';

import { surroundingsOf } from './surroundings.ts';

/** The package as n8n loads it: the built files, with n8n's own loader. */
type LoadedPackage = PackageDirectoryLoader;

/** What a run needs of the package a node comes from. Lazily loaded nodes must be loaded already. */
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

interface CredentialData extends IDataObject {
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

interface UserCredentialData extends IDataObject {
	environment: 'production' | 'test';
	productionUrl: string;
	email: string;
	password: string;
	answerField: string;
}

/** The credential of a user who signs in to a platform at this address. n8n stores the token in it. */
export function userCredentialFor(platform: { baseUrl: string }): UserCredentialData {
	return {
		environment: 'production',
		productionUrl: platform.baseUrl,
		email: 'admin@example.test',
		password: 'correct-horse',
		answerField: '',
	};
}

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
	/** Its type, for a node of another package. */
	credentialType?: string;
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

/** A real editor context, as dropdowns get it to load their entries. */
export async function editorContext(
	options: RunOptions,
): Promise<{ context: LoadOptionsContext; nodeType: INodeType }> {
	const { workflow, node, additionalData, nodeType } = await prepare(options);
	const editing = { ...additionalData, currentNodeParameters: node.parameters };
	return { context: new LoadOptionsContext(workflow, node, editing, options.path ?? ''), nodeType };
}

/** Builds the workflow of one node of the package, and what n8n needs to run it. */
export async function prepare(options: RunOptions) {
	const loader = options.from ?? (await loadPackage());
	const loadedNode = loader.nodeTypes[options.type];
	if (!loadedNode) throw new Error(`The package has no node ${options.type}`);
	const nodeType = NodeHelpers.getVersionedNodeType(loadedNode.type);
	const types = Object.fromEntries(Object.entries(loader.credentialTypes).map(([name, { type }]) => [name, type]));
	const { credential, credentialType = 'chargingNetworkApi', user } = options;
	const node: INode = {
		id: 'node-1',
		name: nodeType.description.displayName,
		type: `${loader.packageName}.${options.type}`,
		typeVersion: 1,
		position: [0, 0],
		parameters: options.parameters ?? {},
		credentials: {
			[credentialType]: { id: '1', name: 'Charging Network account' },
			...(user && { chargingNetworkUserApi: { id: '2', name: 'Charging Network user' } }),
		},
		...options.node,
	};
	return surroundingsOf({
		node,
		nodeType: loadedNode.type,
		credentialTypes: types,
		credentials: { [credentialType]: () => credential, ...(user && { chargingNetworkUserApi: () => user }) },
		mode: options.mode,
		executionId: options.executionId,
		timezone: options.timezone,
	});
}
