import {
	builderHint,
	codesHint,
	exampleHint,
	fieldsHint,
	HOURS,
	INSTEAD_OF_HTTP_REQUEST,
} from '../shared/operation/builderHints';
import { SESSIONS } from '../shared/resources';

export const sessionsHint = builderHint({
	hints: [
		'For charging sessions (transactions, charge detail records) of an EV charging network.',
		INSTEAD_OF_HTTP_REQUEST,
		`One by its ID: operation get. How many: operation count. Totals, top lists, figures by day, station or user, success rate, the last start at each station: operation summary (a success rate: measures.values [{ function: "successRate" }]; the last start: [{ field: "StartedAtUtc", function: "max" }]). ${HOURS} One result per input item that says which one it is of: options.includeInputFields. Use getAll only where the rows themselves are needed: there can be hundreds of thousands.`,
		codesHint(SESSIONS),
		fieldsHint(SESSIONS),
		exampleHint(
			'Ten stations with most energy last month (StationName: the field of your rows that names the station)',
			{
				operation: 'summary',
				filters: {
					startedAtUtc: [{ operator: 'InPeriod', period: 'lastMonth' }],
					status: [{ operator: 'In', values: ['4', '6'] }],
				},
				logic: 'And',
				measures: { values: [{ field: 'EnergyConsumed', function: 'sum' }] },
				groupBy: ['field'],
				groupByField: 'StationName',
				result: 'itemPerGroup',
				options: { maxGroups: 10 },
			},
		),
	],
	relatedNodes: [
		['chargingSessionsCsvExport', 'Use this instead for a CSV file of sessions'],
		['chargingSessionTrigger', 'Use this instead to start a workflow when a session starts, ends, fails or runs long'],
		['n8n-nodes-base.convertToFile', 'Turns the rows of Get Many into an Excel file'],
		['n8n-nodes-base.dataTable', 'Keeps rows between executions, with upsert on Id'],
	],
});
