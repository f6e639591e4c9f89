import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';

import type { WorkflowFile } from './client.ts';

/** What the nodes of an example must return: see check.ts. */
export type Expectations = Readonly<Record<string, string>>;

/** A change that the note of an example offers. */
export interface Variant {
	offer: string;
	/** Values of the fields that an Edit Fields node sets, by node. */
	fields?: Readonly<Record<string, IDataObject>>;
	/** Parameters, by node. */
	parameters?: Readonly<Record<string, INodeParameters>>;
	/** The trigger that is active, in place of the others. */
	trigger?: string;
	/** What its nodes return, where it is not the same as without the change. */
	returns?: Expectations;
}

const STATEMENT = `count(*) AS "Sessions", {kwh} AS "Energy (kWh)"`;
const FINISHED = 'FROM sessions WHERE Status = 4 AND {lastMonth} GROUP BY';
const EXPIRED = { options: { otherEndStatuses: ['5'] } };
const NO_SUCH_FIELD = 'NoSuchField';

/** What the notes offer, by example. What they only say about a credential, a table or a sender is in every run. */
export const VARIANTS: Readonly<Record<string, readonly Variant[]>> = {
	'ask-your-network.json': [
		{
			offer: 'the field with the ID of a station',
			fields: { 'Your Field Names': { stationIdField: 'StationId' } },
			returns: {
				'A Station in Figures': `SELECT Name AS station, 'this station' AS figuresOf, count(*) AS sessions, {kwh} AS energyConsumed
					FROM sessions JOIN stations ON stations.Id = 1 AND stations.Id = StationId WHERE {lastMonth}`,
			},
		},
		{
			offer: 'a question without a station',
			fields: {
				'Questions to Try': {
					questions: JSON.stringify([{ question: 'howDidAStationDo', station: '', period: 'today' }]),
				},
			},
			returns: {
				'Ask Again': `SELECT 'No station was named. Ask again with the ID of one, or a part of its name.' AS askAgain`,
			},
		},
	],
	'charge-point-out-of-order.json': [
		{
			offer: 'other codes, of some stations',
			parameters: {
				'Charge Point Out of Order or Back': {
					outOfOrderValues: ['2', '4'],
					logic: 'And',
					filters: { id: [{ operator: 'In', values: '1, 2, 3' }] },
				},
			},
		},
	],
	'failed-session-message.json': [{ offer: 'the code of expired sessions', parameters: { 'Session Failed': EXPIRED } }],
	'http-request-same-credential.json': [
		{
			offer: 'another path',
			fields: { 'Your Platform': { path: '/api/charging-stations/v1/2' } },
			returns: { 'The Answer': 'SELECT Id, Name FROM stations WHERE Id = 2' },
		},
	],
	'incidents-to-data-table.json': [
		{
			offer: 'faults',
			trigger: 'Station Faulted or Repaired',
			returns: {
				'Station Faulted or Repaired': `SELECT event FROM (SELECT 'startedMatching' AS event FROM stations
					WHERE HardwareStatus = 3 LIMIT 3) UNION ALL SELECT 'watching'`,
			},
		},
		{
			offer: 'charge points',
			trigger: 'Charge Point Out of Order or Back',
			returns: {
				'Charge Point Out of Order or Back': `SELECT 'outOfOrder' AS event UNION ALL SELECT 'outOfOrder'
					UNION ALL SELECT 'backInOrder' UNION ALL SELECT 'watching'`,
			},
		},
	],
	'mail-a-csv-from-chat.json': [
		{
			offer: 'a period that is not known',
			fields: { 'Period to Try': { period: 'next year' } },
			returns: {
				'Ask Again': `SELECT 'The period "next year" is not known. Ask again with one of: today, yesterday, thisWeek, lastWeek, thisMonth, lastMonth.' AS askAgain`,
			},
		},
	],
	'monday-report-by-mail.json': [
		{ offer: 'another field for the station', fields: { 'Your Field Names': { station: 'UserName' } } },
	],
	'monthly-statement-per-driver.json': [
		{
			offer: 'prices of your own',
			fields: {
				'Your Field Names': {
					ownPrices: [{ who: 'everybody else', perKwh: 0, baseFee: 2 }],
					ownCurrency: 'CHF',
				},
			},
			returns: {
				Statement: `SELECT coalesce(UserName, 'Not known') AS "Driver", 'CHF' AS "Currency", ${STATEMENT},
					iif(UserName IS NULL, 0, 2) AS "Amount" ${FINISHED} UserName`,
			},
		},
		{
			offer: 'a statement per site',
			fields: { 'Your Field Names': { driver: 'StationName' } },
			returns: {
				Statement: `SELECT StationName AS "Driver", Currency AS "Currency", ${STATEMENT} ${FINISHED} StationName, Currency`,
			},
		},
	],
	'monthly-uptime-report-by-mail.json': [
		{
			offer: 'faults count as down',
			parameters: {
				'Uptime of the Network': { options: { countsAsDown: 'offline, faulted' } },
				'Uptime per Station': { options: { countsAsDown: 'offline, faulted' } },
			},
		},
	],
	'offline-alert.json': [
		{
			offer: 'the codes of stations that are out of service',
			parameters: { 'Station Offline or Back': { options: { outOfServiceValues: ['3'] } } },
		},
	],
	'price-corrections.json': [
		{
			offer: 'fewer days',
			parameters: {
				'Price Corrected': {
					filters: {
						other: [{ field: 'StartedAtUtc|date', dateOperator: 'InPeriod', period: 'lastDays', days: 7 }],
					},
				},
			},
		},
	],
	'sessions-running-longer-than-a-day.json': [
		{ offer: 'the code of expired sessions', parameters: { 'Running for Over a Day': EXPIRED } },
	],
	'sessions-to-check-before-billing.json': [
		{
			offer: 'rows without an end, a station and a connector',
			fields: { 'Your Limits': { end: NO_SUCH_FIELD, station: NO_SUCH_FIELD, connector: NO_SUCH_FIELD } },
		},
	],
	'stalled-session.json': [
		{ offer: 'the code of expired sessions', parameters: { 'Session Stalls or Resumes': EXPIRED } },
	],
	'stations-still-offline-daily.json': [
		{
			offer: 'without stations that are out of service',
			parameters: {
				'Stations Still Offline': {
					filters: {
						networkStatus: [{ operator: 'Neq', value: '1' }],
						status: [{ operator: 'NotIn', values: ['3'] }],
					},
				},
			},
			returns: {
				'Stations Still Offline': 'SELECT Id FROM stations WHERE NetworkStatus <> 1 AND Status <> 3',
			},
		},
	],
	'stations-that-went-quiet.json': [
		{ offer: 'other limits', fields: { 'Your Field Names': { days: 14, sessionsBefore: 1 } } },
	],
	'top-stations-last-month.json': [
		{
			offer: 'stations of one number of charge points',
			fields: { 'Your Field Names': { chargePoints: 4, others: {} } },
		},
	],
};

