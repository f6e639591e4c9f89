import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { before, it } from 'node:test';

import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';

import type { WorkflowFile } from '../client.ts';
import { outputOf } from '../client.ts';
import { alphabetical } from '../expectations.ts';
import {
	connect,
	CREDENTIAL_TYPE,
	exampleFiles,
	readExample,
	SCOPES,
	startShowcase,
	type Showcase,
} from '../showcase.ts';
import { until } from '../tools.ts';
import { tarball, TIMEZONE, type Lab } from './lab.ts';
import { startOutages, type Outages } from './outages.ts';
import { startReceiver } from './receiver.ts';
import { readingsWith } from './watched.ts';

/**
 * How fast time passes in the n8n with the published examples: ten minutes take twenty seconds. Any faster, and the
 * minute that a request may take would be over too soon on a busy machine.
 */
const RATE = 30;
/**
 * That n8n's clock starts at four on the third of next month. The first message is due at six: n8n has four minutes to
 * start and to publish everything.
 */
const BEGIN_HOUR = 4;
/**
 * How long the example that escalates waits for an answer here. Its own 15 minutes are half a minute at that rate: on a
 * busy machine a link may be over before the test opens it.
 */
const ANSWER_MINUTES = 90;
const MINUTE_MS = 60_000;
const TWO_HOURS_MS = 120 * MINUTE_MS;
const ONLINE = 1;
const OFFLINE = 2;
const FAULT = 3;
/** How a person's browser calls itself. */
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';
const ACTIVE = 1;

/** A published example: the messages and files that it sent, and how often it has read a list. */
interface Published {
	messages: IDataObject[];
	files: string[];
	readings: () => number;
}

/**
 * The examples that start by themselves, published as shipped with their own times and settings, and started by n8n's
 * own scheduler. Only what a sticky note asks the user to do is done: choosing the credential, and telling the sending
 * node where to send.
 */
