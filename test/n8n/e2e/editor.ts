import assert from 'node:assert/strict';
import { it } from 'node:test';

import type { Page } from 'playwright-core';

import { byTestId, Panel } from '../panel.ts';
import type { Pair } from '../showcase.ts';
import { until } from '../tools.ts';
import { chatOf, WALK_KEY, walkThrough } from '../walkThrough.ts';
import { furtherPolls } from './incidents.ts';

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
export function editorTests({ n8n, platform }: Pair, page: Page): void {
	it('searching "charging" finds every node', async () => {
		assert.deepEqual((await Panel.search(page, n8n.url, 'charging')).sort(), ALL);
	});

	it('Charging Sessions: a filter with a group is built by clicking, and the count matches SQL', async () => {
		await Panel.search(page, n8n.url, 'charging');
		const panel = await Panel.add(page, 'Charging Sessions', 'Get many charging sessions');
		await panel.flip('returnAll');
		await panel.addTo('Add Condition or Group', 'Status');
		await panel.choose(panel.control('values'), 'Finished (Code 4)', 'Failed (Code 6)');
		await panel.addTo('Add Condition or Group', 'Group');
		await panel.addTo('Add Condition Inside This Group', 'Energy Consumed');
		await panel.choose(panel.control('operator', 1), 'Between (From ≤ Value < To)');
		await panel.type(panel.control('from'), '20');
		await panel.type(panel.control('to'), '21.5');
		await panel.addTo('Add Condition Inside This Group', 'Any Other Field (such as Station Name)');
		await panel.choose(panel.control('field'), 'Price');
		await panel.choose(panel.control('numberOperator'), 'Less Than');
		await panel.type(panel.control('value'), '1');

		const sql = `SELECT Id FROM sessions WHERE Status IN (4, 6)
			AND ((EnergyConsumed >= 20 AND EnergyConsumed < 21.5) OR Price < 1)`;
		const count = String(platform.db.prepare(sql).all().length);
		await panel.execute();
		assert.equal((await panel.output.locator(byTestId('ndv-items-count')).innerText()).split(' ')[0], count);
		await panel.shows('table', 'EnergyConsumed');

		// The filter stays when another operation is selected.
		await panel.choose(panel.control('operation'), 'Count Sessions');
		await panel.execute();
		await panel.shows('json', `"count": ${count}`);
	});

	it('Charging Sessions: a session is found in the list of Get Session by its number, and returned', async () => {
		await Panel.search(page, n8n.url, 'charging');
		const panel = await Panel.add(page, 'Charging Sessions', 'Get charging session');
		await page.locator(byTestId('rlc-input-container')).click();
		const entries = page.locator(byTestId('rlc-item'));
		// The newest session is shown first.
		const { newest } = platform.db.prepare('SELECT max(Id) AS newest FROM sessions').get() ?? {};
		await entries.filter({ hasText: `Session ${String(newest)}` }).waitFor();
		await page.locator(byTestId('rlc-search')).fill('42');
		await entries.filter({ hasText: 'Session 42,' }).click();
		await panel.execute();
		await panel.shows('json', '"Id": 42');
	});
}

/** docs/first-alert.md, by mouse, with one minute instead of ten. */
export function firstAlertTests(pair: Pair, page: Page): void {
	it('from an empty n8n to messages in the chat', async () => {
		const { platform } = pair;
		const chat = chatOf(platform);
		await walkThrough(pair, page, '1');
		// A step that was executed twice, because n8n dropped its items, has sent them twice.
		const samples = chat.texts();
		assert.ok(samples.length > 0 && samples.every((text) => text.startsWith('Sample')), samples.join('\n'));
		await page.click(byTestId('workflow-open-publish-modal-button'));
		await page.locator(byTestId('workflowPublish-modal')).locator(byTestId('workflow-publish-button')).click();
		await page.getByRole('button', { name: 'Got it' }).click();

		await furtherPolls(platform, WALK_KEY, 2);
		const { Name = null } = platform.db.prepare('SELECT Name FROM stations WHERE NetworkStatus = 1').get() ?? {};
		const set = (status: number) =>
			platform.db.prepare('UPDATE stations SET NetworkStatus = ? WHERE Name = ?').run(status, Name);
		const message = async (place: number) => await until('the message', () => chat.texts()[samples.length + place]);
		set(2);
		assert.equal((await message(0)).split(' since ')[0], `${String(Name)} has been offline`);
		set(1);
		assert.equal((await message(1)).split('. ')[0], `${String(Name)} is back online`);
	});
}
