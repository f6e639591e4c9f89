/** What the panel of a filter shows is what is asked for, and what came out empty is refused: no filter gets wider. */
import type { INodeParameters, INodePropertyCollection, INodeTypeDescription } from 'n8n-workflow';
import { NodeHelpers, type NodeError } from 'n8n-workflow';

import { startPlatform, type StandIn } from '../../platform/index.ts';
import { credentialFor, runNode } from '../../support/harness.ts';
import { descriptions, NEEDED, operations, TARIFFS } from '../../support/nodes.ts';
import { TriggerRig, type TriggerName } from '../../support/trigger/rig.ts';

let platform: StandIn;
let nodes: INodeTypeDescription[];
beforeAll(async () => {
	platform = await startPlatform({ sessions: 10, stations: 5 });
	nodes = await descriptions();
});
afterAll(async () => await platform.close());
beforeEach(() => platform.reset());

type Entry = Record<string, unknown>;

interface Sent {
	Operator?: string;
	Filters?: Sent[];
}

const panelOf = (type: string) => nodes.find(({ name }) => name === type)?.properties ?? [];

/** What is sent of a filter, and what the node says if it refuses it. */
async function run(type: string, filters: unknown) {
	const parameters = { operation: 'count', filters } as INodeParameters;
	const { error } = await runNode({ type, credential: credentialFor(platform), parameters });
	const { Filter: sent } = (platform.requests.at(-1)?.dsquery ?? {}) as { Filter?: { Filters: Sent[] } };
	return { sent, refusal: error && `${error.message} ${error.description}` };
}

/** What the editor shows of a condition. */
function shownOf(type: string, kind: string, entry: Entry): Entry {
	const stored = { operation: 'count', filters: { [kind]: [entry] } } as INodeParameters;
	const shown = NodeHelpers.getNodeParameters(panelOf(type), stored, true, false, { typeVersion: 1 }, null);
	return (shown?.filters as Record<string, [Entry]>)[kind]?.[0] ?? {};
}

/** A value for everything that an operator may ask for. */
const DAY = '2026-11-15T00:00:00';
const FILL: Entry = {
	value: '4',
	values: '4',
	from: '1',
	to: '2',
	date: DAY,
	fromDate: DAY,
	toDate: '2026-11-16T00:00:00',
	period: 'today',
	days: 7,
	hours: 24,
	amount: 1,
	unit: 'days',
};
const ofDates = { value: DAY, from: DAY, to: FILL.toDate };

/** The entries of a condition for every operator that it offers, and for the two periods that ask for more. */
function entriesOf(type: string, kind: string, operator: string, rest: Entry): Entry[] {
	const filters = panelOf(type).find(({ name }) => name === 'filters')?.options as INodePropertyCollection[];
	const values = filters.find(({ name }) => name === kind)?.values ?? [];
	const names = values
		.filter(({ name, displayOptions }) => name === operator && (kind !== 'other' || displayOptions))
		.flatMap(({ options = [] }) => options.flatMap((option) => ('value' in option ? [option.value] : [])));
	const periods = ['lastDays', 'lastHours'].map((period) => ({ [operator]: 'InPeriod', period }));
	const all = names.map((name): Entry => ({ [operator]: name }));
	return [...all, ...(names.includes('InPeriod') ? periods : [])].map((entry) => ({ ...rest, ...entry }));
}

/** Expressions that come out empty. */
const NOTHING = ['={{ "" }}', '={{ $json.missing }}', '={{ null }}'];

/** The operators that the platform does not have, and what they become. */
const FORM_ONLY: Record<string, string> = { InPeriod: 'GteLt', LocalDay: 'GteLt', OlderThan: 'Lt', NotIn: 'Neq' };
const TYPES = ['number', 'code', 'date', 'boolean', 'text', 'any'];
/** What is stored of the operators of other types, chosen before. */
const stale = Object.fromEntries(TYPES.map((type) => [`${type}Operator`, 'GteLt']));

