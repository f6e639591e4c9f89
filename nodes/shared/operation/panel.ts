import capitalize from 'lodash/capitalize';
import isEqual from 'lodash/isEqual';
import sortBy from 'lodash/sortBy';
import type { INodeProperties } from 'n8n-workflow';

import type { Operation } from './operation';

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
