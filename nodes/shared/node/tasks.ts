import cloneDeep from 'lodash/cloneDeep';
import type { IDataObject, IExecuteFunctions, INodeExecutionData, IPairedItemData } from 'n8n-workflow';

import { lengthInWords, SECOND_MS } from '../dsquery/values/durations';
import { isCanceled, openConnection, PlatformError, settle } from '../platform';
import type { Connection, PlatformOptions, PlatformStats } from '../platform';
import { toNodeError } from './nodeError';
import type { Operation, Outcome, PlatformTask } from './panel';

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

/** @param share whether other input items get the same result after this one: then its objects are copied */
function toItems(
	{ pages = [], files, includeInput }: Outcome,
	share: boolean,
	item?: IDataObject,
): INodeExecutionData[] {
	if (files) return share ? cloneDeep(files) : files;
	const items: INodeExecutionData[] = [];
	for (const page of pages) {
		for (const row of page) {
			const own = share ? cloneDeep(row) : row;
			items.push({ json: includeInput ? { ...cloneDeep(item), ...own } : own });
		}
	}
	return items;
}

/**
 * Runs a node's chosen operation: prepares it for all input items, then runs each different task once. Items that ask for
 * the same thing share one read, each with its own copy of the rows. With Continue On Fail a task that fails gives one
 * item with the reason at its top level, where n8n's error output looks for it; a field called `error` inside `json`
 * would make Retry On Fail run the node again although it succeeded.
 *
 * @returns the output items, each paired with the input items that it is made of. Rows made from the whole input are
 * paired with its first item only: pairing each with all would be too much.
 */
export async function runOperations(
	context: IExecuteFunctions,
	operations: readonly Operation[],
): Promise<INodeExecutionData[][]> {
	const units = unitsOf(context, operations);
	const output: INodeExecutionData[][] = units.map(() => []);
	const connections = new Map<string, Connection>();
	const notes = new Set<string>();

	const fail = (unit: number, thrown: unknown) => {
		const items = units[unit] ?? [];
		const error = toNodeError(context.getNode(), thrown, units.length > 1 && items.length === 1 ? items[0] : undefined);
		if (!context.continueOnFail() || isCanceled(thrown)) throw error;
		const json: IDataObject = { message: error.message };
		if (error.description) json.description = error.description;
		output[unit] = [{ json, error, pairedItem: pairing(items) }];
	};

	const prepare = (itemIndex: number) => chosenOperation(context, operations, itemIndex).prepare(context, itemIndex);
	for (const { task, waiting } of differentTasks(units, prepare, fail)) {
		try {
			const connection = await connect(context, connections, task.platformOptions);
			const result = await perform(task, connection);
			for (const note of result.notes) notes.add(connection.withoutSecrets(note));
			for (const unit of waiting) {
				const pairedItem = pairing(units[unit] ?? []);
				const items = toItems(result, unit !== waiting.at(-1), context.getInputData()[unit]?.json);
				for (const item of items) item.pairedItem = pairedItem;
				output[unit] = items;
			}
		} catch (thrown) {
			for (const unit of waiting) fail(unit, thrown);
		}
	}

	const platforms = [...connections.values()];
	for (const note of platforms.flatMap(({ notes }) => notes)) notes.add(note);
	showNotes(context, [...notes, ...rateLimitNotes(platforms.map(({ stats }) => stats))]);
	const [only] = output;
	return [output.length === 1 && only ? only : output.flat()];
}

/** The tasks of all units, each with the units that ask for the same. */
function differentTasks(
	units: ReadonlyArray<readonly number[]>,
	prepare: (itemIndex: number) => PlatformTask,
	fail: (unit: number, thrown: unknown) => void,
) {
	const groups = new Map<string, { task: PlatformTask; waiting: number[] }>();
	for (const [unit, [itemIndex = 0]] of units.entries()) {
		try {
			const task = prepare(itemIndex);
			const group = groups.get(task.key);
			if (group) group.waiting.push(unit);
			else groups.set(task.key, { task, waiting: [unit] });
		} catch (thrown) {
			fail(unit, thrown);
		}
	}
	return groups.values();
}

/** Runs a task. Its errors hold no secret of the account. */
async function perform(task: PlatformTask, connection: Connection): Promise<Outcome> {
	const outcome = await settle(task.run(connection));
	if (!outcome.ok) throw connection.safeError(outcome.error);
	return outcome.value;
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

function pairing(items: readonly number[]): IPairedItemData | IPairedItemData[] {
	const [first = 0] = items;
	return items.length === 1 ? { item: first } : items.map((item) => ({ item }));
}

function rateLimitNotes(stats: ReadonlyArray<Readonly<PlatformStats>>): string[] {
	const waitedMs = stats.reduce((sum, { rateLimitWaitMs }) => sum + rateLimitWaitMs, 0);
	if (waitedMs < SECOND_MS / 2) return [];
	return [`The platform asked this node to wait: ${lengthInWords(waitedMs)} in total. Nothing was left out.`];
}

function showNotes(context: IExecuteFunctions, messages: readonly string[]): void {
	if (messages.length === 0 || typeof context.addExecutionHints !== 'function') return;
	context.addExecutionHints(
		...messages.map((message) => ({ message, type: 'info' as const, location: 'outputPane' as const })),
	);
}
