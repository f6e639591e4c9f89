/** What expressions give: what came out empty, or with a hole in it, is refused before anything is sent. */
import uniqBy from 'lodash/uniqBy.js';
import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	INodeParameters,
	INodeProperties,
	INodePropertyOptions,
	INodeTypeDescription,
} from 'n8n-workflow';
import { NodeHelpers, type NodeError } from 'n8n-workflow';

import { startPlatform, type StandIn } from '../../platform/index.ts';
import { credentialFor, runNode } from '../../support/harness.ts';
import { ALL_SCOPES, descriptions, NEEDED, operations, TARIFFS } from '../../support/nodes.ts';
import { TriggerRig, type TriggerName } from '../../support/trigger/rig.ts';

let platform: StandIn;
let credential: ICredentialDataDecryptedObject;
let nodes: INodeTypeDescription[];
beforeAll(async () => {
	platform = await startPlatform({ sessions: 10, stations: 12 });
	platform.db.exec("UPDATE stations SET Name = 'Depot ' || Id");
	nodes = await descriptions();
});
afterAll(async () => await platform.close());
beforeEach(() => {
	platform.reset();
	credential = { ...credentialFor(platform), apiKey: platform.createKey({ scopes: ALL_SCOPES }).secret };
});

/** What an expression gives that finds nothing: undefined, null, '' and an empty list. */
const NOTHING = [{}, { x: null }, { x: '' }, { x: [] }];
const EMPTY = 'this expression came out empty';

/** What a node says, for each input item. */
async function saidOf(type: string, parameters: INodeParameters, items: IDataObject[]): Promise<string[]> {
	const node = { onError: 'continueRegularOutput' as const };
	const { json } = await runNode({ type, credential, parameters, items, node });
	return json.map((item) => JSON.stringify(item));
}

async function run(type: string, parameters: INodeParameters, item: IDataObject = {}) {
	const { json, error } = await runNode({ type, credential, parameters, items: [item] });
	return { json, said: error && `${error.message} ${error.description}` };
}

/** What a trigger says when the workflow is published. Expressions in it read no items. */
async function refusalOf(type: string, parameters: INodeParameters): Promise<string> {
	const rig = new TriggerRig('memory', parameters, credential, {}, type as TriggerName);
	return await rig.activate('activate', 1).then(
		() => '',
		(error: NodeError) => `${error.message} ${error.description}`,
	);
}

const filter = (filters: INodeParameters): INodeParameters => ({ operation: 'count', filters });

/** Parameters with which as many others as possible are shown. */
const SHOWING: INodeParameters = {
	...NEEDED,
	groupBy: ['field', 'day'],
	groupByField: 'StationName',
	groupByDateField: 'EndedAtUtc',
	output: 'selected',
	outputFields: ['Id'],
	period: 'lastDays',
};
const TRIGGER: INodeParameters = { list: TARIFFS, statusField: 'Status', output: 'digest' };

const panelOf = (type: string) => nodes.find(({ name }) => name === type)?.properties ?? [];

/** Each choice of Trigger On, as parameters. */
function eventsOf(type: string): INodeParameters[] {
	const { name = '', options = [] } = panelOf(type).find((each) => ['event', 'events'].includes(each.name)) ?? {};
	const values = (options as INodePropertyOptions[]).map(({ value }) => value);
	return values.map((value) => ({ [name]: name === 'events' ? [value] : value }) as INodeParameters);
}

/** What is left of parameters that the panel does not show. */
const shown = (type: string, parameters: INodeParameters) =>
	NodeHelpers.getNodeParameters(panelOf(type), parameters, true, false, { typeVersion: 1 }, null) ?? {};

/** The options that can be added, each with parameters that hold it as an expression. */
function optionsWith(type: string, parameters: INodeParameters, value: string) {
	return panelOf(type)
		.filter(({ name }) => name === 'options')
		.flatMap(({ options = [] }) => options as INodeProperties[])
		.map(({ name, displayName }) => ({ name, displayName, parameters: { ...parameters, options: { [name]: value } } }))
		.filter(({ name, parameters: all }) => name in (shown(type, all).options as object));
}

