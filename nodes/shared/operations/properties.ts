import isEqual from 'lodash/isEqual';
import type { INodeProperties } from 'n8n-workflow';

import type { Operation } from './types';

/**
 * The Operation dropdown and all operations' parameters, each shown for the operations that have it. A parameter that
 * several operations share stands there once, so what was filled in stays when the operation is changed.
 */
export function operationProperties(operations: readonly Operation[], defaultOperation: string): INodeProperties[] {
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
			displayName: 'Operation',
			name: 'operation',
			type: 'options',
			noDataExpression: true,
			options: operations.map(({ name, value, action, description }) => ({ name, value, action, description })),
			default: defaultOperation,
		},
		...shared.map(({ property, values }) => ({
			...property,
			displayOptions: { ...property.displayOptions, show: { ...property.displayOptions?.show, operation: values } },
		})),
	];
}
