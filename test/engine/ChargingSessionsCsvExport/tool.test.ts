import type { INode } from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';

import type { StandIn } from '../../platform/index.ts';
import { byIds, exportTests, runExport } from '../../support/export.ts';
import { prepare } from '../../support/harness.ts';

/** As a tool of an agent: n8n gives a model the JSON of an item, and drops its file. */
let platform: StandIn;
exportTests({ sessions: 50, stations: 5 }, (started) => (platform = started));

const TOOL = { type: 'n8n-nodes-charging-network.chargingSessionsCsvExportTool' };

it('the item says to the model that the file reaches nobody, and what does', async () => {
	const { json, items } = await runExport(platform, byIds('1, 2'), { node: TOOL });
	expect(items).toHaveLength(1);
	expect(json).toMatchObject({
		sessionCount: 2,
		fileDelivery: expect.stringMatching(/^None\. .* sub-workflow/) as string,
	});
	expect((await runExport(platform, byIds('1, 2'))).json).not.toHaveProperty('fileDelivery');
	const none = await runExport(platform, byIds('999999', { whenNothingMatches: 'itemWithoutFile' }), { node: TOOL });
	expect(none.json).not.toHaveProperty('fileDelivery');
});

it.each(['exportByFilter', 'exportByIds'])('%s: the description that a model reads says so, too', async (operation) => {
	const { node, nodeType } = await prepare({ type: 'chargingSessionsCsvExport', credential: {} });
	const description = { ...nodeType.description, name: `${nodeType.description.name}Tool` };
	const values = { resource: 'session', operation };
	const given = NodeHelpers.getNodeParameters(description.properties, values, true, false, null, description);
	const tool: INode = { ...node, ...TOOL, parameters: given ?? {} };
	expect(NodeHelpers.getToolDescriptionForNode(tool, { ...nodeType, description })).toMatch(
		/^Exports the chosen charging sessions .* The file itself reaches nobody/,
	);
	const shown = (name: string) =>
		description.properties.filter(
			(property) =>
				property.name === name && NodeHelpers.displayParameter(tool.parameters, property, tool, description),
		);
	expect([shown('toolNotice').length, shown('toolDescription').length]).toEqual([1, 1]);
	expect(shown('toolNotice')[0]?.displayName).toContain('sub-workflow');
});