it.each([
	...['status', 'startedAtUtc', 'energyConsumed', 'id'].map(
		(kind) => ['chargingSessions', kind, 'operator', {}] as const,
	),
	...['networkStatus', 'name', 'id'].map((kind) => ['chargingStations', kind, 'operator', {}] as const),
	...TYPES.map(
		(type) => ['chargingSessions', 'other', `${type}Operator`, { ...stale, field: `Whatever|${type}` }] as const,
	),
])('%s, %s, %s: each operator is sent, and all that it shows is needed', async (type, kind, operator, rest) => {
	const isDate = kind === 'startedAtUtc' || operator === 'dateOperator';
	const filled: Entry[] = [];
	const emptied: Entry[] = [];
	for (const entry of entriesOf(type, kind, operator, rest)) {
		const isPart = operator === 'anyOperator' && String(entry[operator]).startsWith('Is');
		const value = operator === 'booleanOperator' ? 'true' : FILL.value;
		const fill: Entry = { ...FILL, value, ...((isDate || isPart) && ofDates) };
		const names = Object.keys(shownOf(type, kind, entry)).filter((name) => name in FILL);
		const full = { ...entry, ...Object.fromEntries(names.map((name) => [name, entry[name] ?? fill[name]])) };
		filled.push(full);
		emptied.push(...names.flatMap((name) => NOTHING.map((nothing) => ({ ...full, [name]: nothing }))));
	}
	const { sent } = await run(type, { [kind]: filled });
	expect(sent?.Filters.map((node) => node.Operator ?? node.Filters?.[0]?.Operator)).toEqual(
		filled.map((entry) => FORM_ONLY[String(entry[operator])] ?? entry[operator]),
	);
	platform.reset();
	expect((await run(type, { [kind]: emptied })).refusal).toContain(`${emptied.length} places need a change.`);
	expect(platform.requests).toEqual([]);
});

it('fills in what a saved workflow leaves out, also in a group, and takes numbers', async () => {
	const status = [{ values: ['4'] }];
	const { sent } = await run('chargingSessions', {
		status,
		energyConsumed: [{ value: 3 }, { operator: 'GteLt', from: 1, to: 2.5 }],
		id: [{ value: 7 }],
		other: [{ field: 'StationName|text', value: 'North' }],
		groups: [{ filters: { status } }],
	});
	const condition = (Field: string, Operator: string, Value: string) => ({ Field, Operator, Value });
	expect(sent?.Filters).toEqual([
		condition('Status', 'In', '4'),
		condition('EnergyConsumed', 'Gte', '3'),
		condition('EnergyConsumed', 'GteLt', '1,2.5'),
		condition('Id', 'Eq', '7'),
		// Equals: the Id or name from the node before must not match longer ones.
		condition('StationName', 'Eq', 'North'),
		{ Logic: 'Or', Filters: [condition('Status', 'In', '4')] },
	]);
});

/** As an import or an AI model may write a form: n8n drops what it does not know before a node runs, and it would ask for more. */
describe('a field that an expression chooses', () => {
	const field = (name: string) => ({ field: `={{ '${name}' }}` });

	it.each<[Entry, string, string]>([
		[
			{ ...field('Status|code'), anyOperator: 'Neq', value: '4' },
			'"Status|code"',
			'Is Any Of; Does Not Equal was chosen',
		],
		[
			{ ...field('EnergyConsumed|number'), anyOperator: 'Gte', value: '5' },
			'"EnergyConsumed|number"',
			'Equals; Greater',
		],
		[{ ...field('EnergyConsumed'), numberOperator: 'Lt', value: '5' }, '"EnergyConsumed"', 'Equals; Less Than'],
		[{ ...field('Note|text'), numberOperator: 'Neq', value: 'x' }, '"Note|text"', 'Equals; Does Not Equal'],
	])('%j: the operator of another type is not given up for the usual one', async (entry, given, operators) => {
		const { refusal } = await run('chargingSessions', { other: [entry] });
		expect(refusal).toMatch(/^Filters > Any Other Field 1 > Operator: /);
		expect(refusal).toContain(`${given}, for which the operator is still ${operators}`);
		expect(platform.requests).toEqual([]);
	});

	it.each<[Entry, string]>([
		[{ ...field('EnergyConsumed|number'), value: '5' }, 'Eq'],
		[{ ...field('EnergyConsumed|number'), numberOperator: 'Gte', anyOperator: 'Lt', value: '5' }, 'Gte'],
		[{ ...field('EnergyConsumed'), numberOperator: 'Lt', anyOperator: 'Gte', value: '5' }, 'Gte'],
		// n8n itself leaves out what the panel does not show.
		[{ field: 'EnergyConsumed|number', anyOperator: 'Gte', value: '5' }, 'Eq'],
	])('%j is asked for with %s', async (entry, operator) => {
		const { sent, refusal } = await run('chargingSessions', { other: [entry] });
		expect([sent?.Filters?.[0]?.Operator, refusal]).toEqual([operator, undefined]);
	});
});

