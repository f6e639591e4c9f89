/**
 * What n8n draws of each node, by its own rules: those of its documentation, and of its tree where the published lint does
 * not have them yet (packages/@n8n/eslint-plugin-community-nodes/docs/rules). docs/compatibility.md says where others are.
 */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

import fastGlob from 'fast-glob';
import uniq from 'lodash/uniq';
import type { INodeParameters, INodeProperties, INodePropertyOptions, INodeTypeDescription } from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';

import { loadPackage, prepare } from '../../support/harness.ts';
import { descriptions, entriesOf, parametersOf } from '../../support/nodes.ts';
import { lintPanel, type Finding } from '../../support/panelLint.ts';

let nodes: INodeTypeDescription[];
let credentials: Array<{ className: string; name: string; properties: INodeProperties[] }>;

beforeAll(async () => {
	nodes = await descriptions();
	const { credentialTypes } = await loadPackage();
	credentials = Object.values(credentialTypes).map(({ type }) => ({ ...type, className: type.constructor.name }));
});

const optionsOf = ({ properties }: INodeTypeDescription) =>
	properties.filter(({ name }) => name === 'options').flatMap(({ options }) => options as INodeProperties[]);

describe('in every panel and credential', () => {
	const CATEGORIES = [
		...['Analytics', 'Communication', 'Data & Storage', 'Development', 'Finance & Accounting', 'Marketing & Content'],
		...['Miscellaneous', 'Productivity', 'Sales', 'Utility'],
	];
	const choicesOf = ({ type, options = [] }: INodeProperties) =>
		type === 'options' || type === 'multiOptions' ? (options as INodePropertyOptions[]) : [];
	/** n8n adds the poll times itself. */
	const isOurs = ({ name }: INodeProperties) => name !== 'pollTimes';

	/** What parameters break each of these, at every depth. */
	it.each<[string, (parameter: INodeProperties) => boolean]>([
		['each parameter has a default', (parameter) => parameter.default !== undefined],
		['no hint is longer than the 120 characters that n8n allows', ({ hint = '' }) => hint.length <= 120],
		[
			'each text field has an example',
			({ type, typeOptions, placeholder = '' }) =>
				type !== 'string' || typeOptions?.password === true || placeholder.startsWith('e.g. '),
		],
		[
			'no dropdown has two entries alike, or an asterisk',
			(parameter) => {
				const choices = choicesOf(parameter);
				const [names, values] = [choices.map(({ name }) => name), choices.map(({ value }) => value)];
				const areAlone = uniq(names).length === names.length && uniq(values).length === values.length;
				return areAlone && !names.some((name) => name.includes('*'));
			},
		],
	])('%s', (_, isRight) => {
		const all = [...nodes, ...credentials].flatMap(({ name: of, properties }) =>
			parametersOf(properties.filter(isOurs)).map((parameter) => ({ of, parameter })),
		);
		expect(all.length).toBeGreaterThan(1000);
		const wrong = all.filter(({ parameter }) => !isRight(parameter));
		expect(wrong.map(({ of, parameter }) => `${of}: ${parameter.name}`)).toEqual([]);
	});

	/** What of a node breaks each of these. */
	it.each<[string, (node: INodeTypeDescription) => unknown[]]>([
		[
			'the name of an option fits into a narrow panel',
			(node) => optionsOf(node).filter(({ displayName }) => displayName.length > 30),
		],
		[
			'a switch among the options is on once it is added',
			(node) => optionsOf(node).filter(({ type, default: value }) => type === 'boolean' && value !== true),
		],
		[
			'there are at most five operations, each with an action',
			(node) => entriesOf(node, 'operation').filter(({ action }, index) => index >= 5 || !action),
		],
		[
			'operations are in alphabetical order',
			(node) => {
				const names = entriesOf(node, 'operation').map(({ name }) => name);
				return names.filter((name, index) => name < (names[index - 1] ?? ''));
			},
		],
		[
			'the name of an operation says what it is about, because no resource is shown',
			(node) => {
				const words = [entriesOf(node, 'resource')[0]?.name ?? '', 'Check Platform', 'Get Charge Points'];
				return entriesOf(node, 'operation').filter(({ name }) => !words.some((word) => name.includes(word)));
			},
		],
		[
			'actions leave out articles',
			(node) =>
				[...entriesOf(node, 'operation'), ...entriesOf(node, 'event')].filter(({ action = '' }) =>
					/\b(an?|the)\b/i.test(action),
				),
		],
		['no JSON is asked for at the top level', ({ properties }) => properties.filter(({ type }) => type === 'json')],
		[
			'of several credentials one is shown, by Authentication',
			({ credentials: offered = [] }) => {
				const shownFor = offered.map(({ displayOptions }) => String(displayOptions?.show?.authentication));
				return offered.length > 1 ? shownFor.filter((value, index) => shownFor.indexOf(value) !== index) : [];
			},
		],
		[
			'the categories are of those that n8n has, without subcategories',
			({ codex: { categories = [], subcategories } = {} }) => [
				...(categories.length > 0 ? categories.filter((category) => !CATEGORIES.includes(category)) : ['none']),
				...(subcategories ? ['subcategories'] : []),
			],
		],
		[
			'no part is shown by a regular expression: n8n gives each 250 ms, and a busy n8n then refuses the workflow',
			(node) => JSON.stringify(node).match(/"regex"/g) ?? [],
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
			'what decides whether a parameter is shown is a parameter beside it, with a value that it can have',
			({ properties }) => unknownConditions(properties, properties),
		],
	])('%s', (_, wrongIn) => {
		const wrong = nodes.map((node) => [node.name, wrongIn(node)]);
		expect(wrong).toEqual(nodes.map(({ name }) => [name, []]));
	});

	/** Conditions on a parameter that is not there, or on a value that it cannot have. */
	function unknownConditions(beside: readonly INodeProperties[], root: readonly INodeProperties[]): string[] {
		return beside.flatMap(({ name, displayOptions: { show = {}, hide = {} } = {}, options = [] }) => {
			const canBe = ([path, wanted = []]: [string, unknown[]?]) => {
				const others = (path.startsWith('/') ? root : beside).filter(
					(other) => other.name === path.replace('/', '').split('.')[0],
				);
				const values: unknown[] = others.flatMap(choicesOf).map(({ value }) => value);
				const isKnown = values.length === 0 || wanted.length === 0 || wanted.some((value) => values.includes(value));
				// n8n 1 looks for a parameter of this whole name, and fails, unless it begins at the root.
				const isReadable = path.startsWith('/') || !path.includes('.');
				return path.startsWith('@') || (others.length > 0 && isKnown && isReadable);
			};
			const conditions = [...Object.entries(show), ...Object.keys(hide).map((path): [string] => [path])];
			const added = options.filter((option): option is INodeProperties => 'type' in option);
			return [
				...conditions.filter((condition) => !canBe(condition)).map(([path]) => `${name}: ${path}`),
				...options.flatMap((option) => ('values' in option ? unknownConditions(option.values, root) : [])),
				...unknownConditions(added, root),
			];
		});
	}

	it('names are those of their files, and each node is in package.json', () => {
		const filesOf = (pattern: string, ending: string) => fastGlob.sync(pattern).map((file) => basename(file, ending));
		const classNames = credentials.map(({ className }) => className);
		expect(classNames.sort()).toEqual(filesOf('credentials/*.ts', '.credentials.ts').sort());
		expect([...classNames, ...credentials.map(({ name }) => name)].filter((name) => !/^\w+Api$/.test(name))).toEqual(
			[],
		);
		const files = filesOf('nodes/*/*.node.ts', '.node.ts').map((name) => name[0]?.toLowerCase() + name.slice(1));
		expect(nodes.map(({ name }) => name).sort()).toEqual(files.sort());
	});

	it('every dropdown that loads its entries has a method that loads them', async () => {
		const { nodeTypes } = await loadPackage();
		const missing = Object.values(nodeTypes).flatMap(({ type }) => {
			const { description, methods } = NodeHelpers.getVersionedNodeType(type);
			const text = JSON.stringify(description);
			const named = (option: string) =>
				[...text.matchAll(new RegExp(`"${option}":"(\\w+)"`, 'g'))].map(([, name = '']) => name);
			return [
				...named('loadOptionsMethod').filter((name) => !methods?.loadOptions?.[name]),
				...named('searchListMethod').filter((name) => !methods?.listSearch?.[name]),
			];
		});
		expect(missing).toEqual([]);
	});

	it.each(fastGlob.sync('icons/*.svg'))('%s stands out from the background by 3:1', (file) => {
		const luminance = (color: string) => {
			const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
				const channel = parseInt(color.slice(at, at + 2), 16) / 255;
				return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
			});
			return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
		};
		const background = luminance(file.endsWith('.dark.svg') ? '#2b2b2b' : '#ffffff');
		const colors = [...readFileSync(file, 'utf8').matchAll(/(?:fill|stroke)="(#[\da-f]{6})"/gi)];
		const contrasts = colors.map(([, color = '']) => {
			const [lower = 0, higher = 0] = [luminance(color), background].sort((a, b) => a - b);
			return (higher + 0.05) / (lower + 0.05);
		});
		expect(Math.max(...contrasts)).toBeGreaterThanOrEqual(3);
	});
});