export function alertTests(lab: () => Lab): void {
	let showcase: Showcase;
	let outages: Outages;
	/** The third of next month, which is today by n8n's clock. */
	let today: DateTime;
	/** When that month began. */
	let month: DateTime;
	const published = new Map<string, Published>();

	before(async () => {
		const { later, line } = lab();
		month = DateTime.now().setZone(TIMEZONE).plus({ months: 1 }).startOf('month');
		today = month.plus({ days: 2 });
		showcase = await startShowcase({
			log: console.log,
			later,
			line,
			timezone: TIMEZONE,
			tarball: await tarball(),
			clock: { start: today.set({ hour: BEGIN_HOUR }).toJSDate(), rate: RATE },
			platform: { sessions: 20_000, stations: 250 },
		});
		addSessionsOfYesterday();
		for (const file of exampleFiles().filter(startsByItself)) {
			const receiver = await startReceiver();
			later(() => receiver.close());
			await publish(file, receiver.url);
			const { received: messages, files } = receiver;
			const readings = () => readingsWith(file, showcase.platform).length;
			published.set(file, { messages, files, readings });
		}
		// Its other triggers do not ask for that status.
		const polls = () =>
			readingsWith('incidents-to-data-table.json', showcase.platform).filter(({ query }) =>
				query?.includes('"NetworkStatus"'),
			).length;
		outages = startOutages(showcase.platform.db, soundStations(100, 7), polls, TWO_HOURS_MS / RATE);
		later(() => outages.stop());
	});

	/** The stand-in's history ends today, but n8n's clock is ahead of it. */
	function addSessionsOfYesterday(): void {
		const insert = showcase.platform.db.prepare(
			'INSERT INTO sessions (Id, Status, EnergyConsumed, StartedAtUtc) VALUES (?, ?, ?, ?)',
		);
		insert.run(900_001, 4, 0.1, wire(today.minus({ days: 1 })));
		insert.run(900_002, 4, 0.2, wire(today.minus({ seconds: 1 })));
		insert.run(900_003, 6, null, wire(today.minus({ hours: 12 })));
		insert.run(900_004, 6, 50, wire(today));
		insert.run(900_005, 4, 0.3, wire(month.minus({ days: 1 })));
	}

	/** Uses a key of its own, to tell its polls from those of the others. */
	async function publish(file: string, receiver: string): Promise<void> {
		const { n8n, platform, dataTables } = showcase;
		const { secret } = platform.createKey({ name: file, scopes: SCOPES });
		const data = { environment: 'test', testUrl: platform.baseUrl, apiKey: secret };
		const credential = { id: await n8n.createCredential(file, CREDENTIAL_TYPE, data), name: file };
		const workflow = sendingTo(
			receiver,
			connect(readExample(file), credential, platform.baseUrl, dataTables.get(file)),
		);
		await n8n.publish(await n8n.importWorkflow(workflow));
	}

	function example(file: string): Published {
		const found = published.get(file);
		assert.ok(found, `${file} is not published`);
		return found;
	}

	/** Waits for lists that are read after now: of stations, one in each poll. */
	async function furtherReadings({ readings }: Published, count: number): Promise<void> {
		const from = readings();
		await until(`${count} further readings`, () => readings() >= from + count);
	}

	/** Names of this many stations that are online without a fault, starting with number `from`. */
	function soundStations(from: number, count: number): string[] {
		return showcase.platform.db
			.prepare(
				`SELECT Name FROM stations WHERE NetworkStatus = ${ONLINE} AND HardwareStatus <> ${FAULT} ORDER BY Id LIMIT ? OFFSET ?`,
			)
			.all(count, from)
			.map(({ Name }) => String(Name));
	}

	/** Stations that a test has changed: a message may be older, or newer. */
	const changed = new Set<string>();

	function set(station: string, column: 'NetworkStatus' | 'HardwareStatus', code: number): void {
		changed.add(station);
		showcase.platform.db.prepare(`UPDATE stations SET ${column} = ? WHERE Name = ?`).run(code, station);
	}

	/** Running sessions, newest first. */
	function runningSessions(count: number): number[] {
		return showcase.platform.db
			.prepare(`SELECT Id FROM sessions WHERE Status = ${ACTIVE} ORDER BY Id DESC LIMIT ?`)
			.all(count)
			.map(({ Id }) => Number(Id));
	}

	it('offline-alert.json: one message after ten minutes and one on return, none for a shorter outage', async () => {
		const alert = example('offline-alert.json');
		const [station = '', flapping = ''] = soundStations(0, 2);
		const texts = () => textsAbout(alert, station, flapping);
		await furtherReadings(alert, 2);
		set(station, 'NetworkStatus', OFFLINE);
		set(flapping, 'NetworkStatus', OFFLINE);
		await furtherReadings(alert, 1);
		set(flapping, 'NetworkStatus', ONLINE);
		await until('the message that it is offline', () => texts().length > 0);
		set(station, 'NetworkStatus', ONLINE);
		await until('the message that it is back', () => texts().length > 1);
		await furtherReadings(alert, 2);
		const [offline = '', back = ''] = texts();
		assert.match(offline, new RegExp(`^${station} has been offline since \\d\\d:\\d\\d, for \\d+ minutes\\.$`));
		const minutes = new RegExp(`^${station} is back online\\. It was .*, for (\\d+) minutes\\.$`).exec(back)?.[1];
		assert.ok(Number(minutes) >= 10, back);
		assert.equal(texts().length, 2, texts().join(' '));
	});

	/** The link of each station that has gone offline, which acknowledges its outage. */
	const links = new Map<string, string>();

	it('offline-acknowledge-and-escalate.json: the first contact gets a message with a link', async () => {
		const contacts = example('offline-acknowledge-and-escalate.json');
		const stations = soundStations(30, 3);
		for (const station of stations) {
			set(station, 'NetworkStatus', OFFLINE);
			// One at a time: one link acknowledges all outages that are reported by the same poll.
			const text = await until(
				`the message to the first contact about ${station}`,
				() => textsAbout(contacts, station)[0],
			);
			const [, about = '', link = ''] = /^(.*) I take care of it: (http.*)$/.exec(text) ?? [];
			assert.match(about, new RegExp(`^${station} has been offline since \\d\\d:\\d\\d, for \\d+ minutes\\.$`));
			links.set(station, link);
		}
		const [, acknowledged = '', back = ''] = stations;
		const open = async (agent: string) =>
			await fetch(links.get(acknowledged) ?? '', { headers: { 'user-agent': agent } });
		assert.equal((await open('Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)')).status, 403);
		const answer = await open(BROWSER);
		assert.equal(answer.status, 200);
		set(back, 'NetworkStatus', ONLINE);
	});

	it('incidents-to-data-table.json: one row per outage, completed at its end, and a row of what was watched', async () => {
		const file = 'incidents-to-data-table.json';
		const kept = example(file);
		const [station = ''] = soundStations(20, 1);
		const rows = async (kind: string) =>
			(await showcase.n8n.dataTableRows(showcase.dataTables.get(file) ?? '')).filter((row) => row.kind === kind);
		const incident = async () => (await rows('incident')).find(({ stationName }) => stationName === station);
		await furtherReadings(kept, 2);
		set(station, 'NetworkStatus', OFFLINE);
		const open = await until('the row of the outage', incident);
		assert.equal(open.until, null);
		set(station, 'NetworkStatus', ONLINE);
		const ended = await until('its end', async () => {
			const row = await incident();
			return typeof row?.until === 'string' && row;
		});
		assert.deepEqual([ended.id, ended.since], [open.id, open.since]);
		const [watching] = await until('what was watched', async () => {
			const found = await rows('watching');
			return found.length > 0 && found;
		});
		assert.equal(watching?.stations, '250');
	});

	it('new-fault-creates-a-ticket-once.json: one ticket for a fault that lasts five minutes', async () => {
		const tickets = example('new-fault-creates-a-ticket-once.json');
		const [station = ''] = soundStations(10, 1);
		await furtherReadings(tickets, 2);
		set(station, 'HardwareStatus', FAULT);
		await until('the ticket', () => tickets.messages.length > 0);
		await furtherReadings(tickets, 2);
		assert.equal(tickets.messages.length, 1);
		const [ticket] = tickets.messages;
		assert.equal(ticket?.title, `Fault at ${station}`);
		assert.match(
			textOf(ticket.description),
			/^Hardware status changed from \d to 3, seen since .*, [1-9]\d* charge points/,
		);
		assert.equal(typeof ticket.reference, 'string');
	});

	it('monthly-csv-export-by-mail.json: a mail on the third of the month at six', async () => {
		const report = example('monthly-csv-export-by-mail.json');
		await until('the mail', () => report.messages.length > 0);
		const { count } = finishedLastMonth();
		assert.equal(report.messages.length, 1);
		const [mail] = report.messages;
		const days = `${month.minus({ months: 1 }).toISODate()} to ${month.minus({ days: 1 }).toISODate()}`;
		assert.equal(mail?.subject, `Charging sessions ${days}`);
		assert.match(textOf(mail.text), new RegExp(`^${count} finished charging sessions are in the attached file`));
	});

	it('export-proven-on-arrival.json: the file of the month, and then its proof, once', async () => {
		const { messages, files } = example('export-proven-on-arrival.json');
		await until('the proof', () => messages.length > 0);
		const [proof] = messages;
		assert.deepEqual([messages.length, files.length], [1, 1]);
		assert.equal(proof?.rowCount, finishedLastMonth().count);
		assert.equal(
			proof.sha256,
			createHash('sha256')
				.update(files[0] ?? '')
				.digest('hex'),
		);
	});

	it('monthly-uptime-report-by-mail.json: a mail on the third of the month at six', async () => {
		const report = example('monthly-uptime-report-by-mail.json');
		await until('the mail', () => report.messages.length > 0);
		const [mail] = report.messages;
		assert.equal(mail?.subject, `Uptime in ${month.minus({ months: 1 }).toFormat('MMMM yyyy')}`);
		assert.match(textOf(mail.text), /^Uptime of 250 stations: /m);
		assert.equal(report.messages.length, 1);
	});

	it('stations-still-offline-daily.json: a message every morning at seven', async () => {
		const list = example('stations-still-offline-daily.json');
		await until('the message', () => list.messages.length > 0);
		const offline = showcase.platform.db
			.prepare(`SELECT Name FROM stations WHERE NetworkStatus <> ${ONLINE}`)
			.all()
			.map(({ Name }) => String(Name))
			.sort(alphabetical);
		const [head = '', ...lines] = textOf(list.messages[0]?.text).split('\n');
		const more = Number(/^and (\d+) more$/.exec(lines.at(-1) ?? '')?.[1] ?? 0);
		const names = lines.slice(0, more > 0 ? -1 : undefined).map((line) => line.replace('• ', ''));
		assert.equal(head, `${names.length + more} stations are offline:`);
		assert.ok(names.length <= 20, `${names.length} names`);
		const steady = (all: string[]) => all.filter((name) => !outages.stations.includes(name) && !changed.has(name));
		const last = steady(names).at(-1) ?? '';
		assert.deepEqual(steady(names), steady(offline).slice(0, steady(offline).indexOf(last) + 1));
	});

	it('daily-summary-to-chat.json: a message every morning at seven, with the figures of the day before', async () => {
		const summary = example('daily-summary-to-chat.json');
		await until('the message', () => summary.messages.length > 0);
		const yesterday = today.minus({ days: 1 });
		// On the last day of a month, the stand-in's history has sessions of that day, too.
		const figures = (groupBy: string) =>
			showcase.platform.db
				.prepare(
					`SELECT iif(Status = 4, 'Finished', iif(Status = 6, 'Failed', 'Code ' || Status)) AS status, count(*) AS count,
					 coalesce(sum(CAST(round(EnergyConsumed * 1000) AS INTEGER)), 0) / 1000.0 AS energy
					 FROM sessions WHERE StartedAtUtc >= ? AND StartedAtUtc < ? GROUP BY ${groupBy} ORDER BY ${groupBy}`,
				)
				.all(wire(yesterday), wire(today));
		const [all] = figures('NULL');
		assert.deepEqual(textOf(summary.messages[0]?.text).split('\n'), [
			`${yesterday.toISODate()}: ${Number(all?.count)} charging sessions, energy ${Number(all?.energy)}`,
			...figures('sessions.Status').map(
				({ status, count, energy }) => `• ${String(status)}: ${Number(count)}, energy ${Number(energy)}`,
			),
		]);
	});

	it('failed-session-message.json: one message for each session that fails', async () => {
		const alert = example('failed-session-message.json');
		await furtherReadings(alert, 2);
		const [finishes = 0, fails = 0] = runningSessions(2);
		showcase.platform.endSession(finishes, 'finished');
		showcase.platform.endSession(fails, 'failed');
		await until('the message', () => alert.messages.length > 0);
		await furtherReadings(alert, 2);
		assert.equal(alert.messages.length, 1);
		assert.match(
			textOf(alert.messages[0]?.text),
			new RegExp(`^Charging session ${fails} failed\\. It started at \\d\\d:\\d\\d and took [\\d.]+ kWh\\.$`),
		);
	});

	it('sessions-running-longer-than-a-day.json: one message for sessions that have become a day old', async () => {
		const long = example('sessions-running-longer-than-a-day.json');
		await furtherReadings(long, 2);
		// Sessions have the platform's times, whose clock runs at normal speed: a day minus two seconds.
		const startedAt = DateTime.now().minus({ days: 1 }).plus({ seconds: 2 }).toMillis();
		const ids = [1, 2].map(() => showcase.platform.startSession({ startedAt }));
		await until('the message', () => long.messages.length > 0);
		await furtherReadings(long, 1);
		assert.equal(long.messages.length, 1);
		const text = textOf(long.messages[0]?.text);
		const line = (id: number) => new RegExp(`^Session ${id} \\(started .*\\) has been running for 1 day`);
		for (const [index, id] of ids.entries()) assert.match(text.split('\n')[index] ?? '', line(id));
	});

	it('offline-acknowledge-and-escalate.json: the second contact gets only outages neither acknowledged nor over', async () => {
		const contacts = example('offline-acknowledge-and-escalate.json');
		const [nobody = '', acknowledged = '', back = ''] = links.keys();
		await until('the message to the second contact', () => textsAbout(contacts, nobody).length > 1);
		for (const link of links.values()) {
			const id = /\/webhook-waiting\/(\d+)/.exec(link)?.[1] ?? '';
			assert.equal((await showcase.n8n.executionEnd(id)).status, 'success');
		}
		assert.equal(textsAbout(contacts, nobody)[1], `${nobody} is still offline, and nobody has acknowledged it.`);
		assert.deepEqual(
			[acknowledged, back].map((station) => textsAbout(contacts, station).length),
			[1, 1],
		);
	});

	it('incidents-to-data-table.json and Availability: two hours of outages match the stand-in to within one poll', async () => {
		const file = 'incidents-to-data-table.json';
		const known = await until('two hours', () => outages.over());
		const { n8n, dataTables, credential, platform } = showcase;
		const dataTable = dataTables.get(file);
		const ended = await until('the end of every outage, and a row that says that it was watched', async () => {
			const rows = await n8n.dataTableRows(dataTable ?? '');
			const watchedTo = Math.max(...rows.map((row) => (row.kind === 'watching' ? timeOf(row.until) : 0)));
			const incidents = rows.filter(({ stationName }) => outages.stations.includes(textOf(stationName)));
			return incidents.every(({ until: end }) => end !== null && timeOf(end) <= watchedTo) && incidents;
		});
		const report = connect(readExample('monthly-uptime-report-by-mail.json'), credential, platform.baseUrl, dataTable);
		for (const node of report.nodes) if (node.parameters.period) node.parameters.period = 'thisMonth';
		const uptime = outputOf(await n8n.execute(await n8n.importWorkflow(report)), 'Uptime per Station');
		// Five minutes between two polls, and more on a busy machine.
		const polls = platform.requests.filter(({ keyName }) => keyName === file).map(({ at }) => at);
		const longestPause = (Math.max(...polls.slice(1).map((at, index) => at - (polls[index] ?? 0))) * RATE) / MINUTE_MS;
		for (const station of outages.stations) {
			const rows = ended.filter(({ stationName }) => stationName === station).map(minutesOf);
			const expected = known.filter((outage) => outage.station === station).map(({ ms }) => (ms * RATE) / MINUTE_MS);
			assert.equal(rows.length, expected.length, `${station}: ${JSON.stringify(rows)}, ${JSON.stringify(expected)}`);
			for (const [index, minutes] of expected.entries()) {
				const difference = Math.abs((rows[index] ?? 0) - minutes);
				assert.ok(difference < longestPause + 1, `${station}: ${rows[index]} instead of ${minutes} minutes`);
			}
			const { incidents, downMinutes } = uptime.find(({ stationName }) => stationName === station) ?? {};
			const down = rows.reduce((sum, minutes) => sum + minutes, 0);
			assert.equal(incidents, rows.length);
			assert.ok(
				Math.abs(Number(downMinutes) - down) < 1,
				`${station}: ${textOf(downMinutes)} instead of ${down} minutes`,
			);
		}
	});

	it('no execution failed', async () => {
		assert.deepEqual(await showcase.n8n.failures(), []);
	});

	it('every example that starts by itself is covered here', () => {
		// They start on Mondays or once a month, send nothing, or resemble a tested one: here they are only published.
		// `examples.ts` runs them.
		const onlyPublished = [
			'charge-point-out-of-order',
			'monday-report-by-mail',
			'monthly-statement-per-driver',
			'price-corrections',
			'sessions-to-check-before-billing',
			'stalled-session',
			'stations-that-went-quiet',
		];
		const tried = [
			'daily-summary-to-chat',
			'export-proven-on-arrival',
			'failed-session-message',
			'incidents-to-data-table',
			'monthly-csv-export-by-mail',
			'monthly-uptime-report-by-mail',
			'new-fault-creates-a-ticket-once',
			'offline-acknowledge-and-escalate',
			'offline-alert',
			'sessions-running-longer-than-a-day',
			'stations-still-offline-daily',
		];
		assert.deepEqual(
			[...published.keys()],
			[...onlyPublished, ...tried].sort().map((name) => `${name}.json`),
		);
	});

	/** Counted in what is the last month by n8n's clock. */
	function finishedLastMonth() {
		return showcase.platform.db
			.prepare('SELECT count(*) AS count FROM sessions WHERE Status = 4 AND StartedAtUtc >= ? AND StartedAtUtc < ?')
			.get(wire(month.minus({ months: 1 })), wire(month)) as { count: number };
	}
}

