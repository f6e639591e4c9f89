import { builderHint, codesHint, exampleHint } from '../shared/operation/builderHints';
import { SESSIONS } from '../shared/resources';

export const exportHint = builderHint({
	hints: [
		'For a CSV file of charging sessions: operation exportByFilter for those that match a filter, exportByIds for given session ids, in their order. The file comes as binary data in the field data: attach it to a mail or upload it.',
		'Use it instead of HTTP Request: it finds the ids, splits large exports, joins the parts to one file with one header and checks that no session is missing.',
		codesHint(SESSIONS),
		exampleHint('Finished sessions of last month as a CSV file for Excel', {
			operation: 'exportByFilter',
			filters: {
				status: [{ operator: 'In', values: ['4'] }],
				startedAtUtc: [{ operator: 'InPeriod', period: 'lastMonth' }],
			},
			options: { byteOrderMark: 'add', escapeFormulas: true },
		}),
	],
	relatedNodes: [
		['chargingSessions', 'Use this instead for rows, counts and figures of sessions'],
		['n8n-nodes-base.extractFromFile', 'Turns the CSV file into rows'],
		['n8n-nodes-base.emailSend', 'Sends the file: set attachments to data'],
	],
});
