import type { INodeParameters, INodeProperties, INodePropertyOptions, INodeTypeDescription } from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';

import { loadPackage } from '../../support/harness.ts';

let nodeTypes: Awaited<ReturnType<typeof loadPackage>>['nodeTypes'];
let credentialTypes: Awaited<ReturnType<typeof loadPackage>>['credentialTypes'];
let descriptions: Record<string, INodeTypeDescription>;

beforeAll(async () => {
	({ nodeTypes, credentialTypes } = await loadPackage());
	descriptions = Object.fromEntries(
		Object.entries(nodeTypes).map(([name, { type }]) => [name, NodeHelpers.getVersionedNodeType(type).description]),
	);
});

/** The labels that a panel shows, in order. */
function labels(node: string, parameters: INodeParameters): string[] {
	const description = descriptions[node] as INodeTypeDescription;
	const { properties } = description;
	const all = NodeHelpers.getNodeParameters(properties, parameters, true, false, null, description) ?? {};
	const shown = properties.filter(
		(property) => property.type !== 'hidden' && NodeHelpers.displayParameter(all, property, null, description),
	);
	return shown.map(({ displayName }) => displayName);
}

it('every dropdown that loads its entries has a method that loads them', () => {
	const named = (description: INodeTypeDescription, option: string) =>
		[...JSON.stringify(description).matchAll(new RegExp(`"${option}":"(\\w+)"`, 'g'))].map(([, name]) => name);
	const missing = Object.entries(nodeTypes).flatMap(([node, { type }]) => {
		const { description, methods } = NodeHelpers.getVersionedNodeType(type);
		return [
			...named(description, 'loadOptionsMethod').filter((name) => !methods?.loadOptions?.[String(name)]),
			...named(description, 'searchListMethod').filter((name) => !methods?.listSearch?.[String(name)]),
		].map((name) => `${node}: ${name}`);
	});
	expect(missing).toEqual([]);
});

it('no panel shows a part by a regular expression: n8n gives each 250 ms, and a busy n8n then refuses the workflow', () => {
	expect(JSON.stringify(descriptions)).not.toContain('"regex"');
});

it.each<[string, string]>([
	['charging station offline', 'chargingStationStatusTrigger'],
	['top stations', 'chargingSessions'],
	['uptime', 'chargingStations'],
	['csv export', 'chargingSessionsCsvExport'],
	['tariffs', 'chargingNetworkList'],
	['check platform', 'chargingNetworkList'],
	['uptime report', 'chargingStations'],
	['charge point uptime', 'chargingStations'],
	['charge points', 'chargingStations'],
	['charge points', 'chargePointTrigger'],
	['new row', 'chargingNetworkRowsTrigger'],
	['row changed', 'chargingNetworkRowsTrigger'],
])('who searches for "%s" finds %s', (words, node) => {
	expect(searchWords(node).some((text) => text.includes(words))).toBe(true);
});

it.each(['ev charging', 'ev charger'])('who searches for "%s" finds every node', (words) => {
	const found = Object.keys(descriptions).filter((node) => searchWords(node).includes(words));
	expect(found).toEqual(Object.keys(descriptions));
});

it('no trigger has the name of an action node: n8n would show both as the trigger, with the actions folded', () => {
	const names = Object.keys(descriptions);
	expect(names.filter((name) => names.includes(name.replace(/Trigger$/, '')) && name.endsWith('Trigger'))).toEqual([]);
});

/** What n8n's search compares with: the node's name and the aliases of its codex file, in small letters. */
function searchWords(node: string): string[] {
	const { displayName, codex } = descriptions[node] as INodeTypeDescription;
	return [displayName, ...(codex?.alias ?? [])].map((text) => text.toLowerCase());
}

/** Everything with a name in a panel, at every depth: parameters, options, groups of them. */
function everyPart(part: unknown, parts: INodeProperties[] = []): INodeProperties[] {
	if (typeof part !== 'object' || part === null) return parts;
	if ('displayName' in part) parts.push(part as INodeProperties);
	for (const inner of Object.values(part)) everyPart(inner, parts);
	return parts;
}

it('what decides whether a parameter is shown is a parameter beside it, with a value that it can have', () => {
	const wrong = (properties: readonly INodeProperties[], root: readonly INodeProperties[]): string[] =>
		properties.flatMap(({ name, displayOptions: { show = {}, hide = {} } = {}, options = [] }) => {
			const canBe = ([path, wanted = []]: [string, unknown[]?]) => {
				const beside = path.startsWith('/') ? root : properties;
				const others = beside.filter((other) => other.name === path.replace('/', '').split('.')[0]);
				const choices = others.flatMap((other) => (/options/i.test(other.type) ? (other.options ?? []) : []));
				const values: unknown[] = choices.map((choice) => ('value' in choice ? choice.value : undefined));
				const isKnown = choices.length === 0 || wanted.length === 0 || wanted.some((value) => values.includes(value));
				// n8n 1 looks for a parameter of this whole name, and fails, unless it begins at the root.
				const isReadable = path.startsWith('/') || !path.includes('.');
				return path.startsWith('@') || (others.length > 0 && isKnown && isReadable);
			};
			const conditions = [...Object.entries(show), ...Object.keys(hide).map((path): [string] => [path])];
			const inside = options.flatMap((option) => ('values' in option ? wrong(option.values, root) : []));
			const added = options.filter((option): option is INodeProperties => 'type' in option);
			return [
				...conditions.filter((each) => !canBe(each)).map(([path]) => `${name}: ${path}`),
				...inside,
				...wrong(added, root),
			];
		});
	const all = Object.entries(descriptions).flatMap(([node, { properties }]) =>
		wrong(properties, properties).map((each) => `${node}: ${each}`),
	);
	expect(all).toEqual([]);
});

