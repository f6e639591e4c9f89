import capitalize from 'lodash/capitalize';
import isEqual from 'lodash/isEqual';
import type { INodeProperties } from 'n8n-workflow';

import type { Operation } from './operation';

/**
 * The Operation dropdown and all operations' parameters, each shown for the operations that have it. A parameter that
 * several operations share stands there once, so what was filled in stays when the operation is changed.
 *
 * @param resource what the operations are about: "session". It is stored with the node but not shown: only where there is
 * a resource does n8n tell an AI model which operation a tool does, instead of describing all tools of a node alike.
 */
export function operationProperties(
	operations: readonly Operation[],
	defaultOperation: string,
	resource: string,
): INodeProperties[] {
	const shared: Array<{ property: INodeProperties; values: string[] }> = [];
	for (const { value, properties } of operations) {
		for (const property of properties) {
			const twin = shared.find((other) => isEqual(other.property, property));
			if (twin) twin.values.push(value);
			else shared.push({ property, values: [value] });
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
			options: operations.map(({ name, value, action, description, wholeInput }) => ({
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
			displayOptions: { ...property.displayOptions, show: { ...property.displayOptions?.show, operation: values } },
		})),
	];
}