describe("n8n's lint of parameters", () => {
	/** What may stay as it is: at which parameters (or choices), and why. */
	const EXCEPTIONS: Array<{ rule: string; at: string[]; reason: string }> = [
		{
			rule: 'node-param-fixed-collection-type-unsorted-items',
			at: ['startedAtUtc', 'energyConsumed', 'id', 'other'],
			reason: 'A condition is filled in from left to right: field, operator, value.',
		},
		{
			rule: 'node-param-options-type-unsorted-items',
			at: ['operator', 'textOperator', 'numberOperator', 'dateOperator', 'anyOperator', 'period'],
			reason: 'In the order people look for them: Equals first, and Today before Last Month.',
		},
		{
			rule: 'node-param-option-name-wrong-for-get-many',
			at: ['Get Many Locations', 'Get Many Rows', 'Get Many Sessions', 'Get Many Stations'],
			reason: "n8n's UX guidelines want the resource in the name where none is shown.",
		},
		{
			rule: 'node-param-display-name-miscased',
			at: ['other'],
			reason: 'What stands in brackets is an example, not a title.',
		},
		{
			rule: 'node-param-description-miscased-id',
			at: ['json'],
			reason: 'Id is the name of a field in a filter written as JSON.',
		},
	];

	it('finds nothing but the exceptions, and each of them', () => {
		const named = ({ rule, at }: Pick<Finding, 'rule' | 'at'>) => `${at}: ${rule}`;
		const found = nodes.flatMap(({ properties }) => lintPanel(properties.filter(({ name }) => name !== 'pollTimes')));
		const excepted = EXCEPTIONS.flatMap(({ rule, at }) => at.map((name) => named({ rule, at: name })));
		expect(uniq(found.map(named)).sort()).toEqual(excepted.sort());
	});
});