/** The parameters that take an expression, each with parameters that hold it so. */
function parametersWith(type: string, parameters: INodeParameters, value: string) {
	const takes = ['string', 'number', 'boolean', 'options', 'multiOptions', 'resourceLocator'];
	return panelOf(type)
		.filter((each) => takes.includes(each.type) && each.noDataExpression !== true)
		.map(({ name, displayName, type: kind, default: usual }) => {
			const locator = { ...(usual as object), ...(parameters[name] as object), __rl: true, value };
			return { name, displayName, parameters: { ...parameters, [name]: kind === 'resourceLocator' ? locator : value } };
		})
		.filter(({ name, parameters: all }) => name in shown(type, all));
}

/** In them an empty text means none, as it does where nothing is filled in. */
const NONE_IF_EMPTY = ['fileName', 'groupByField2', 'groupByDateField', 'chargePointField', 'digestField'];
/** What is refused in a parameter. No Ids, however they are given, are nothing to export. */
const refusedIn = (name: string) => {
	if (name === 'sessionIds') return NOTHING.slice(0, 2);
	return NONE_IF_EMPTY.includes(name) ? NOTHING.filter(({ x }) => x !== '') : NOTHING;
};

describe('an expression that gives undefined, null, an empty text or list is refused', () => {
	it('in every option of every operation: it never becomes the default', async () => {
		let count = 0;
		for (const { type, operation } of await operations()) {
			for (const { displayName, parameters } of optionsWith(type, { ...SHOWING, operation }, '={{ $json.x }}')) {
				for (const items of operation === 'availability' ? NOTHING.map((item) => [item]) : [NOTHING]) {
					const said = await saidOf(type, parameters, items);
					const expected = items.map(() => expect.stringContaining(`Options > ${displayName}: ${EMPTY}`) as string);
					expect([type, operation, displayName, said]).toEqual([type, operation, displayName, expected]);
				}
				count++;
			}
		}
		expect(count).toBeGreaterThan(60);
		expect(platform.requests).toEqual([]);
	});

	it('in every parameter of every operation, but that an empty text means none where one may be left empty', async () => {
		const tried = new Set<string>();
		for (const { type, operation } of await operations()) {
			for (const { name, displayName, parameters } of parametersWith(
				type,
				{ ...SHOWING, operation },
				'={{ $json.x }}',
			)) {
				const nothing = refusedIn(name);
				for (const items of operation === 'availability' ? nothing.map((item) => [item]) : [nothing]) {
					const said = await saidOf(type, parameters, items);
					const expected = items.map(() => expect.stringContaining(`${displayName}: ${EMPTY}`) as string);
					expect([type, operation, name, said]).toEqual([type, operation, name, expected]);
				}
				tried.add(name);
			}
		}
		expect(platform.requests).toEqual([]);
		expect([...tried]).toEqual(
			expect.arrayContaining([
				'returnAll',
				'limit',
				'output',
				'outputFields',
				'sessionId',
				'stationId',
				'list',
				'groupBy',
				'compareWith',
				'groupByField',
				'groupByField2',
				'fileName',
				'binaryPropertyName',
				'sessionIds',
				'chargePointField',
				'days',
			]),
		);
	});

	it('in every option and parameter of every trigger, with each of its events', async () => {
		const tried = new Set<string>();
		for (const { name: type } of nodes.filter(({ polling }) => polling)) {
			for (const expression of ['={{ undefined }}', '={{ null }}', '={{ "" }}', '={{ [] }}']) {
				const all = eventsOf(type).flatMap((event) => [
					...optionsWith(type, { ...TRIGGER, ...event }, expression),
					...parametersWith(type, { ...TRIGGER, ...event }, expression),
				]);
				for (const { name, displayName, parameters } of uniqBy(all, 'name')) {
					if (expression === '={{ "" }}' && NONE_IF_EMPTY.includes(name)) continue;
					const said = await refusalOf(type, parameters);
					expect([type, name, said]).toEqual([type, name, expect.stringContaining(`${displayName}: ${EMPTY}`)]);
					tried.add(`${type} ${name}`);
				}
			}
		}
		expect(platform.requests).toEqual([]);
		expect(tried.size).toBeGreaterThan(50);
	});

	it('also as the text of a list without entries, or with an empty one, wherever a list is read', async () => {
		const lists: Array<[string, INodeParameters]> = [
			['chargingSessions', { operation: 'summary', groupBy: '={{ $json.x }}' }],
			['chargingSessions', { operation: 'summary', options: { finishedCodes: '={{ $json.x }}' } }],
			['chargingSessions', { operation: 'getAll', output: 'selected', outputFields: '={{ $json.x }}' }],
			['chargingStations', { operation: 'availability', options: { countsAsDown: '={{ $json.x }}' } }],
		];
		for (const [type, parameters] of lists) {
			expect((await run(type, parameters, { x: '[]' })).said).toContain(EMPTY);
			for (const x of [',', '["4",""]', '4,,6'])
				expect((await run(type, parameters, { x })).said).toContain('is empty');
		}
		const watching = (more: INodeParameters) => ({ event: 'statusChange', ...more });
		for (const made of ['={{ "[]" }}', '={{ "," }}', '={{ "2,,3" }}']) {
			for (const more of [{ toValues: made }, { fromValues: made }, { options: { outOfServiceValues: made } }]) {
				expect(await refusalOf('chargingStationStatusTrigger', watching(more))).toMatch(/ empty/);
			}
		}
		expect(platform.requests).toEqual([]);
	});

	it('also as the text of a list without entries where one value is read: no filter gets wider', async () => {
		const other = (more: INodeParameters) => filter({ other: [{ field: 'StationName|text', ...more }] });
		const json = { Field: 'StationName', Operator: 'Neq', Value: '[]' };
		const single: Array<[string, INodeParameters]> = [
			['chargingSessions', other({ textOperator: 'Neq', value: '={{ $json.x }}' })],
			['chargingSessions', other({ textOperator: 'Contains', value: '={{ $json.x }}' })],
			['chargingSessions', filter({ json: [{ json: `={{ ${JSON.stringify(json)} }}` }] })],
			['chargingStations', filter({ name: [{ operator: 'Contains', value: '={{ $json.x }}' }] })],
			['chargingSessions', { operation: 'getAll', sort: { by: [{ field: '={{ $json.x }}' }] } }],
			['chargingStations', { operation: 'get', stationId: { __rl: true, mode: 'id', value: '={{ $json.x }}' } }],
			['chargingSessionsCsvExport', { operation: 'exportByFilter', fileName: '={{ $json.x }}' }],
		];
		for (const [type, parameters] of single) {
			for (const x of ['[]', ' [ ] ']) expect((await run(type, parameters, { x })).said).toContain(EMPTY);
		}
		expect(platform.requests).toEqual([]);
		expect((await run('chargingSessions', other({ textOperator: 'Neq', value: '[]' }))).json).toEqual([{ count: 10 }]);
	});

	it('no Ids as text of a list are nothing to export', async () => {
		const byIds = { operation: 'exportByIds', sessionIds: '={{ $json.x }}' };
		for (const x of ['', '[]', ' [ ] '])
			expect(await run('chargingSessionsCsvExport', byIds, { x })).toMatchObject({ json: [] });
		expect(platform.requests).toEqual([]);
	});

	it('also as one entry of a list', async () => {
		const parameters = { operation: 'availability', options: { countsAsDown: '={{ ["offline", $json.x] }}' } };
		for (const item of NOTHING) {
			expect((await run('chargingStations', parameters, item)).said).toContain('Counts as Down: value 2 of 2 is empty');
		}
	});
});

