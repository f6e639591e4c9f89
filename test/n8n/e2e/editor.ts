import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, before, it } from 'node:test';

import { DateTime } from 'luxon';
import type { Browser, Page } from 'playwright-core';

import { openBrowser, openEditor } from '../browser.ts';
import { startPair } from '../showcase.ts';
import { REPOSITORY } from '../tools.ts';
import { enterCredential, messageOf, startStage, walkThrough } from '../walkThrough.ts';
import { tarball, TIMEZONE, type Lab } from './lab.ts';
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

const wire = (time: DateTime) => time.toUTC().toFormat("yyyy-MM-dd'T'HH:mm:ss");

/** Screenshots of the editor when a test failed. */
const FAILURES = join(REPOSITORY, 'test/n8n/.cache/failures');

/** What a person does with the mouse, in n8n's own editor. */
export function editorTests(lab: () => Lab): void {
	let browser: Browser;
	let page: Page;

	before(async () => {
		browser = await openBrowser();
		lab().later(() => browser.close());
		page = await openEditor(browser, lab().n8n, 'light');
	});

	afterEach(async (test) => {
		if (!('passed' in test) || test.passed) return;
		mkdirSync(FAILURES, { recursive: true });
		const file = join(FAILURES, `${test.name.replaceAll(/\W+/g, '-')}.png`);
		await page.screenshot({ path: file });
		console.log(`What the editor showed: ${file}`);
	});

	/** Adds a node, found by searching, to an empty workflow. */
	async function add(name: string, action?: string): Promise<Panel> {
		await Panel.search(page, lab().n8n.url, 'charging');
		return await Panel.add(page, name, action);
	}

	it('searching "charging" finds every node', async () => {
		assert.deepEqual((await Panel.search(page, lab().n8n.url, 'charging')).sort(), ALL);
	});

	it('Charging Sessions: a filter with a group is built by clicking, and the count matches SQL', async () => {
		const panel = await add('Charging Sessions', 'Get many charging sessions');
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

	it('Charging Stations: the picker lists and searches live stations, and the detail is read', async () => {
		const panel = await add('Charging Stations', 'Get full detail of charging station');
		const { db } = lab().platform;
		const names = db
			.prepare('SELECT Name FROM stations')
			.all()
			.map(({ Name }) => String(Name));
		const offered = await panel.resources('stationId');
		assert.ok(offered.length >= 5, `only ${offered.length} stations are offered`);
		for (const text of offered)
			assert.ok(
				names.some((name) => text.includes(name)),
				`"${text}" is no station`,
			);
		const wanted = names[200] ?? '';
		await panel.pick('stationId', wanted);
		const output = await panel.execute();
		assert.equal(itemsIn(output), 1);
		await panel.shows(wanted, 'EVSEs');
	});

	it('Charging Sessions CSV Export: a day is exported, and the file can be seen', async () => {
		const panel = await add('Charging Sessions CSV Export', 'Export sessions by filter');
		const warning = page.getByText('Without a condition, every charging session is exported');
		await warning.waitFor();
		await panel.addTo('Add Condition or Group', 'Started At');
		await warning.waitFor({ state: 'hidden' });
		await panel.choose(panel.control('operator'), 'In Period');
		await panel.choose(panel.control('period'), 'Yesterday');
		await panel.execute();
		await panel.shows('text/csv', '.csv');
	});

	it('Charging Station Status Trigger: its settings follow the event, and a test event is fetched', async () => {
		const panel = await add('Charging Station Status', 'On station status changes');
		await panel.controlsAre({ dimensions: 1, availabilityChanges: 0 });
		const live = await panel.options(panel.control('toValues'));
		assert.ok(live.length >= 3, `only ${live.join()} are offered`);
		await panel.choose(panel.control('event'), 'Station Goes Offline or Comes Back');
		await panel.controlsAre({ dimensions: 0, availabilityChanges: 1 });
		assert.ok(itemsIn(await panel.execute()) >= 1);
		await panel.shows('eventId', 'offline');
	});

	it('Charging Sessions, Summarize: the ten stations with most energy last month, by clicking', async () => {
		const panel = await add('Charging Sessions', 'Summarize charging sessions');
		await panel.addTo('Add Condition or Group', 'Started At');
		await panel.choose(panel.control('operator'), 'In Period');
		await panel.choose(panel.control('period'), 'Last Month');
		await panel.choose(panel.control('groupBy'), 'Status', 'Day', 'Field (Such as Station)');
		await panel.choose(panel.control('groupByField'), 'StationName');
		await panel.choose(panel.control('result'), 'One Item per Group');
		await panel.addTo('Add Option', 'Max Groups');
		await panel.type(panel.control('maxGroups'), '10');
		const output = await panel.execute();
		assert.equal(itemsIn(output), 10);
		const month = DateTime.now().setZone(TIMEZONE).startOf('month');
		const [from = '', to = ''] = [month.minus({ months: 1 }), month].map(wire);
		const best = lab()
			.platform.db.prepare(
				`SELECT StationName FROM sessions WHERE StartedAtUtc >= ? AND StartedAtUtc < ?
				 GROUP BY StationName ORDER BY sum(EnergyConsumed) DESC LIMIT 10`,
			)
			.all(from, to);
		await panel.tableShows(...best.map(({ StationName }) => String(StationName)));
	});

	it('Check Platform: from an empty n8n and a new credential to the report', async () => {
		const { later } = lab();
		const { platform, n8n } = await startPair({
			log: console.log,
			later,
			timezone: TIMEZONE,
			tarball: await tarball(),
		});
		page = await openEditor(browser, n8n, 'light');
		const began = performance.now();
		await Panel.search(page, n8n.url, 'charging');
		const panel = await Panel.add(page, 'Charging Network List', 'Check platform');
		await enterCredential(page, platform);
		const findings = itemsIn(await panel.execute());
		assert.ok(findings > 30, `${findings} findings`);
		await panel.shows('as specified');
		await panel.choose(panel.control('result'), 'One Report');
		assert.equal(itemsIn(await panel.execute()), 1);
		await panel.shows('## Check Platform');
		console.log(`From the empty workflow to the report: ${Math.round((performance.now() - began) / 1000)} s`);
	});

	it("the README's first alert: from an empty n8n to messages in the chat", async () => {
		const { later } = lab();
		const stage = await startStage({ log: console.log, later, timezone: TIMEZONE, tarball: await tarball() });
		const window = await openEditor(browser, stage.n8n, 'light');
		page = window;
		const station = await walkThrough({ ...stage, page: window }, () => Promise.resolve());
		const texts = stage.receiver.received.map(({ text }) => text);
		const [alert, end] = texts.slice(-2).map(String);
		assert.ok(alert?.startsWith(messageOf(station, 'offline')), `the alert says: ${alert}`);
		assert.ok(end?.startsWith(messageOf(station, 'online')), `its end says: ${end}`);
		assert.equal(texts.length, 5, 'before that only the three messages of the test');
	});
}