describe("n8n's search", () => {
	/** What it compares with: the node's name and the aliases of its codex file, in small letters. */
	const wordsOf = ({ displayName, codex }: INodeTypeDescription) =>
		[displayName, ...(codex?.alias ?? [])].map((text) => text.toLowerCase());

	it.each<[string, string]>([
		['charging station offline', 'chargingStationStatusTrigger'],
		['top stations', 'chargingSessions'],
		['csv export', 'chargingSessionsCsvExport'],
		['tariffs', 'chargingNetworkList'],
		['check platform', 'chargingNetworkList'],
		['charge point uptime', 'chargingStations'],
		['charge points', 'chargePointTrigger'],
		['row changed', 'chargingNetworkRowsTrigger'],
	])('for "%s" finds %s', (words, name) => {
		const node = nodes.find((each) => each.name === name);
		expect(node && wordsOf(node).some((text) => text.includes(words))).toBe(true);
	});

	it('for "EV charger" finds every node', () => {
		const missing = nodes.filter(
			(node) => !['ev charging', 'ev charger'].every((word) => wordsOf(node).includes(word)),
		);
		expect(missing.map(({ name }) => name)).toEqual([]);
	});

	it('shows no trigger and action node as one, as it does where they have the same name', () => {
		const names = nodes.map(({ name }) => name);
		const twins = names.filter((name) => name.endsWith('Trigger') && names.includes(name.replace(/Trigger$/, '')));
		expect(twins).toEqual([]);
	});
});