it('what is stored as fixed and empty stays as it is', async () => {
	const summary = { operation: 'summary', list: TARIFFS, groupBy: [] };
	expect((await run('chargingNetworkList', summary)).json).toMatchObject([
		{ count: expect.any(Number) as number, period: null },
	]);
	const cause = { event: 'filterMatch', filters: name('Contains', 'x'), options: { cause: '' } };
	expect(await refusalOf('chargingStationStatusTrigger', cause)).toBe('');
});

it('an empty text means none where a second field may be left empty', async () => {
	const summary = {
		operation: 'summary',
		groupBy: ['field'],
		result: 'itemPerGroup',
		groupByField: 'StationName',
		groupByField2: '={{ $json.x }}',
	};
	const { json } = await run('chargingSessions', summary, { x: '' });
	expect(Object.keys(json[0] ?? {})).not.toContain('Status');
	expect(Object.keys((await run('chargingSessions', summary, { x: 'Status' })).json[0] ?? {})).toContain('Status');
});

describe('what an AI model leaves out', () => {
	const parameters = (more: string) => ({
		operation: 'getAll',
		options: { addLocalTimes: `={{ $fromAI('local', 'whether to add local times', 'boolean'${more}) }}` },
	});

	it('is refused like any other expression that is empty', async () => {
		expect((await run('chargingSessions', parameters(''))).said).toContain(`Options > Add Local Times: ${EMPTY}`);
	});

	it('is its default if the expression has one', async () => {
		expect((await run('chargingSessions', parameters(', true'))).json[0]).toHaveProperty('StartedAtLocal');
		expect((await run('chargingSessions', parameters(', false'))).json[0]).not.toHaveProperty('StartedAtLocal');
	});
});