/** A time as the platform writes it. */
const wire = (time: DateTime) => time.toUTC().toFormat("yyyy-MM-dd'T'HH:mm:ss");

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

/** The received texts about any of these stations, oldest first. */
const textsAbout = ({ messages }: Published, ...stations: string[]) =>
	messages.map(({ text }) => textOf(text)).filter((text) => stations.some((station) => text.includes(station)));

const timeOf = (value: unknown) => Date.parse(textOf(value));

/** Length of a stored outage. */
const minutesOf = (row: IDataObject) => (timeOf(row.until) - timeOf(row.since)) / MINUTE_MS;

/** `mcp.ts` tries the one that others call or chat with. */
const isSelfStarting = ({ type }: { type: string }) =>
	/trigger$/i.test(type) && !/(manual|mcp|chat|executeWorkflow)Trigger$/.test(type);

const startsByItself = (file: string) => readExample(file).nodes.some(isSelfStarting);

/**
 * Enables the nodes that an example leaves for the user to set up, and points them at the receiver. Texts for a chat or
 * mailbox are posted as they are in the node, rows of a sheet as the item.
 */
export function sendingTo(url: string, workflow: WorkflowFile): WorkflowFile {
	const nodes = workflow.nodes.map((node) => {
		if (node.name === 'Wait for an Answer') {
			return { ...node, parameters: { ...node.parameters, resumeAmount: ANSWER_MINUTES } };
		}
		if (!node.disabled) return node;
		const active = { ...node, disabled: false };
		if (node.type === 'n8n-nodes-base.httpRequest') return { ...active, parameters: { ...node.parameters, url } };
		const { subject, text } = node.parameters;
		const parameters = Object.entries({ subject, text }).flatMap(([name, value]) => (value ? [{ name, value }] : []));
		const item = { specifyBody: 'json', jsonBody: '={{ JSON.stringify($json) }}' };
		const body = parameters.length > 0 ? { bodyParameters: { parameters } } : item;
		return {
			...active,
			type: 'n8n-nodes-base.httpRequest',
			typeVersion: 4.2,
			parameters: { method: 'POST', url, sendBody: true, ...body },
		};
	});
	return { ...workflow, nodes };
}
