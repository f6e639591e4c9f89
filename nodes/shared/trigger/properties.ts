import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';

/** Choices among status codes, loaded by a method of the node. */
export function codesProperty(property: {
	displayName: string;
	name: string;
	loadOptionsMethod: string;
	default?: string[];
	hint: string;
	show?: IDisplayOptions['show'];
}): INodeProperties {
	const { displayName, name, loadOptionsMethod, hint, show } = property;
	return {
		displayName,
		name,
		type: 'multiOptions',
		typeOptions: { loadOptionsMethod },
		default: property.default ?? [],
		description:
			'Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
		hint,
		...(show && { displayOptions: { show } }),
	};
}