const name = (operator: string, value: string): INodeParameters => ({ name: [{ operator, value, values: value }] });
const other = (field: string, entry: IDataObject) => ({ other: [{ field, ...entry }] }) as INodeParameters;
const asJson = (json: string): INodeParameters => ({ json: [{ json }] });
const WORD = /holds the word (undefined|null|NaN), .* type it as Fixed/;
const HOLE = /\{\{ \$json\.no \}\} in this text came out empty/;

describe('a text with a hole, which an expression made, is refused', () => {
	it.each<[string, INodeParameters, RegExp]>([
		['Contains', name('Contains', '={{ "Depot " + $json.no }}'), WORD],
		['Contains', name('Contains', '=Depot {{ $json.no }}'), HOLE],
		['Starts With', name('StartsWith', '={{ `${$json.no}-Depot` }}'), WORD],
		['Is Any Of, one text', name('In', '={{ "Depot 1, Depot " + $json.no }}'), WORD],
		['Is Any Of, a list', name('In', '={{ ["Depot 1", "Depot " + $json.none] }}'), WORD],
		['Any Other Field', other('Name|text', { textOperator: 'Eq', value: '={{ "Depot " + null }}' }), WORD],
		['a name alone', other('Name', { anyOperator: 'Contains', value: '={{ "" + NaN }}' }), WORD],
		['a range', other('Name|any', { anyOperator: 'GteLt', from: 'A', to: '={{ "Depot " + $json.no }}' }), WORD],
		['the name of a field', other('=Name{{ $json.no }}|text', { textOperator: 'Eq', value: 'Depot 1' }), HOLE],
		['a group', { groups: [{ logic: 'Or', filters: name('Eq', '=Depot {{ $json.no }}') }] }, HOLE],
		['JSON as text', asJson('={"Field":"Name","Operator":"Contains","Value":"Depot {{ $json.no }}"}'), HOLE],
		[
			'JSON as text, with a word',
			asJson('={{ JSON.stringify({ Field: "Name", Operator: "Contains", Value: "Depot " + $json.no }) }}'),
			WORD,
		],
		['JSON as an object', asJson('={{ { Field: "Name", Operator: "In", Value: ["x", "Depot " + $json.no] } }}'), WORD],
	])('in %s: %j', async (_, filters, message) => {
		const { said } = await run('chargingStations', { operation: 'count', filters }, { none: null });
		expect(said).toMatch(/^Filters > /);
		expect(said).toMatch(message);
		expect(platform.requests).toEqual([]);
	});

	const availability = { operation: 'availability' };
	const byIds = { operation: 'exportByIds', sessionIds: '1' };
	it.each<[string, string, INodeParameters, RegExp]>([
		['File Name', 'chargingSessionsCsvExport', { ...byIds, fileName: '=sessions-{{ $json.no }}.csv' }, HOLE],
		['File Name', 'chargingSessionsCsvExport', { ...byIds, fileName: '={{ `s-${$json.no}.csv` }}' }, WORD],
		[
			'Options > Session ID Column',
			'chargingSessionsCsvExport',
			{ ...byIds, options: { sessionIdColumn: '={{ "Id " + $json.no }}' } },
			WORD,
		],
		[
			'Station',
			'chargingStations',
			{ operation: 'get', stationId: { __rl: true, mode: 'id', value: '={{ "a-" + $json.no }}' } },
			WORD,
		],
		[
			'Options > Counts as Down',
			'chargingStations',
			{ ...availability, options: { countsAsDown: '=offline, {{ $json.no }}' } },
			HOLE,
		],
		[
			'List',
			'chargingNetworkList',
			{ operation: 'count', list: { ...TARIFFS, value: '=/api/tariffs{{ $json.no }}/v1' } },
			HOLE,
		],
		[
			'Field Names or IDs',
			'chargingSessions',
			{ operation: 'getAll', output: 'selected', outputFields: '={{ ["Id", "x." + $json.no] }}' },
			WORD,
		],
		[
			'Sort > Field 1',
			'chargingSessions',
			{ operation: 'getAll', sort: { by: [{ field: '=Id{{ $json.no }}', direction: 'Asc' }] } },
			HOLE,
		],
		[
			'Measures: measure 1: Field Name or ID',
			'chargingSessions',
			{ operation: 'summary', measures: { values: [{ field: '={{ "Price" + "." + $json.no }}', function: 'sum' }] } },
			WORD,
		],
	])('in %s of %s: %j', async (place, type, parameters, message) => {
		const { said } = await run(type, parameters);
		expect(said).toMatch(message);
		expect(said?.startsWith(`${place}: `)).toBe(true);
		expect(platform.requests).toEqual([]);
	});

	it.each([
		['={{ "Depot " + undefined }}', WORD],
		['=Depot {{ undefined }}', /\{\{ undefined \}\} in this text came out empty/],
	])('in the filter of a trigger: %s', async (value, message) => {
		expect(await refusalOf('chargingStationStatusTrigger', { filters: name('Eq', value) })).toMatch(message);
		expect(platform.requests).toEqual([]);
	});
});