/** An example with a change. */
export function withVariant(workflow: WorkflowFile, { fields, parameters, trigger }: Variant): WorkflowFile {
	const nodes = structuredClone(workflow.nodes);
	const named = (name: string): INode => {
		const node = nodes.find((each) => each.name === name);
		if (!node) throw new Error(`${workflow.name} has no node ${name}.`);
		return node;
	};
	for (const [name, values] of Object.entries(fields ?? {})) setFields(named(name), values);
	for (const [name, values] of Object.entries(parameters ?? {})) Object.assign(named(name).parameters, values);
	if (trigger !== undefined) {
		for (const node of nodes.filter(({ type }) => /trigger$/i.test(type))) node.disabled = node.name !== trigger;
	}
	return { ...workflow, nodes };
}

/** Puts values into an Edit Fields node, which has them one by one or as JSON. */
function setFields({ name, parameters }: INode, values: IDataObject): void {
	if (typeof parameters.jsonOutput === 'string') {
		parameters.jsonOutput = JSON.stringify({ ...(JSON.parse(parameters.jsonOutput) as IDataObject), ...values });
		return;
	}
	const { assignments } = parameters.assignments as { assignments: IDataObject[] };
	for (const [field, value] of Object.entries(values)) {
		const assignment = assignments.find((each) => each.name === field);
		if (!assignment) throw new Error(`${name} has no field ${field}.`);
		assignment.value = value;
	}
}
