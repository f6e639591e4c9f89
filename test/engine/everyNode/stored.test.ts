/**
 * What saved workflows hold. A difference here is a break, unless an issue asks for it:
 * `npx jest test/engine/everyNode/stored -u` writes the panels as they are now.
 */
import type { INodeProperties } from 'n8n-workflow';

import { descriptions } from '../../support/nodes.ts';

/** One line for each parameter: its path, type, default and limits, what shows it, and the values to choose from. */
function linesOf(properties: readonly INodeProperties[], path = ''): string[] {
	return properties.flatMap((property) => {
		const { name, type, options = [], required, noDataExpression, typeOptions, displayOptions } = property;
		const isChoice = type === 'options' || type === 'multiOptions';
		const choices = options.flatMap((option) => ('value' in option ? [option.value] : []));
		const own = { type, default: property.default, required, noDataExpression, ...typeOptions, ...displayOptions };
		const line = `${path}${name} ${JSON.stringify({ ...own, ...(isChoice && { choices }) })}`;
		// The conditions of a group are those of the form once more.
		const parts = (path.endsWith('groups.') && name === 'filters' ? [] : options).flatMap((option) => {
			if ('values' in option) return linesOf(option.values, `${path}${name}.${option.name}.`);
			return 'type' in option ? linesOf([option], `${path}${name}.`) : [];
		});
		return [line, ...parts];
	});
}

it('what workflows store of each node is what it was', async () => {
	for (const { name, properties } of await descriptions()) {
		expect(linesOf(properties).join('\n')).toMatchSnapshot(name);
	}
});
