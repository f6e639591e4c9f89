/**
 * What n8n draws of each node, by its own rules: those of its documentation, and of its tree where the published lint does
 * not have them yet (packages/@n8n/eslint-plugin-community-nodes/docs/rules). docs/releasing.md says where others are.
 */
import uniq from 'lodash/uniq';
import type { INodeParameters, INodeProperties, INodeTypeDescription } from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';

import { loadPackage, prepare } from '../../support/harness.ts';
import { descriptions, entriesOf, parametersOf } from '../../support/nodes.ts';
import { lintPanel } from '../../support/panelLint.ts';

interface Panel {
	name: string;
	properties: INodeProperties[];
}

let nodes: INodeTypeDescription[];
/** Those of the nodes and of the credentials, without the poll times, which n8n adds itself. */
let panels: Panel[];

beforeAll(async () => {
	nodes = await descriptions();
	const { credentialTypes } = await loadPackage();
	const credentials = Object.values(credentialTypes).map(({ type }) => type);
	panels = [...nodes, ...credentials].map(({ name, properties }) => ({
		name,
		properties: properties.filter((property) => property.name !== 'pollTimes'),
	}));
});

const optionsOf = ({ properties }: Panel) =>
	properties.filter(({ name }) => name === 'options').flatMap(({ options }) => options as INodeProperties[]);

/** What of a panel breaks each of these, at every depth. */
it.each<[string, (panel: Panel) => unknown[]]>([
	[
		'no hint is longer than the 120 characters that n8n allows',
		({ properties }) => parametersOf(properties).filter(({ hint = '' }) => hint.length > 120),
	],
	[
		'each text field has an example',
		({ properties }) =>
			parametersOf(properties).filter(
				({ type, typeOptions, placeholder = '' }) =>
					type === 'string' && typeOptions?.password !== true && !placeholder.startsWith('e.g. '),
			),
	],
	[
		'the name of an option fits into a narrow panel',
		(panel) => optionsOf(panel).filter(({ displayName }) => displayName.length > 30),
	],
	[
		'a switch among the options is on once it is added',
		(panel) => optionsOf(panel).filter(({ type, default: value }) => type === 'boolean' && value !== true),
	],
	['no JSON is asked for at the top level', ({ properties }) => properties.filter(({ type }) => type === 'json')],
	[
		'no part is shown by a regular expression: n8n gives each 250 ms, and a busy n8n then refuses the workflow',
		({ properties }) => JSON.stringify(properties).match(/"regex"/g) ?? [],
	],
	[
		'no form inside a collection shows a part by another one: from n8n 2.33 on, such a form may break (n8n issue 35826)',
		({ properties }) =>
			parametersOf(properties)
				.filter(({ type }) => type === 'collection')
				.flatMap(({ options = [] }) => parametersOf(options))
				.filter(({ type, options }) => type === 'fixedCollection' && /displayOptions/.test(JSON.stringify(options))),
	],
	[
		'what decides whether a parameter is shown is a parameter beside it, or is named from the root',
		({ properties }) => unknownConditions(properties, properties),
	],
])('%s', (_, wrongIn) => {
	const wrong = panels.map((panel) => [panel.name, wrongIn(panel)]);
	expect(wrong).toEqual(panels.map(({ name }) => [name, []]));
});

/** Conditions on a parameter that is not there. n8n 1 looks for one of the whole path, unless it begins at the root. */
function unknownConditions(beside: readonly INodeProperties[], root: readonly INodeProperties[]): string[] {
	return beside.flatMap(({ name, displayOptions: { show = {}, hide = {} } = {}, options = [] }) => {
		const isKnown = (path: string) => {
			if (path.startsWith('@')) return true;
			const [first] = path.replace('/', '').split('.');
			return path.startsWith('/')
				? root.some((other) => other.name === first)
				: beside.some((other) => other.name === path);
		};
		const unknown = Object.keys({ ...show, ...hide }).filter((path) => !isKnown(path));
		const added = options.filter((option): option is INodeProperties => 'type' in option);
		return [
			...unknown.map((path) => `${name}: ${path}`),
			...options.flatMap((option) => ('values' in option ? unknownConditions(option.values, root) : [])),
			...unknownConditions(added, root),
		];
	});
}

it('operations are at most five, in alphabetical order', () => {
	for (const node of nodes) {
		const names = entriesOf(node, 'operation').map(({ name }) => name);
		expect(names).toEqual([...names].sort());
		expect(names.length).toBeLessThanOrEqual(5);
	}
});

