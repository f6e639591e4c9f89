import cloneDeep from 'lodash/cloneDeep';
import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { PlatformError } from '../platform';
import type { Row } from '../platform';
import { runTasks } from './tasks';
import type { Operation } from './operation';

/**
 * Runs a node's chosen operation for all input items. Items that ask for the same are answered by one read, each with
 * rows of its own. What takes the whole input is paired with its first item: each row with all of them would be too much.
 */
export async function runOperations(
	context: IExecuteFunctions,
	operations: readonly Operation[],
): Promise<INodeExecutionData[][]> {
	const wholeInput = operations.some(
		(each) => each.wholeInput && each.value === context.getNodeParameter('operation', 0),
	);
	const items = await runTasks(context, {
		units: wholeInput ? [[0]] : context.getInputData().map((_, itemIndex) => [itemIndex]),
		prepare: (itemIndex) => chosenOperation(context, operations, itemIndex).prepare(context, itemIndex),
		toItems: ({ pages }, share) => toItems(pages, share),
		hintsOf: ({ hints }) => hints,
	});
	return [items];
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

function toItems(pages: readonly Row[][], share: boolean): INodeExecutionData[] {
	const items: INodeExecutionData[] = [];
	for (const page of pages) {
		for (const row of page) items.push({ json: share ? cloneDeep(row) : row });
	}
	return items;
}
