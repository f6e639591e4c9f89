import type {
	INodeParameters,
	INodeProperties,
	INodePropertyCollection,
	INodePropertyOptions,
	INodeTypeDescription,
} from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';

import { editorContext, loadPackage, type RunOptions } from './harness.ts';

// The nodes of this package, for tests of what all of them promise.

/** What n8n draws the panel of each node from. */
export async function descriptions(): Promise<INodeTypeDescription[]> {
	const { nodeTypes } = await loadPackage();
	return Object.values(nodeTypes).map(({ type }) => NodeHelpers.getVersionedNodeType(type).description);
}

/** The entries of a dropdown, or none if the node does not have it. */
export function entriesOf({ properties }: INodeTypeDescription, dropdown: string): INodePropertyOptions[] {
	return (properties.find(({ name }) => name === dropdown)?.options ?? []) as INodePropertyOptions[];
}

/** Every parameter of a panel, at every depth. */
export function parametersOf(
	parts: ReadonlyArray<INodeProperties | INodePropertyOptions | INodePropertyCollection>,
): INodeProperties[] {
	return parts.flatMap((part) => {
		if ('values' in part) return parametersOf(part.values);
		return 'type' in part ? [part, ...parametersOf(part.options ?? [])] : [];
	});
}

/** Scopes of a key that may read every list. */
export const ALL_SCOPES = ['charging-sessions:read', 'charging-stations:read', 'locations:read', 'tariffs:read'];

/** The parameter that chooses a list by its path. */
export const TARIFFS = { __rl: true, mode: 'path', value: '/api/tariffs/v1' };

/** What operations need to be run, all together: n8n drops what an operation does not have. */
export const NEEDED: INodeParameters = {
	sessionId: '1',
	stationId: { __rl: true, mode: 'id', value: '1' },
	list: TARIFFS,
	sessionIds: '1',
	chargePointField: 'Status',
	chargePointValues: ['1'],
};

export interface Operation {
	type: string;
	operation: string;
}

/** Each operation of each action node. */
export async function operations(): Promise<Operation[]> {
	const actionNodes = (await descriptions()).filter(({ polling }) => !polling);
	return actionNodes.flatMap((description) =>
		entriesOf(description, 'operation').map(({ value }) => ({ type: description.name, operation: String(value) })),
	);
}

interface Dropdown {
	/** The node, and the method that loads the entries. */
	where: string;
	load: () => Promise<Array<{ name: string; value: unknown }>>;
}

/** The dropdowns and searches of each node that load their entries, in an editor with these parameters. */
export async function dropdowns(editor: Omit<RunOptions, 'type'>): Promise<Dropdown[]> {
	const all: Dropdown[] = [];
	for (const { name: type } of await descriptions()) {
		const { context, nodeType } = await editorContext({ type, ...editor });
		const { loadOptions = {}, listSearch = {} } = nodeType.methods ?? {};
		for (const [name, load] of Object.entries(loadOptions))
			all.push({ where: `${type}: ${name}`, load: async () => await load.call(context) });
		for (const [name, find] of Object.entries(listSearch))
			all.push({ where: `${type}: ${name}`, load: async () => (await find.call(context)).results });
	}
	return all;
}
