import isEqual from 'lodash/isEqual';
import type {
	IExecuteFunctions,
	INodeCredentialDescription,
	INodeExecutionData,
	INodeTypeDescription,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { formatDuration } from '../text';
import { SECOND_MS } from '../dsquery/values/durations';
import {
	isCanceled,
	openConnection,
	PlatformError,
	testChargingNetworkApi,
	testChargingNetworkUserApi,
} from '../platform';
import type { Connection, PlatformOptions, PlatformStats } from '../platform';
import type { ListResource } from '../resources';
import { methodsOf } from '../parameters/dropdown';
import { failedItem, hasErrorField, toPairedItem, INPUT_ERROR_NOTE, resultItems } from './items';
import { toNodeError } from './nodeError';
import type { NodeExecutionState, Operation } from './operation';
import { authenticationProperties, operationProperties } from './panel';

/** One node repeats them, see ChargingSessions.node.ts. */
const eitherCredential: INodeCredentialDescription[] = [
	{
		name: 'chargingNetworkApi',
		required: true,
		testedBy: 'testChargingNetworkApi',
		displayOptions: { show: { authentication: ['apiKey'] } },
	},
	{
		name: 'chargingNetworkUserApi',
		required: true,
		testedBy: 'testChargingNetworkUserApi',
		displayOptions: { show: { authentication: ['signedInUser'] } },
	},
];

/** What n8n asks of an action node. Its names, icon, subtitle and inputs are in the `.node.ts`: n8n's lint reads them there. */
export function actionNode(operations: readonly Operation[], usual: string, { noun }: ListResource) {
	const common = {
		group: ['input'],
		version: 1,
		outputs: [NodeConnectionTypes.Main],
		credentials: eitherCredential,
		properties: [...authenticationProperties, ...operationProperties(operations, usual, noun)],
	} satisfies Partial<INodeTypeDescription>;
	return {
		common,
		methods: {
			credentialTest: { testChargingNetworkApi, testChargingNetworkUserApi },
			...methodsOf(operations),
		},
		async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
			return await runOperations(this, operations);
		},
	};
}

// --- the run ---

/** The input items that give a result together. */
function unitsOf(context: IExecuteFunctions, operations: readonly Operation[]): number[][] {
	const chosen = operations.find(({ value }) => value === context.getNodeParameter('operation', 0));
	if (chosen?.wholeInput) return [[0]];
	const all = context.getInputData().map((_, itemIndex) => itemIndex);
	const [parameter, value] = chosen?.gathersFor ?? [];
	const gathers = parameter !== undefined && context.getNodeParameter(parameter, 0, '') === value;
	return gathers ? [all] : all.map((itemIndex) => [itemIndex]);
}

function chosenOperation(context: IExecuteFunctions, operations: readonly Operation[], itemIndex: number): Operation {
	const value = context.getNodeParameter('operation', itemIndex);
	const operation = operations.find((candidate) => candidate.value === value);
	if (operation) return operation;
	const known = operations.map(({ name }) => `"${name}"`).join(', ');
	throw new PlatformError('configuration', `The operation "${String(value)}" does not exist`, {
		description: `Choose one of ${known} in the field Operation.`,
	});
}

/**
 * Runs a node's chosen operation: prepares it for all input items, then runs it for one after the other. With Continue
 * On Fail a task that fails gives one item with the reason.
 *
 * @returns the output items, each paired with the input items that it is made of. Rows made from the whole input are
 * paired with its first item only: pairing each with all would be too much.
 */
async function runOperations(
	context: IExecuteFunctions,
	operations: readonly Operation[],
): Promise<INodeExecutionData[][]> {
	const units = unitsOf(context, operations);
	const output: INodeExecutionData[][] = units.map(() => []);
	const connections = new Map<string, Connection>();
	const notes = new Set<string>();
	const whyEmpty: string[] = [];
	const nodeRun: NodeExecutionState = { fileNames: new Set() };

	const node = context.getNode();
	const inputs = context.getInputData();
	/** The input item that a unit is made of, if it is a single one. */
	const inputOf = (unit: number) => (units.length === inputs.length ? inputs[unit]?.json : undefined);

	const fail = (unit: number, thrown: unknown) => {
		const error = toNodeError(node, thrown, units.length > 1 ? unit : undefined);
		if (!context.continueOnFail() || isCanceled(thrown)) throw error;
		// n8n adds these fields in the error output.
		const input = node.onError === 'continueErrorOutput' ? undefined : inputOf(unit);
		output[unit] = [failedItem(error, input, toPairedItem(units[unit] ?? []))];
	};

	// All are checked before anything is sent.
	const tasks = units.flatMap(([itemIndex = 0], unit) => {
		try {
			return [{ task: chosenOperation(context, operations, itemIndex).prepare(context, itemIndex), unit }];
		} catch (thrown) {
			fail(unit, thrown);
			return [];
		}
	});
	for (const { task, unit } of tasks) {
		try {
			const connection = await connect(context, connections, task.platformOptions);
			const result = await task.perform(connection, nodeRun);
			for (const note of result.notes) notes.add(connection.withoutSecrets(note));
			if (result.whyEmpty !== undefined) whyEmpty.push(connection.withoutSecrets(result.whyEmpty));
			output[unit] = resultItems(result, inputOf(unit), toPairedItem(units[unit] ?? []));
			if (result.includeInput && hasErrorField(inputOf(unit))) notes.add(INPUT_ERROR_NOTE);
		} catch (thrown) {
			fail(unit, thrown);
		}
	}

	const [first, ...others] = tasks;
	if (others.length > 0 && others.every(({ task }) => isEqual(task.values, first?.task.values))) {
		notes.add(askedForEach(tasks.length));
	}
	const platforms = [...connections.values()];
	for (const note of platforms.flatMap(({ notes }) => notes)) notes.add(note);
	showNotes(context, [...notes, ...emptyNotes(whyEmpty), ...rateLimitNotes(platforms.map(({ stats }) => stats))]);
	const [only] = output;
	return [output.length === 1 && only ? only : output.flat()];
}

/** One note, for however many input items. */
function emptyNotes([first, ...others]: readonly string[]): string[] {
	if (first === undefined) return [];
	return [others.length === 0 ? first : `${others.length + 1} input items found nothing. The first of them: ${first}`];
}

function askedForEach(count: number): string {
	return `All ${count} input items ask the same, and the platform was asked for each. To ask once, switch on Execute Once in the Settings of this node.`;
}

/** One connection for each combination of waiting times; the credential behind it is the same for every item. */
async function connect(
	context: IExecuteFunctions,
	open: Map<string, Connection>,
	options: PlatformOptions,
): Promise<Connection> {
	const key = JSON.stringify(options);
	const connection = open.get(key) ?? (await openConnection(context, options));
	open.set(key, connection);
	return connection;
}

function rateLimitNotes(stats: ReadonlyArray<Readonly<PlatformStats>>): string[] {
	const waitedMs = stats.reduce((sum, { rateLimitWaitMs }) => sum + rateLimitWaitMs, 0);
	if (waitedMs < SECOND_MS / 2) return [];
	return [`The platform asked this node to wait: ${formatDuration(waitedMs)} in total. Nothing was left out.`];
}

function showNotes(context: IExecuteFunctions, messages: readonly string[]): void {
	if (messages.length === 0 || typeof context.addExecutionHints !== 'function') return;
	context.addExecutionHints(
		...messages.map((message) => ({ message, type: 'info' as const, location: 'outputPane' as const })),
	);
}