it('every dropdown that loads its entries has a method that loads them', async () => {
	const { nodeTypes } = await loadPackage();
	for (const { type } of Object.values(nodeTypes)) {
		const { description, methods } = NodeHelpers.getVersionedNodeType(type);
		const named = [...JSON.stringify(description).matchAll(/"(?:loadOptions|searchList)Method":"(\w+)"/g)];
		const known = Object.keys({ ...methods?.loadOptions, ...methods?.listSearch });
		expect(known).toEqual(expect.arrayContaining(named.map(([, name]) => name)));
	}
});

/** What n8n's lint of parameters may find: the rule, and at which parameters or choices. */
const EXCEPTIONS: Record<string, string[]> = {
	// A condition is filled in from left to right: field, operator, value.
	'node-param-fixed-collection-type-unsorted-items': ['startedAtUtc', 'energyConsumed', 'id', 'other'],
	// In the order people look for them: Equals first, and Today before Last Month.
	'node-param-options-type-unsorted-items': [
		'operator',
		'textOperator',
		'numberOperator',
		'dateOperator',
		'anyOperator',
		'period',
	],
	// n8n's UX guidelines want the resource in the name where none is shown.
	'node-param-option-name-wrong-for-get-many': [
		'Get Many Locations',
		'Get Many Rows',
		'Get Many Sessions',
		'Get Many Stations',
	],
	// What stands in brackets is an example, not a title.
	'node-param-display-name-miscased': ['other'],
	// Id is the name of a field in a filter written as JSON.
	'node-param-description-miscased-id': ['json'],
};

it("n8n's lint finds nothing but the exceptions, and each of them", () => {
	const found = panels.slice(0, nodes.length).flatMap(({ properties }) => lintPanel(properties));
	const excepted = Object.entries(EXCEPTIONS).flatMap(([rule, all]) => all.map((at) => `${at}: ${rule}`));
	expect(uniq(found.map(({ rule, at }) => `${at}: ${rule}`)).sort()).toEqual(excepted.sort());
});

it("n8n's search finds every node for “EV charging” or “EV charger”", () => {
	for (const words of ['ev charging', 'ev charger']) {
		const found = nodes.filter(({ codex }) => codex?.alias?.some((text) => text.toLowerCase().includes(words)));
		expect(found.map(({ name }) => name)).toEqual(nodes.map(({ name }) => name));
	}
});

it('n8n shows no trigger and action node as one, as it does where they have the same name', () => {
	const names = nodes.map(({ name }) => name);
	const twins = names.filter((name) => name.endsWith('Trigger') && names.includes(name.replace(/Trigger$/, '')));
	expect(twins).toEqual([]);
});

/** What the canvas shows under a node: what matters, not what the node's name says already. */
it.each<[string, INodeParameters, string]>([
	['chargingStationStatusTrigger', { minutesInState: 10 }, 'offline after 10 min, back'],
	['chargingStationStatusTrigger', { availabilityChanges: ['offline'] }, 'offline'],
	['chargingStationStatusTrigger', { event: 'unstable' }, 'unstable'],
	['chargingStationStatusTrigger', { event: 'statusChange', dimensions: ['NetworkStatus'] }, 'network status'],
	['chargePointTrigger', { event: 'inStatus', minutesInState: 240 }, 'in status after 240 min'],
	['chargingSessionTrigger', { events: ['runningLong', 'stalled'] }, 'running over 24 h, stalled for 30 min'],
	['chargingNetworkList', { operation: 'count', list: atPath('/api/tariffs/v1') }, 'count rows: tariffs'],
	['chargingNetworkList', { operation: 'checkPlatform' }, 'check platform'],
	['chargingNetworkRowsTrigger', { event: 'goneRow', list: atPath('/api/users/v1') }, 'gone from users'],
])('the subtitle of %s %j is "%s"', async (type, parameters, words) => {
	const { workflow, node, nodeType } = await prepare({ type, parameters, credential: {} });
	const { subtitle = '' } = nodeType.description;
	expect(workflow.expression.getSimpleParameterValue(node, subtitle, 'internal', {})).toBe(words);
});

function atPath(value: string): INodeParameters {
	return { __rl: true, mode: 'path', value };
}

it('each trigger says in its panel and once it is published that the first poll only notes how things are', () => {
	const triggers = nodes.filter(({ polling }) => polling);
	expect(triggers).toHaveLength(4);
	for (const { activationMessage, triggerPanel, properties } of triggers) {
		const { executionsHelp, activationHint } = triggerPanel as Record<string, { active: string; inactive: string }>;
		const texts = [activationMessage, executionsHelp?.inactive, activationHint?.inactive];
		for (const text of texts) expect(text).toContain('first poll only notes how things are');
		for (const text of [executionsHelp?.active, activationHint?.active]) expect(text).toContain('Executions');
		// The option is named where there is one.
		const options = optionsOf({ name: '', properties }).map(({ displayName }) => displayName);
		expect(activationMessage?.includes('Report Initial State')).toBe(options.includes('Report Initial State'));
	}
});
