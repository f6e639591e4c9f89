import { ExecutionLifecycleHooks } from 'n8n-core';
import {
	Workflow,
	type ICredentialType,
	type INode,
	type INodeType,
	type IVersionedNodeType,
	type IWorkflowBase,
	type IWorkflowExecuteAdditionalData,
	type WorkflowExecuteMode,
} from 'n8n-workflow';

import { CredentialStore, type CredentialStoreOptions } from './credentialStore.ts';

interface SurroundingsOptions {
	node: INode;
	nodeType: INodeType | IVersionedNodeType;
	credentialTypes: Record<string, ICredentialType>;
	/** The stored data of each credential type, read on every access. */
	credentials: CredentialStoreOptions['stored'];
	mode?: WorkflowExecuteMode;
	executionId?: string;
	/** The workflow's time zone. */
	timezone?: string;
}

let executions = 0;

/** Builds what n8n's engine and its contexts need around one node: its workflow, credentials, hooks, URLs. */
export function surroundingsOf(options: SurroundingsOptions) {
	const { node, nodeType, mode = 'trigger', executionId = String(++executions) } = options;
	const id = `workflow-${executionId}`;
	const settings = { executionOrder: 'v1' as const, timezone: options.timezone ?? 'Europe/Berlin' };
	const byVersion = 'getNodeType' in nodeType ? nodeType.getNodeType(node.typeVersion) : nodeType;
	const nodeTypes = { getByName: () => nodeType, getByNameAndVersion: () => byVersion, getKnownTypes: () => ({}) };
	const workflow = new Workflow({ id, name: id, nodes: [node], connections: {}, active: false, nodeTypes, settings });
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
	const store = new CredentialStore({
		types: options.credentialTypes,
		stored: options.credentials,
	});
	const base = 'http://localhost:5678';
	const additionalData = {
		credentialsHelper: store,
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
	return { workflow, node: inWorkflow, nodeType: byVersion, additionalData, mode, workflowData, store };
}
