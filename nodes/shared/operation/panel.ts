import capitalize from 'lodash/capitalize';
import isEqual from 'lodash/isEqual';
import sortBy from 'lodash/sortBy';
import type { IExecuteFunctions, INodeExecutionData, INodeProperties } from 'n8n-workflow';

import type { Connection, PlatformOptions, Row } from '../platform';
import type { Dropdown } from '../parameters/dropdown';

/** A task for the platform, built from checked parameters before anything is sent. */
export interface PlatformTask {
	/** The values it was built from: tasks with equal ones ask for the same. */
	values: unknown;
	platformOptions: PlatformOptions;
	run(connection: Connection, nodeRun: NodeRun): Promise<Outcome>;
}

/** What the tasks of one run of a node share. */
export interface NodeRun {
	/** Names of the files made so far, in lower case. */
	fileNames: Set<string>;
}

/** What an operation gives for an input item: rows or files. */
export interface Outcome {
	/** The output rows, in the pages they came in. */
	pages?: Row[][];
	/** The output items, if they are more than rows. */
	files?: INodeExecutionData[];
	/** What the user should know about how they were read, one sentence each. */
	notes: string[];
	/** Whether each output row also gets the fields of its input item. */
	includeInput?: boolean;
}

/** One entry of a node's Operation dropdown, its parameters, and what it does. */
export interface Operation {
	name: string;
	value: string;
	/** Shown in the node panel and on the canvas: "Get many charging sessions". */
	action: string;
	description: string;
	properties: INodeProperties[];
	/** What its parameters ask the platform for. */
	dropdowns: Dropdown[];
	/** Takes all input items together as rows and runs once. Hidden in tools: AI models cannot pass it rows. */
	wholeInput?: true;
	/** A parameter, and its value with which all input items together give one result. */
	gathersFor?: readonly [parameter: string, value: string];
	/**
	 * Reads and checks the parameters of one input item. Nothing may be sent here.
	 *
	 * @throws QueryError, PlatformError if a parameter cannot be used
	 */
	prepare(context: IExecuteFunctions, itemIndex: number): PlatformTask;
}

/**
 * The Operation dropdown and the parameters of all operations, each shown for the operations that have it and in their
 * order. A parameter that several operations share appears once, so its value survives a change of operation.
 *
 * @param resource what the operations are about: "session". It is stored with the node but not shown: only with a
 * resource does n8n tell an AI model which operation a tool does, instead of describing all tools of a node alike.
 */
export function operationProperties(
	operations: readonly Operation[],
	defaultOperation: string,
	resource: string,
): INodeProperties[] {
	const shared: Array<{ property: INodeProperties; values: string[] }> = [];
	for (const { value, properties } of operations) {
		let next = 0;
		for (const property of properties) {
			const twin = shared.findIndex((other) => isEqual(other.property, property));
			if (twin >= 0) shared[twin]?.values.push(value);
			else shared.splice(next, 0, { property, values: [value] });
			next = (twin >= 0 ? twin : next) + 1;
		}
	}
	return [
		{
			displayName: 'Resource',
			name: 'resource',
			type: 'hidden',
			noDataExpression: true,
			options: [{ name: capitalize(resource), value: resource }],
			default: resource,
		},
		{
			displayName: 'Operation',
			name: 'operation',
			type: 'options',
			noDataExpression: true,
			options: sortBy(operations, 'name').map(({ name, value, action, description, wholeInput }) => ({
				name,
				value,
				action,
				description,
				...(wholeInput && { displayOptions: { hide: { '@tool': [true] } } }),
			})),
			default: defaultOperation,
			displayOptions: { show: { resource: [resource] } },
		},
		...shared.map(({ property, values }) => ({
			...property,
			displayOptions: {
				...property.displayOptions,
				show: { ...property.displayOptions?.show, [operationKey(property)]: values },
			},
		})),
	];
}

/**
 * The chosen operation, as the canvas shows it under the node: "get many".
 *
 * @param about code for what follows it, if that is not in the name of the node
 */
export function operationSubtitle(operations: readonly Operation[], about?: string): string {
	const names = operations.map(({ name, value }) => [value, name.toLowerCase()]);
	const more = about === undefined ? '' : ` + ((about) => about ? ": " + about : "")(${about})`;
	return `={{ (${JSON.stringify(Object.fromEntries(names))})[$parameter["operation"]]${more} }}`;
}

/**
 * How `displayOptions` name the operation. The editor empties a collection when a parameter that it names changes; with
 * the path from the root, filters survive a change of operation.
 */
const operationKey = ({ type }: INodeProperties) =>
	type === 'collection' || type === 'fixedCollection' ? '/operation' : 'operation';

/**
 * Which account the node uses. Workflows saved without it use the API key. It applies to the whole execution, so it
 * takes no expression; the values are those of `AccountKind`. Triggers do not show it: they run without a user.
 */
const choice: INodeProperties = {
	displayName: 'Authentication',
	name: 'authentication',
	type: 'options',
	noDataExpression: true,
	options: [
		{
			name: 'API Key',
			value: 'apiKey',
			description: 'For workflows that run unattended',
		},
		{
			name: 'Signed-In User',
			value: 'signedInUser',
			description: 'For workflows a person starts, with their own account',
		},
	],
	default: 'apiKey',
};

/** The editor gives a new node the newest credential of either kind, so the node says when it is a person's. */
const signedInNotice: INodeProperties = {
	displayName:
		'This node uses a person’s account. In a workflow that runs unattended, choose a credential with an API key above.',
	name: 'signedInNotice',
	type: 'notice',
	default: '',
	displayOptions: { show: { authentication: ['signedInUser'] } },
};

export const authenticationProperties: readonly INodeProperties[] = [choice, signedInNotice];
