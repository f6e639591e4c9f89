import cloneDeep from 'lodash/cloneDeep';
import range from 'lodash/range';
import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { runTasks } from '../shared/node/tasks';
import { backOffMs, pause } from '../shared/platform';
import { exportFiles, type ExportOutcome, type ExportTools } from './exportFiles';
import { gathersItems, readRequest } from './request';

const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 10_000;

/** Runs the export: once for each different input item, or once for all of them where they bring the session ids. */
export async function runExport(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	const tools = exportTools(context);
	const items = range(context.getInputData().length);
	return await runTasks<ExportOutcome>(context, {
		units: gathersItems(context) ? [items] : items.map((item) => [item]),
		prepare(itemIndex) {
			const request = readRequest(context, itemIndex);
			return {
				key: JSON.stringify(request),
				platformOptions: request.platformOptions,
				run: async (platform) => await exportFiles(platform, request, tools),
			};
		},
		toItems: ({ files }, share) => (share ? cloneDeep(files) : files),
		hintsOf: ({ hints }) => hints,
	});
}

function exportTools(context: IExecuteFunctions): ExportTools {
	const signal =
		typeof context.getExecutionCancelSignal === 'function' ? context.getExecutionCancelSignal() : undefined;
	return {
		store: context.helpers.prepareBinaryData,
		pauseBeforeRetry: async (n) => await pause(backOffMs(n, FIRST_RETRY_MS, LONGEST_RETRY_MS, Math.random), signal),
	};
}
