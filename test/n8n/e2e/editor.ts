import assert from 'node:assert/strict';
import { it } from 'node:test';

import { useEditor, type Lab } from './lab.ts';
import { itemsIn, Panel } from './panel.ts';

/** n8n drops the word Trigger from the names of triggers that have more than one event to choose from. */
const ALL = [
	'Charge Point',
	'Charging Locations',
	'Charging Network List',
	'Charging Network Rows',
	'Charging Session Events',
	'Charging Sessions',
	'Charging Sessions CSV Export',
	'Charging Station Status',
	'Charging Stations',
];

/** What a person does with the mouse, in n8n's own editor. */
export function editorTests(lab: () => Lab): void {
	const page = useEditor(() => lab().n8n);

	it('searching "charging" finds every node', async () => {
		assert.deepEqual((await Panel.search(page(), lab().n8n.url, 'charging')).sort(), ALL);
	});

	it('Charging Sessions: a filter with a group is built by clicking, and the count matches SQL', async () => {
		await Panel.search(page(), lab().n8n.url, 'charging');
		const panel = await Panel.add(page(), 'Charging Sessions', 'Get many charging sessions');
		await panel.control('returnAll').locator('.el-switch').click();
		await panel.controlsAre({ limit: 0 });

		await panel.addTo('Add Condition or Group', 'Status');
		await panel.choose(panel.control('values'), 'Finished (Code 4)', 'Failed (Code 6)');

		await panel.addTo('Add Condition or Group', 'Group');
		await panel.addTo('Add Condition Inside This Group', 'Energy Consumed');
		await panel.controlsAre({ value: 1, from: 0, to: 0 });
		await panel.choose(panel.control('operator', 1), 'Between (From ≤ Value < To)');
		await panel.controlsAre({ value: 0, from: 1, to: 1 });
		await panel.type(panel.control('from'), '20');
		await panel.type(panel.control('to'), '21.5');

		await panel.addTo('Add Condition Inside This Group', 'Any Other Field (such as Station Name)');
		const fields = await panel.options(panel.control('field'));
		for (const live of ['StationName', 'Price', 'EndedAtUtc'])
			assert.ok(fields.includes(live), `${live} is not offered`);
		await panel.choose(panel.control('field'), 'StationName');
		const forText = await panel.options(panel.control('textOperator'));
		assert.ok(forText.includes('Contains') && !forText.includes('In Month (UTC)'), forText.join());
		await panel.choose(panel.control('field'), 'EndedAtUtc');
		await panel.controlsAre({ textOperator: 0 });
		const forDates = await panel.options(panel.control('dateOperator'));
		assert.ok(forDates.includes('In Month (UTC)') && !forDates.includes('Contains'), forDates.join());
		await panel.choose(panel.control('field'), 'Price');
		await panel.choose(panel.control('numberOperator'), 'Less Than');
		await panel.type(panel.control('value'), '1');

		const { db } = lab().platform;
		const sql =
			'SELECT count(*) AS n FROM sessions WHERE Status IN (4, 6) AND ((EnergyConsumed >= 20 AND EnergyConsumed < 21.5) OR Price < 1)';
		const output = await panel.execute();
		const { n: expected } = db.prepare(sql).get() ?? {};
		assert.equal(itemsIn(output), expected);
		await panel.tableShows('EnergyConsumed');

		// The filter stays when another operation is selected.
		await panel.choose(panel.control('operation'), 'Count Sessions');
		assert.equal(itemsIn(await panel.execute()), 1);
		await panel.tableShows(String(expected));
	});
}
