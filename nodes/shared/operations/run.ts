import cloneDeep from 'lodash/cloneDeep';
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { openPlatform } from '../platform/connect';
import { PlatformError, toNodeError } from '../platform/errors';
import type { Platform, PlatformStats, Row } from '../platform/types';
import type { Operation, Outcome, Task } from './types';

/** An input item's part in a run: what it asks for, or why it cannot be asked. */
type Prepared = { task: Task } | { thrown: unknown };

/**
 * Runs a node's chosen operation for all input items.
 *
 * Every item's parameters are read and checked before the first request is sent. Items that ask for the same are
 * answered by one read, each with rows of its own. With Continue On Fail an item that cannot be answered gives one item
 * that carries the reason at its top level, where n8n's error output looks for it; inside `json` a field called `error`
 * would make Retry On Fail run the node again although it succeeded.
 */
export async function runOperations(
	context: IExecuteFunctions,
	operations: readonly Operation[],
): Promise<INodeExecutionData[][]> {
	const items = context.getInputData();
	const prepared = items.map((_, itemIndex) => prepare(context, operations, itemIndex));
	const waiting = groupByKey(prepared);
	const output: INodeExecutionData[][] = items.map(() => []);
	const connections = new Map<string, Platform>();
	const hints = new Set<string>();

	const fail = (itemIndex: number, thrown: unknown) => {
		const error = toNodeError(context.getNode(), thrown, itemIndex);
		if (!context.continueOnFail() || isCanceled(thrown)) throw error;
		const json: IDataObject = { message: error.message };
		if (error.description) json.description = error.description;
		output[itemIndex] = [{ json, error, pairedItem: { item: itemIndex } }];
	};

	prepared.forEach((entry, itemIndex) => {
		if ('thrown' in entry) fail(itemIndex, entry.thrown);
	});
	for (const { task, itemIndexes } of waiting) {
		let outcome: Outcome;
		try {
			outcome = await task.run(await connect(context, connections, task));
		} catch (thrown) {
			for (const itemIndex of itemIndexes) fail(itemIndex, thrown);
			continue;
		}
		for (const hint of outcome.hints) hints.add(hint);
		itemIndexes.forEach((itemIndex, position) => {
			output[itemIndex] = toItems(outcome.pages, itemIndex, position < itemIndexes.length - 1);
		});
	}

	showHints(context, [...hints, ...rateLimitHints([...connections.values()].map(({ stats }) => stats))]);
	return [output.length === 1 && output[0] ? output[0] : output.flat()];
}

function prepare(context: IExecuteFunctions, operations: readonly Operation[], itemIndex: number): Prepared {
	try {
		const value = context.getNodeParameter('operation', itemIndex);
		const operation = operations.find((candidate) => candidate.value === value);
		if (!operation) {
			const known = operations.map(({ name }) => `"${name}"`).join(', ');
			throw new PlatformError('configuration', `The operation "${String(value)}" does not exist`, {
				description: `Choose one of ${known} in the field Operation.`,
			});
		}
		return { task: operation.prepare(context, itemIndex) };
	} catch (thrown) {
		return { thrown };
	}
}

function groupByKey(prepared: readonly Prepared[]): Array<{ task: Task; itemIndexes: number[] }> {
	const groups = new Map<string, { task: Task; itemIndexes: number[] }>();
	prepared.forEach((entry, itemIndex) => {
		if (!('task' in entry)) return;
		const group = groups.get(entry.task.key);
		if (group) group.itemIndexes.push(itemIndex);
		else groups.set(entry.task.key, { task: entry.task, itemIndexes: [itemIndex] });
	});
	return [...groups.values()];
}

/** One connection for each combination of waiting times; the credential behind it is the same for every item. */
async function connect(
	context: IExecuteFunctions,
	open: Map<string, Platform>,
	{ platformOptions }: Task,
): Promise<Platform> {
	const key = JSON.stringify(platformOptions);
	const platform = open.get(key) ?? (await openPlatform(context, platformOptions));
	open.set(key, platform);
	return platform;
}

function toItems(pages: readonly Row[][], itemIndex: number, copy: boolean): INodeExecutionData[] {
	const items: INodeExecutionData[] = [];
	for (const page of pages) {
		for (const row of page) items.push({ json: copy ? cloneDeep(row) : row, pairedItem: { item: itemIndex } });
	}
	return items;
}

function isCanceled(thrown: unknown): boolean {
	return thrown instanceof PlatformError && thrown.kind === 'canceled';
}

function rateLimitHints(stats: ReadonlyArray<Readonly<PlatformStats>>): string[] {
	const waitedMs = stats.reduce((sum, { rateLimitWaitMs }) => sum + rateLimitWaitMs, 0);
	if (waitedMs < 1000) return [];
	return [
		`The platform's rate limit made this node wait ${Math.round(waitedMs / 1000)} s in total. All rows were read.`,
	];
}

function showHints(context: IExecuteFunctions, messages: readonly string[]): void {
	if (messages.length === 0 || typeof context.addExecutionHints !== 'function') return;
	context.addExecutionHints(
		...messages.map((message) => ({ message, type: 'info' as const, location: 'outputPane' as const })),
	);
}
