import cloneDeep from 'lodash/cloneDeep';
import type { IDataObject, INodeExecutionData, IPairedItemData, NodeError } from 'n8n-workflow';

import type { OperationResult } from './operation';

/** The items that a run gives for one unit of its input. */
export function resultItems(
	{ pages = [], files, includeInput }: OperationResult,
	input: IDataObject | undefined,
	pairedItem: INodeExecutionData['pairedItem'],
): INodeExecutionData[] {
	if (files) return files.map((file) => ({ ...file, pairedItem }));
	const items: INodeExecutionData[] = [];
	for (const page of pages) {
		for (const row of page) items.push({ json: includeInput ? { ...inputFields(input), ...row } : row, pairedItem });
	}
	return items;
}

/**
 * The item that stands for a run that did not work. n8n goes by these two fields: with `error` in the first item it runs
 * the node again (Retry On Fail), and an item without any other field goes to the error output, where n8n adds the fields
 * of the input itself. The reason beside `json`, where an item may have one too, would hide both fields from it.
 *
 * @param input what its fields are added from, where there is no error output
 */
export function failedItem(
	error: NodeError,
	input: IDataObject | undefined,
	pairedItem: INodeExecutionData['pairedItem'],
): INodeExecutionData {
	const { message: happened, description } = error;
	return { json: { ...inputFields(input), error: happened, message: description ?? happened }, pairedItem };
}

/** Which input items a unit of output is made of. */
export function toPairedItem(items: readonly number[]): IPairedItemData | IPairedItemData[] {
	const [first = 0] = items;
	return items.length === 1 ? { item: first } : items.map((item) => ({ item }));
}

/** The fields of an input item, as they come in a result. */
function inputFields(input: IDataObject | undefined): IDataObject {
	const { error, ...others } = cloneDeep(input ?? {});
	return hasErrorField(input) ? { ...others, inputError: error } : others;
}

/** Whether an input item stands for a run that did not work, by the field that n8n goes by. */
export const hasErrorField = (input: IDataObject | undefined) => input !== undefined && 'error' in input;

export const INPUT_ERROR_NOTE =
	'The input has a field “error”. It comes as “inputError”, because n8n takes an item with a field “error” for a node that did not work.';