describe('the order of a panel', () => {
	/** The labels that it shows, from top to bottom. */
	function labels(node: string, parameters: INodeParameters): string[] {
		const description = nodes.find(({ name }) => name === node) as INodeTypeDescription;
		const { properties } = description;
		const all = NodeHelpers.getNodeParameters(properties, parameters, true, false, null, description) ?? {};
		const shown = properties.filter(
			(property) => property.type !== 'hidden' && NodeHelpers.displayParameter(all, property, null, description),
		);
		return shown.map(({ displayName }) => displayName);
	}

	it.each<[string, string, string[]]>([
		['chargingSessions', 'get', ['Session ID', 'Output', 'Options']],
		['chargingStations', 'get', ['Station', 'Output', 'Options']],
		['chargingSessions', 'getAll', ['Return All', 'Limit', 'Filters', 'Output', 'Options', 'Sort']],
		['chargingSessions', 'summary', ['Filters', 'Measures', 'Group By', 'Result', 'Compare With', 'Options']],
	])('%s, %s', (node, operation, expected) => {
		expect(labels(node, { operation })).toEqual(['Authentication', 'Operation', ...expected]);
	});

	it('everywhere has Sort at the end', () => {
		for (const description of nodes) {
			for (const { value: operation } of entriesOf(description, 'operation')) {
				const shown = labels(description.name, { operation });
				if (shown.includes('Sort')) expect(shown.slice(-2)).toEqual(['Options', 'Sort']);
			}
		}
	});
});

/** What the canvas shows under a node: what matters, not what the node's name says already. */
describe('the subtitle', () => {
	const byPath = (value: string) => ({ list: { __rl: true, mode: 'path', value } });

	it.each<[string, INodeParameters, string]>([
		['chargingStationStatusTrigger', {}, 'offline, back'],
		['chargingStationStatusTrigger', { minutesInState: 10 }, 'offline after 10 min, back'],
		['chargingStationStatusTrigger', { minutesInState: 10, availabilityChanges: ['offline'] }, 'offline after 10 min'],
		['chargingStationStatusTrigger', { event: 'unstable' }, 'unstable'],
		['chargingStationStatusTrigger', { event: 'filterMatch', minutesInState: 5 }, 'match after 5 min, end of match'],
		['chargingStationStatusTrigger', { event: 'statusChange', dimensions: ['NetworkStatus'] }, 'network status'],
		['chargePointTrigger', {}, 'out of order'],
		['chargePointTrigger', { event: 'inStatus', minutesInState: 240 }, 'in status after 240 min'],
		['chargePointTrigger', { event: 'statusChange', minutesInState: 5 }, 'status after 5 min'],
		['chargingSessionTrigger', { events: ['runningLong', 'stalled'] }, 'running over 24 h, stalled for 30 min'],
		['chargingNetworkList', { operation: 'count', ...byPath('/api/tariffs/v1') }, 'count rows: tariffs'],
		['chargingNetworkList', byPath(''), 'get many rows'],
		['chargingNetworkList', { operation: 'checkPlatform' }, 'check platform'],
		['chargingNetworkRowsTrigger', byPath('/api/users/v1'), 'new in users'],
		['chargingNetworkRowsTrigger', { event: 'goneRow', ...byPath('/api/users/v1') }, 'gone from users'],
	])('of %s %j is "%s"', async (type, parameters, words) => {
		const { workflow, node, nodeType } = await prepare({ type, parameters, credential: {} });
		const { subtitle = '' } = nodeType.description;
		expect(workflow.expression.getSimpleParameterValue(node, subtitle, 'internal', {})).toBe(words);
	});
});