it('no form inside a collection shows a part by another one: from n8n 2.33 on, such a form may break (n8n issue 35826)', () => {
	const inCollection = (part: INodeProperties): INodeProperties[] =>
		((part.type === 'collection' ? part.options : []) ?? []).flatMap((option) => everyPart(option));
	const forms = Object.entries(descriptions).flatMap(([node, { properties }]) =>
		everyPart(properties)
			.flatMap(inCollection)
			.filter(({ type }) => type === 'fixedCollection')
			.filter((form) => JSON.stringify(form.options).includes('displayOptions'))
			.map(({ name }) => `${node}: ${name}`),
	);
	expect(forms).toEqual([]);
});

it('no hint is longer than the 120 characters that n8n allows', () => {
	const long = Object.entries(descriptions).flatMap(([node, { properties }]) =>
		everyPart(properties)
			.filter(({ hint = '' }) => hint.length > 120)
			.map(({ name }) => `${node}: ${name}`),
	);
	expect(long).toEqual([]);
});

it('no label of an option is so long that a narrow panel cuts it off', () => {
	const long = Object.entries(descriptions).flatMap(([node, { properties }]) =>
		properties
			.filter(({ name }) => name === 'options')
			.flatMap(({ options = [] }) => options as INodeProperties[])
			.filter(({ displayName }) => displayName.length > 30)
			.map(({ displayName }) => `${node}: ${displayName}`),
	);
	expect(long).toEqual([]);
});

/** The entries of a dropdown, or none if the node does not have it. */
const entriesOf = ({ properties }: INodeTypeDescription, dropdown: string) =>
	(properties.find(({ name }) => name === dropdown)?.options ?? []) as INodePropertyOptions[];

it('operations are in alphabetical order', () => {
	for (const description of Object.values(descriptions)) {
		const names = entriesOf(description, 'operation').map(({ name }) => name);
		expect(names).toEqual([...names].sort());
	}
});

it('the name of an operation says what it is about, because no resource is shown', () => {
	const otherwise = ['Check Platform', 'Get Charge Points'];
	const silent = Object.values(descriptions).flatMap((description) => {
		const about = entriesOf(description, 'resource')[0]?.name ?? '';
		return entriesOf(description, 'operation').filter(({ name }) => !name.includes(about) && !otherwise.includes(name));
	});
	expect(silent).toEqual([]);
});

it('actions leave out articles', () => {
	const actions = Object.values(descriptions).flatMap((description) =>
		['operation', 'event'].flatMap((dropdown) => entriesOf(description, dropdown).map(({ action = '' }) => action)),
	);
	expect(actions.filter((action) => /\b(an?|the)\b/i.test(action))).toEqual([]);
});

it('every text field has an example', () => {
	const credentials = Object.entries(credentialTypes).map(([name, { type }]) => [name, type] as const);
	const without = [...Object.entries(descriptions), ...credentials].flatMap(([from, { properties }]) =>
		everyPart(properties.filter(({ name }) => name !== 'pollTimes'))
			.filter(({ type, typeOptions }) => type === 'string' && !typeOptions?.password)
			.filter(({ placeholder = '' }) => !placeholder.startsWith('e.g. '))
			.map(({ name }) => `${from}: ${name}`),
	);
	expect(without).toEqual([]);
});

describe('options', () => {
	it('a switch is on once it is added', () => {
		const off = Object.entries(descriptions).flatMap(([node, { properties }]) =>
			properties
				.filter(({ name }) => name === 'options')
				.flatMap(({ options = [] }) => options as INodeProperties[])
				.filter(({ type, default: value }) => type === 'boolean' && value !== true)
				.map(({ name }) => `${node}: ${name}`),
		);
		expect(off).toEqual([]);
	});
});

describe('the order of a panel', () => {
	it.each([
		['chargingSessions', 'Session ID'],
		['chargingStations', 'Station'],
	])('%s > Get asks for what to get before it asks for the output', (node, first) => {
		expect(labels(node, { operation: 'get' })).toEqual(['Authentication', 'Operation', first, 'Output', 'Options']);
	});

	it('Sort stands below Options', () => {
		for (const description of Object.values(descriptions)) {
			for (const { value } of entriesOf(description, 'operation')) {
				const shown = labels(description.name, { operation: value });
				if (shown.includes('Sort')) expect(shown.slice(-2)).toEqual(['Options', 'Sort']);
			}
		}
	});

	it('Get Many and Summarize keep their order', () => {
		expect(labels('chargingSessions', { operation: 'getAll' })).toEqual([
			...['Authentication', 'Operation', 'Return All', 'Limit', 'Filters', 'Output', 'Options', 'Sort'],
		]);
		expect(labels('chargingSessions', { operation: 'summary' })).toEqual([
			...['Authentication', 'Operation', 'Filters', 'Measures', 'Group By', 'Result', 'Compare With', 'Options'],
		]);
	});
});
