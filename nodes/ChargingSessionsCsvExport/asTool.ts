import type { INode } from 'n8n-workflow';

import { createParameter, notice, propertiesShownUnder, type Parameter } from '../shared/parameters/parameter';

// As a tool of an agent: n8n gives a model the JSON of an item, and drops its file.

const forTools = <Value>(parameter: Parameter<Value>): Parameter<Value> => ({
	...parameter,
	properties: propertiesShownUnder(parameter, { show: { '@tool': [true] } }),
});

const NO_FILE =
	'The file itself reaches nobody: n8n gives a model no files. What delivers one is a tool that calls a sub-workflow, which exports and sends it.';

/**
 * What a tool shows besides: that nobody gets the file, and what a model reads of the tool. n8n takes the field with this
 * name for that, in place of the two that it adds to tools without one.
 */
export const asTool = {
	toolNotice: forTools(
		notice(
			`An agent gets the name of the file and its figures, not the file, and neither does the person in the chat. To send files, connect a <b>Call n8n Sub-Workflow Tool</b> instead: its sub-workflow exports and sends. <a href="https://github.com/charging-network/n8n-nodes-charging-network/blob/main/docs/ai-tools.md#a-csv-file-from-an-agent" target="_blank">How</a>`,
		),
	),
	toolDescription: forTools(
		createParameter(
			{
				label: 'Description',
				description: 'What the model is told of this tool',
				placeholder: 'e.g. Counts the sessions that would be exported',
				required: true,
			},
			{
				type: 'string',
				typeOptions: { rows: 4 },
				default: `Exports the chosen charging sessions to a CSV file, and returns its name, how many sessions are in it, and which are missing. ${NO_FILE}`,
			},
			() => undefined,
		),
	),
};

/** What an item with a file says besides where it is the result of a tool. */
export const toolResultFields = ({ type }: INode) =>
	type.endsWith('Tool') ? { fileDelivery: `None. ${NO_FILE}` } : {};