describe('a form of another shape is refused', () => {
	it.each<[unknown, string]>([
		[[{ Field: 'Status', Operator: 'Eq', Value: '4' }], 'Filters: an object is needed here, but this is a list.'],
		['Status = 4', 'Filters: an object is needed here, but this is text.'],
		['={{ { Status: [4] } }}', 'Filters: "Status" is not a part of this form, which has status, startedAtUtc,'],
		['={{ {} }}', 'Filters: this expression came out empty.'],
		['={{ { status: [] } }}', 'Filters: this expression came out empty.'],
		['={{ { status: [4] } }}', 'Filters > Status 1: an object is needed here, but this is a number.'],
		['={{ { status: { value: 4 } } }}', 'Filters > Status: a list is needed here, but this is an object.'],
		// It would be left out, and Equals would apply.
		[
			'={{ { other: [{ field: "StationName|text", anyOperator: "Neq", value: "A" }] } }}',
			'Filters > Any Other Field 1: the operator of this field is named "textOperator", but "anyOperator" is given.',
		],
		[
			'={{ { other: [{ field: "StationName", textOperator: "Neq", value: "A" }] } }}',
			'Filters > Any Other Field 1: the operator of this field is named "anyOperator", but "textOperator" is given.',
		],
	])('the filter %j', async (filters, message) => {
		expect((await run('chargingSessions', filters)).refusal).toContain(message);
		expect(platform.requests).toEqual([]);
	});

	it.each<[INodeParameters, string]>([
		[{ operation: 'getAll', sort: { Id: 'Desc' } }, 'Sort: "Id" is not a part of this form, which has by.'],
		[
			{ operation: 'summary', measures: { measures: [{ field: 'EnergyConsumed', function: 'average' }] } },
			'Measures: "measures" is not a part of this form, which has values.',
		],
		[
			{ operation: 'summary', measures: [{ field: 'EnergyConsumed', function: 'average' }] },
			'Measures: an object is needed here, but this is a list.',
		],
		[
			{ operation: 'count', filters: { status: [], Status: [{ operator: 'In', values: ['4'] }] } },
			'Filters: "Status" is not a part of this form, which has status,',
		],
	])('%j', async (parameters, message) => {
		const { error } = await runNode({ type: 'chargingSessions', credential: credentialFor(platform), parameters });
		expect(error?.message).toContain(message);
	});

	it('by every operation that has a filter, and every trigger', async () => {
		const message = /Filters: "Status" is not a part of this form/;
		const filters = { Status: [4] };
		const filtered = (await operations()).filter(({ type, operation }) =>
			panelOf(type).some(
				({ name, displayOptions }) => name === 'filters' && displayOptions?.show?.['/operation']?.includes(operation),
			),
		);
		expect(filtered.length).toBeGreaterThan(10);
		for (const { type, operation } of filtered) {
			const parameters = { ...NEEDED, operation, filters };
			const { error } = await runNode({ type, credential: credentialFor(platform), parameters });
			expect([type, operation, error?.message]).toEqual([type, operation, expect.stringMatching(message)]);
		}
		for (const { name } of nodes.filter(({ polling }) => polling)) {
			const parameters = { list: TARIFFS, filters };
			const rig = new TriggerRig('memory', parameters, credentialFor(platform), {}, name as TriggerName);
			const refusal = await rig.activate().catch((error: NodeError) => `${error.message} ${error.description}`);
			expect([name, refusal]).toEqual([name, expect.stringMatching(message)]);
		}
		expect(platform.requests).toEqual([]);
	});
});
