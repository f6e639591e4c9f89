/** n8n's lint rules for parameters, held by the panels as users see them: in the sources, most parameters are made by functions. */
import type { INodeProperties } from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';

import { loadPackage } from '../../support/harness.ts';
import { lintPanel, type Finding } from '../../support/panelLint.ts';

/** What may stay as it is: at which parameters (or choices), and why. */
const EXCEPTIONS: Array<{ rule: string; at: string[]; reason: string }> = [
	{
		rule: 'node-param-fixed-collection-type-unsorted-items',
		at: ['startedAtUtc', 'energyConsumed', 'id', 'other'],
		reason: 'A condition is filled in from left to right: field, operator, value.',
	},
	{
		rule: 'node-param-options-type-unsorted-items',
		at: ['operator', 'textOperator', 'numberOperator', 'dateOperator', 'anyOperator'],
		reason: 'In the order people look for them: Equals first.',
	},
	{
		rule: 'node-param-options-type-unsorted-items',
		at: ['period'],
		reason: 'By time: Today before Last Month.',
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

const isExempt = ({ rule, at }: Finding) =>
	EXCEPTIONS.some((exception) => exception.rule === rule && exception.at.includes(at));

let findings: Finding[];

beforeAll(async () => {
	const { nodeTypes } = await loadPackage();
	findings = Object.values(nodeTypes).flatMap(({ type }) =>
		// n8n adds the poll times itself.
		lintPanel(NodeHelpers.getVersionedNodeType(type).description.properties.filter(({ name }) => name !== 'pollTimes')),
	);
});

it('no panel breaks a rule', () => {
	const open = findings
		.filter((finding) => !isExempt(finding))
		.map(({ rule, at, message }) => `${at}: ${message} (${rule})`);
	expect([...new Set(open)]).toEqual([]);
});

it('every exception is needed', () => {
	const unneeded = EXCEPTIONS.flatMap(({ rule, at }) =>
		at.filter((name) => !findings.some((finding) => finding.rule === rule && finding.at === name)),
	);
	expect(unneeded).toEqual([]);
});

describe('the lint of panels finds', () => {
	const switchOf: INodeProperties = {
		displayName: 'Include Names',
		name: 'includeNames',
		type: 'boolean',
		default: false,
		description: 'Whether to add names',
	};
	const dropdown: INodeProperties = {
		displayName: 'Field Name or ID',
		name: 'field',
		type: 'options',
		typeOptions: { loadOptionsMethod: 'getFields' },
		default: '',
		description:
			'Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
	};

	it('nothing in parameters that keep the rules', () => {
		expect(lintPanel([switchOf, dropdown])).toEqual([]);
	});

	it.each<[string, INodeProperties, string]>([
		[
			'a description that begins with a small letter',
			{ ...switchOf, type: 'string', default: '', description: 'names to add' },
			'node-param-description-lowercase-first-char',
		],
		[
			'a dropdown without "Name or ID"',
			{ ...dropdown, displayName: 'Field' },
			'node-param-display-name-wrong-for-dynamic-options',
		],
	])('%s', (_, property, rule) => {
		const part: INodeProperties = {
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			default: {},
			options: [property],
		};
		expect(lintPanel([part])).toContainEqual(expect.objectContaining({ rule, at: property.name }));
	});
});
