import cloneDeep from 'lodash/cloneDeep';
import type { IDataObject, IExecuteFunctions, INodeExecutionData, IPairedItemData } from 'n8n-workflow';

import { isCanceled, openConnection, PlatformError, settle } from '../platform';
import type { Connection, PlatformOptions, PlatformStats, Row } from '../platform';
import { toNodeError } from './nodeError';
import type { Operation, PlatformTask } from './panel';

/**
 * Runs a node's chosen operation for all input items. Items that ask for the same thing share one read, each with its
 * own copy of the rows. Rows made from the whole input are paired with its first item only: pairing each with all would
 * be too much.
 */
export async function runOperations(
	context: IExecuteFunctions,
	operations: readonly Operation[],
): Promise<INodeExecutionData[][]> {
	const items = await runTasks(context, {
		units: unitsOf(context, operations),
		prepare: (itemIndex) => chosenOperation(context, operations, itemIndex).prepare(context, itemIndex),
		toItems: ({ pages = [], files, includeInput }, share, unit) => {
			if (files) return share ? cloneDeep(files) : files;
			return toItems(pages, share, includeInput ? context.getInputData()[unit]?.json : undefined);
		},
		hintsOf: ({ hints }) => hints,
	});
	return [items];
}

/** The input items that give a result together. */
function unitsOf(context: IExecuteFunctions, operations: readonly Operation[]): number[][] {
	const all = context.getInputData().map((_, itemIndex) => itemIndex);
	const chosen = operations.find(({ value }) => value === context.getNodeParameter('operation', 0));
	if (chosen?.wholeInput) return [[0]];
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

function toItems(pages: readonly Row[][], share: boolean, input?: IDataObject): INodeExecutionData[] {
	const items: INodeExecutionData[] = [];
	for (const page of pages) {
		for (const row of page) {
			const own = share ? cloneDeep(row) : row;
			items.push({ json: input ? { ...cloneDeep(input), ...own } : own });
		}
	}
	return items;
}

/** How a node turns input items into tasks and their results into output items. */
export interface TaskPlan<Result> {
	/** The input items of each task, usually one. */
	units: ReadonlyArray<readonly number[]>;
	/** @throws QueryError, PlatformError if a parameter cannot be used. Nothing may be sent here. */
	prepare(itemIndex: number): PlatformTask<Result>;
	/** @param share whether another unit gets the same result after this one: then its objects must be copied */
	toItems(result: Result, share: boolean, unit: number): INodeExecutionData[];
	/** What the user should know about how the result came about, one sentence each. */
	hintsOf(result: Result): readonly string[];
}

/**
 * Prepares all tasks, then runs each different one once. With Continue On Fail a task that fails gives one item with
 * the reason at its top level, where n8n's error output looks for it; a field called `error` inside `json` would make
 * Retry On Fail run the node again although it succeeded.
 *
 * @returns the output items in the order of the units, each paired with the input items of its unit
 */
export async function runTasks<Result>(
	context: IExecuteFunctions,
	{ units, prepare, toItems, hintsOf }: TaskPlan<Result>,
): Promise<INodeExecutionData[]> {
	const output: INodeExecutionData[][] = units.map(() => []);
	const connections = new Map<string, Connection>();
	const hints = new Set<string>();
	const groups = new Map<string, { task: PlatformTask<Result>; waiting: number[] }>();

	const fail = (unit: number, thrown: unknown) => {
		const items = units[unit] ?? [];
		const error = toNodeError(context.getNode(), thrown, units.length > 1 && items.length === 1 ? items[0] : undefined);
		if (!context.continueOnFail() || isCanceled(thrown)) throw error;
		const json: IDataObject = { message: error.message };
		if (error.description) json.description = error.description;
		output[unit] = [{ json, error, pairedItem: pairing(items) }];
	};

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
	for (const { task, waiting } of groups.values()) {
		try {
			const connection = await connect(context, connections, task.platformOptions);
			const result = await perform(task, connection);
			for (const hint of hintsOf(result)) hints.add(connection.withoutSecrets(hint));
			for (const unit of waiting) {
				const pairedItem = pairing(units[unit] ?? []);
				const items = toItems(result, unit !== waiting.at(-1), unit);
				for (const item of items) item.pairedItem = pairedItem;
				output[unit] = items;
			}
		} catch (thrown) {
			for (const unit of waiting) fail(unit, thrown);
		}
	}

	const platforms = [...connections.values()];
	for (const note of platforms.flatMap(({ notes }) => notes)) hints.add(note);
	showHints(context, [...hints, ...rateLimitHints(platforms.map(({ stats }) => stats))]);
	const [only] = output;
	return output.length === 1 && only ? only : output.flat();
}

/** Runs a task. Its errors hold no secret of the account. */
async function perform<Result>(task: PlatformTask<Result>, connection: Connection): Promise<Result> {
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

function rateLimitHints(stats: ReadonlyArray<Readonly<PlatformStats>>): string[] {
	const waitedMs = stats.reduce((sum, { rateLimitWaitMs }) => sum + rateLimitWaitMs, 0);
	const seconds = Math.round(waitedMs / 1000);
	if (seconds === 0) return [];
	return [`The platform's rate limit made this node wait ${seconds} s in total. Nothing was left out.`];
}

function showHints(context: IExecuteFunctions, messages: readonly string[]): void {
	if (messages.length === 0 || typeof context.addExecutionHints !== 'function') return;
	context.addExecutionHints(
		...messages.map((message) => ({ message, type: 'info' as const, location: 'outputPane' as const })),
	);
}