describe('a text is sent as it is', () => {
	it.each<[string, INodeParameters, string]>([
		['typed as Fixed', name('Eq', 'undefined'), 'undefined'],
		['with a longer word', name('Eq', '={{ "nullable undefined_1 NaN2 änull" }}'), 'nullable undefined_1 NaN2 änull'],
		['with the word in another case', name('Eq', '={{ "Null Street, Undefined" }}'), 'Null Street, Undefined'],
		['with a part that gives an empty text', name('Eq', '=Depot {{ $json.no ?? "" }}7'), 'Depot 7'],
		['with parts that all give something', name('Eq', '=Depot {{ 0 }}-{{ false }}'), 'Depot 0-false'],
		['typed as JSON', asJson('{"Field":"Name","Operator":"Eq","Value":"null"}'), 'null'],
		['made as JSON', asJson('={"Filter":{"Field":"Name","Operator":"Eq","Value":"a"},"Sort":null}'), 'a'],
	])('%s', async (_, filters, value) => {
		expect((await run('chargingStations', { operation: 'count', filters })).said).toBeUndefined();
		expect(JSON.stringify(platform.requests.at(-1)?.dsquery)).toContain(`"Value":${JSON.stringify(value)}`);
	});

	it('and a part that the operator does not use is not looked at', async () => {
		const entry = { numberOperator: 'Eq', anyOperator: 'Eq', value: '4', from: '={{ "x " + $json.no }}', to: '' };
		const filters = other('={{ "Status" }}', entry as IDataObject);
		expect((await run('chargingStations', { operation: 'count', filters })).said).toBeUndefined();
	});
});
