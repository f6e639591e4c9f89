import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, before, it } from 'node:test';

import { DateTime } from 'luxon';
import type { Browser, Page } from 'playwright-core';

import { byTestId, openBrowser, openEditor, openNode, openWorkflow } from '../browser.ts';
import type { WorkflowFile } from '../client.ts';
import { connect, CREDENTIAL_TYPE, startPair } from '../showcase.ts';
import { REPOSITORY, until } from '../tools.ts';
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

const [FINISHED, FAILED] = [4, 6];
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

	/** Adds sessions of a driver at one station to the platform. */
	function addSessions(
		driver: string,
		sessions: ReadonlyArray<{ status: number; start: DateTime; end?: DateTime }>,
	): void {
		const insert = lab().platform.db.prepare(
			`INSERT INTO sessions (Id, Status, StartedAtUtc, EndedAtUtc, UserName, StationName)
			 SELECT max(Id) + 1, ?, ?, ?, ?, 'Depot' FROM sessions`,
		);
		for (const { status, start, end } of sessions) insert.run(status, wire(start), end ? wire(end) : null, driver);
	}

	/** The panel of Summarize, with the sessions of a driver that began yesterday. */
	async function addSummary(driver: string): Promise<Panel> {
		const panel = await add('Charging Sessions', 'Summarize charging sessions');
		await panel.addTo('Add Condition or Group', 'Started At');
		await panel.choose(panel.control('operator'), 'In Period');
		await panel.choose(panel.control('period'), 'Yesterday');
		await panel.addTo('Add Condition or Group', 'Any Other Field (such as Station Name)');
		await panel.choose(panel.control('field'), 'UserName');
		await panel.type(panel.control('value'), driver);
		return panel;
	}

	it('searching "charging" finds every node', async () => {
		assert.deepEqual((await Panel.search(page, lab().n8n.url, 'charging')).sort(), ALL);
	});

	it('a new node chooses the credential of the key, and greets without a warning', async () => {
		await add('Charging Sessions', 'Get many charging sessions');
		const chosen = page.locator(`${byTestId('node-credentials-select')} input`);
		await until('a credential is chosen', async () => (await chosen.inputValue()) !== '');
		assert.equal(await chosen.inputValue(), lab().credential.name);
		assert.equal(await page.getByText('a person’s account').count(), 0);
	});

	it('"check platform", "uptime report" and "charge points" lead to their nodes', async () => {
		for (const [words, name] of [
			['check platform', 'Charging Network List'],
			['uptime report', 'Charging Stations'],
			['charge points', 'Charging Stations'],
			['charge points', 'Charge Point'],
		] as const)
			await Panel.search(page, lab().n8n.url, words, name);
	});

	it('Charging Sessions: a filter with a nested group is built by clicking, and the count matches SQL', async () => {
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

		await panel.addTo('Add Condition Inside This Group', 'Inner Group');
		await panel.choose(panel.control('logic', 1), 'All Conditions (AND)');
		await panel.addTo('Add Condition Inside This Inner Group', 'Any Other Field (such as Station Name)');
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

	it('Charging Stations, Availability: from an empty table no uptime, and a sentence that says why', async () => {
		const panel = await add('Charging Stations', 'Compute availability of charging stations');
		await panel.choose(panel.control('result'), 'One Item for the Network');
		assert.equal(itemsIn(await panel.execute()), 1);
		await panel.shows('uptimeMissing', 'No row says that anything was watched');
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

	it('Charge Point Trigger: status field and codes are chosen from live charge points, and a test event is fetched', async () => {
		const panel = await add('Charge Point', 'On charge point goes out of order or comes back');
		await panel.controlsAre({ statusField: 1, outOfOrderValues: 1, fromValues: 0 });
		await panel.choose(panel.control('statusField'), 'Status');
		const [code = ''] = await panel.options(panel.control('outOfOrderValues'));
		await panel.choose(panel.control('outOfOrderValues'), code);
		assert.ok(itemsIn(await panel.execute()) >= 1);
		await panel.shows('chargePointId');
	});

	it('Charging Locations: every location is returned', async () => {
		const panel = await add('Charging Locations', 'Get many locations');
		await panel.control('returnAll').locator('.el-switch').click();
		const output = await panel.execute();
		const { db } = lab().platform;
		assert.equal(itemsIn(output), db.prepare('SELECT count(*) AS n FROM locations').get()?.n);
		const [name] = db
			.prepare('SELECT Name FROM locations')
			.all()
			.map(({ Name }) => String(Name));
		await panel.shows(name ?? '?');
	});

	it('Charging Network List: the picker shows the lists, a live field filters, and rows are returned', async () => {
		const panel = await add('Charging Network List', 'Get many rows');
		const offered = await panel.resources('list');
		// The editor selects the signed-in user for a new node, who may read all of them.
		for (const text of ['Tariffs', 'Teams', 'Energy Assets', 'Audit Trail', 'By Path'])
			assert.ok(
				offered.some((entry) => entry.includes(text)),
				`${text} is not among ${offered.join()}`,
			);
		await panel.pick('list', 'Tariffs');
		await panel.addTo('Add Condition or Group', 'Field');
		await panel.choose(panel.control('field'), 'Currency');
		await panel.type(panel.control('value'), 'CHF');
		const output = await panel.execute();
		const { db } = lab().platform;
		assert.equal(itemsIn(output), db.prepare("SELECT count(*) AS n FROM tariffs WHERE Currency = 'CHF'").get()?.n);
		await panel.tableShows('PricePerKwh');
	});

	it('Charging Session Events Trigger: its settings follow the events, and a test event is fetched', async () => {
		const panel = await add('Charging Session Events', 'On session is running long');
		await panel.controlsAre({ runningHours: 1, endStatuses: 0 });
		await panel.choose(panel.control('events'), 'Session Ends');
		await panel.controlsAre({ runningHours: 1, endStatuses: 1 });
		assert.ok(itemsIn(await panel.execute()) >= 1);
		await panel.shows('sessionId');
	});

	it('Charging Sessions, Summarize: one item of figures instead of rows', async () => {
		const panel = await add('Charging Sessions', 'Summarize charging sessions');
		assert.equal(itemsIn(await panel.execute()), 1);
		await panel.shows('energyConsumed');
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

	it('Charging Sessions, Summarize: weekday averages against the month before, by clicking', async () => {
		const panel = await add('Charging Sessions', 'Summarize charging sessions');
		await panel.addTo('Add Condition or Group', 'Started At');
		await panel.choose(panel.control('operator'), 'In Period');
		await panel.choose(panel.control('period'), 'Last Month');
		await panel.press('Add Measure');
		await panel.choose(panel.control('field'), 'Energy Consumed');
		await panel.choose(panel.control('function'), 'Average');
		await panel.choose(panel.control('groupBy'), 'Status', 'Day', 'Weekday');
		await panel.choose(panel.control('result'), 'One Item per Group');
		await panel.choose(panel.control('compareWith'), 'Previous Period');
		assert.equal(itemsIn(await panel.execute()), 7);
		const average = (weekday: number, months: number) => {
			const month = DateTime.now().setZone(TIMEZONE).startOf('month');
			const days = lab()
				.platform.db.prepare('SELECT StartedAtUtc, EnergyConsumed FROM sessions WHERE EnergyConsumed IS NOT NULL')
				.all()
				.filter(({ StartedAtUtc }) => {
					const start = DateTime.fromISO(String(StartedAtUtc), { zone: 'utc' }).setZone(TIMEZONE);
					return start.hasSame(month.minus({ months }), 'month') && start.weekday === weekday;
				});
			return days.reduce((sum, { EnergyConsumed }) => sum + Number(EnergyConsumed), 0) / days.length;
		};
		// The table shows the figures with all their digits, of which the last few depend on how they are added up, but
		// without zeros at the end.
		const shown = [average(1, 1), average(7, 2)].map((figure) =>
			figure
				.toFixed(9)
				.slice(0, -2)
				.replace(/\.?0+$/, ''),
		);
		await panel.tableShows('Monday', 'Sunday', 'EnergyConsumed_average_previous', ...shown);
	});

	it('Charging Sessions, Summarize: the success of visits, by clicking', async () => {
		const day = DateTime.now().setZone(TIMEZONE).minus({ days: 1 }).startOf('day');
		const tries = [FAILED, FAILED, FAILED, FINISHED].map((status, index) => ({
			status,
			start: day.plus({ hours: 10, minutes: 4 * index }),
		}));
		addSessions('Dana', tries);
		const panel = await addSummary('Dana');
		await panel.press('Add Measure');
		await panel.controlsAre({ driverField: 0, placeField: 0, visitMinutes: 0, endField: 0 });
		await panel.choose(panel.control('function'), 'Visit Success');
		await panel.controlsAre({ driverField: 1, placeField: 1, visitMinutes: 1, endField: 0, chargePointField: 0 });
		await panel.choose(panel.control('driverField'), 'UserName');
		await panel.choose(panel.control('placeField'), 'StationName');
		await panel.type(panel.control('visitMinutes'), '3');
		await panel.choose(panel.control('groupBy'), 'Status', 'Day');
		await panel.execute();
		await panel.jsonShows({ visitSuccess: 25, visitSuccessVisits: 4, visitSuccessFirstTry: 1 });
		await panel.type(panel.control('visitMinutes'), '4');
		await panel.execute();
		await panel.jsonShows({ visitSuccess: 100, visitSuccessVisits: 1, visitSuccessAfterTrouble: 1 });
	});

	it('Charging Sessions, Summarize: each measure of hours shows its own fields, and gives its figures', async () => {
		const day = DateTime.now().setZone(TIMEZONE).minus({ days: 1 }).startOf('day');
		addSessions('Emil', [
			{ status: FINISHED, start: day.plus({ hours: 10 }), end: day.plus({ hours: 12, minutes: 30 }) },
		]);
		const panel = await addSummary('Emil');
		await panel.choose(panel.control('groupBy'), 'Status', 'Day');
		await panel.press('Add Measure');
		await panel.choose(panel.control('function'), 'Duration');
		await panel.controlsAre({ endField: 1, chargePointField: 0, powerField: 0, chargePoints: 0, daysBefore: 0 });
		await panel.choose(panel.control('endField'), 'EndedAtUtc');
		await panel.execute();
		await panel.jsonShows({ duration: 2.5, durationLongest: 2.5, durationWithoutEnd: 0 });
		await panel.choose(panel.control('function'), 'Energy Use');
		await panel.controlsAre({ endField: 0, chargePointField: 1, powerField: 1, chargePoints: 1, daysBefore: 0 });
		await panel.choose(panel.control('function'), 'Use');
		await panel.controlsAre({ endField: 1, chargePointField: 1, powerField: 0, chargePoints: 1, daysBefore: 1 });
		// n8n forgets what is hidden meanwhile.
		await panel.choose(panel.control('endField'), 'EndedAtUtc');
		await panel.choose(panel.control('chargePointField'), 'StationName');
		await panel.type(panel.control('chargePoints'), '2');
		await panel.execute();
		const possible = 2 * day.plus({ days: 1 }).diff(day).as('hours');
		await panel.jsonShows({ useHours: 2.5, useHoursPossible: possible, useWithoutEnd: 0 });
	});

	it('Charging Network Rows Trigger: fields are chosen for rows that change, and a test event is fetched', async () => {
		const panel = await add('Charging Network Rows', 'On row changed');
		await panel.pick('list', 'Tariffs');
		await panel.controlsAre({ watchedFields: 1, ignoredFields: 1 });
		await page.getByText('1,000 rows cost 11 requests').waitFor();
		await panel.choose(panel.control('watchedFields'), 'PricePerKwh');
		assert.ok(itemsIn(await panel.execute()) >= 1);
		await panel.jsonShows({ event: 'changedRow' });
		await panel.choose(panel.control('event'), 'New Row in a List');
		await panel.controlsAre({ watchedFields: 0, ignoredFields: 0 });
	});

	it('Charging Sessions, Count: five stations of another node, dragged into the filter', async () => {
		const { n8n, platform } = lab();
		const stations = platform.db
			.prepare('SELECT StationName AS station, count(*) AS count FROM sessions GROUP BY 1 ORDER BY 2 DESC LIMIT 5')
			.all();
		await openWorkflow(
			page,
			n8n,
			await n8n.importWorkflow(stationList(stations.map(({ station }) => String(station)))),
		);
		await page.locator(byTestId('canvas-handle-plus')).click();
		await page.fill(byTestId('node-creator-search-bar'), 'charging');
		const panel = await Panel.add(page, 'Charging Sessions', 'Count charging sessions');
		await panel.addTo('Add Condition or Group', 'Any Other Field (such as Station Name)');
		await panel.choose(panel.control('field'), 'StationName');
		await panel.drag('station', panel.control('value'));
		await panel.addTo('Add Option', 'Include Input Fields');
		assert.equal(itemsIn(await panel.execute()), 5);
		await panel.tableShows(...stations.flatMap(({ station, count }) => [String(station), String(count)]));
	});

	it('the next node shows the fields of sessions and stations as input before anything has run', async () => {
		const { n8n, credential } = lab();
		const shown = {
			chargingSessions: ['Id', 'Status', 'EnergyConsumed', 'StartedAtUtc'],
			chargingStations: ['Id', 'Name', 'NetworkStatus', 'Status', 'HardwareStatus'],
		};
		for (const [type, fields] of Object.entries(shown)) {
			const id = await n8n.importWorkflow(connect(beforeAnotherNode(type), credential, ''));
			await openWorkflow(page, n8n, id);
			await openNode(page, 'Next');
			const input = page.locator(byTestId('ndv-input-panel'));
			for (const field of fields) await input.getByText(field, { exact: true }).first().waitFor();
		}
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
		assert.ok(findings > 40, `${findings} findings`);
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

/** A workflow whose first node holds a station in each item, as a spreadsheet or a table gives them. */
function stationList(stations: readonly string[]): WorkflowFile {
	const name = 'Stations';
	return {
		name,
		nodes: [
			{
				id: name,
				name,
				type: 'n8n-nodes-base.manualTrigger',
				typeVersion: 1,
				position: [0, 0],
				parameters: {},
			},
		],
		connections: {},
		pinData: { [name]: stations.map((station) => ({ json: { station } })) },
	};
}

/** A node of this package with another one behind it. */
function beforeAnotherNode(type: string): WorkflowFile {
	const node = (name: string, fullType: string, x: number): WorkflowFile['nodes'][number] => ({
		id: name,
		name,
		type: fullType,
		typeVersion: 1,
		position: [x, 0],
		parameters: {},
	});
	const first = node('First', `n8n-nodes-charging-network.${type}`, 0);
	return {
		name: type,
		nodes: [
			{ ...first, credentials: { [CREDENTIAL_TYPE]: { id: '', name: '' } } },
			node('Next', 'n8n-nodes-base.noOp', 240),
		],
		connections: { First: { main: [[{ node: 'Next', type: 'main', index: 0 }]] } },
	};
}
