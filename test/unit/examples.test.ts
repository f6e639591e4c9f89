import { readFileSync } from 'node:fs';

import fastGlob from 'fast-glob';
import { DateTime } from 'luxon';
import type { IDataObject, INode, IWorkflowBase } from 'n8n-workflow';

import { evaluate, fieldOf } from '../support/expression';

/** Nodes that send: mail, chat, tickets, files, sheets. */
const SENDING = new Set(['emailSend', 'slack', 'httpRequest', 'googleSheets']);
/** The node type without its package; nodes of the AI package keep `langchain.`. */
const nameOf = ({ type }: INode) => type.replace(/^n8n-nodes-base\./, '').replace(/^@n8n\/n8n-nodes-/, '');

const readWorkflow = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as IWorkflowBase;

describe.each(fastGlob.sync('examples/*.json'))('%s', (file) => {
	it('names credentials by an id: one that is chosen in place of null, n8n 2.41 does not save', () => {
		const used = readWorkflow(file).nodes.flatMap(({ credentials = {} }) => Object.values(credentials));
		expect(used.filter(({ id }) => id !== 'choose-yours')).toEqual([]);
	});

	it('asks whoever opens its page for a password, and its links do nothing for a link preview', () => {
		const open = readWorkflow(file).nodes.filter((node) => {
			const { authentication, options } = node.parameters as { authentication?: string; options?: IDataObject };
			if (['webhook', 'formTrigger'].includes(nameOf(node))) return authentication !== 'basicAuth';
			return nameOf(node) === 'wait' && node.parameters.resume === 'webhook' && options?.ignoreBots !== true;
		});
		expect(open.map(({ name }) => name)).toEqual([]);
	});

	it('makes no file in which a name is a formula: texts of a workbook are texts', () => {
		const files = readWorkflow(file).nodes.filter((node) => nameOf(node) === 'convertToFile');
		expect(files.filter(({ parameters }) => parameters.operation !== 'xlsx').map(({ name }) => name)).toEqual([]);
	});

	it('tries again what it sends', () => {
		const sending = readWorkflow(file).nodes.filter((node) => SENDING.has(nameOf(node)));
		expect(sending.filter(({ retryOnFail }) => retryOnFail !== true).map(({ name }) => name)).toEqual([]);
	});
});

it('offline-acknowledge-and-escalate.json: that an outage is over is noted above the wait, which holds back all below it', () => {
	const { nodes } = readWorkflow('examples/offline-acknowledge-and-escalate.json');
	const heightOf = (name: string) => nodes.find((node) => node.name === name)?.position[1];
	expect(heightOf('No Longer Open')).toBeLessThan(heightOf('Note It') ?? 0);
});

it('stations-still-offline-daily.json: a message that every chat takes, however many and however long the names', () => {
	const text = (stations: number, name: string) =>
		evaluate(fieldOf('stations-still-offline-daily.json', 'Message', 'text'), {
			input: Array.from({ length: stations }, (_, Id) => ({ Id, Name: name })),
			now: DateTime.now(),
		}) as string;
	expect(text(2, 'Depot')).toBe('2 stations are offline:\n• Depot\n• Depot');
	expect(text(250, 'Depot').split('\n').slice(-2)).toEqual(['• Depot', 'and 230 more']);
	expect(text(250, 'x'.repeat(500)).length).toBeLessThanOrEqual(1_900);
});

it('top-stations-last-month.json: utilisation is hours of sessions by the hours of the month and charge points', () => {
	const utilisation = (item: IDataObject, month: string) =>
		evaluate(fieldOf('top-stations-last-month.json', 'Table', 'Utilisation (%)'), {
			input: [item],
			nodes: { 'Your Field Names': [{ station: 'StationName', chargePoints: 2, others: { 'Harbour 007': 4 } }] },
			now: DateTime.fromISO(month, { zone: 'Europe/Berlin' }),
		});
	// October has 745 hours there: 149 of 1,490 are a tenth. A station of four charge points could give twice as much.
	expect(utilisation({ StationName: 'Depot', duration: 149 }, '2026-11-03')).toBe('10.0');
	expect(utilisation({ StationName: 'Harbour 007', duration: 149 }, '2026-11-03')).toBe('5.0');
	expect(utilisation({ isOther: true, duration: 149 }, '2026-11-03')).toBe('');
	expect(utilisation({ StationName: null, duration: 72 }, '2026-10-03')).toBe('5.0');
});

it('monthly-statement-per-driver.json: prices of the platform, or of your own with a base fee', () => {
	const names = { driver: 'UserName', price: 'Price', currency: 'Currency', ownPrices: [] };
	const statement = (UserName: string | null, settings: IDataObject) =>
		['Driver', 'Amount', 'Currency', 'Without a Readable Amount'].map((field) =>
			evaluate(fieldOf('monthly-statement-per-driver.json', 'Statement', field), {
				input: [
					{
						UserName,
						Price_sum: 12.5,
						Price_unusable: 2,
						Price_missing: 3,
						EnergyConsumed_sum: 10,
						EnergyConsumed_unusable: 1,
						EnergyConsumed_missing: 4,
						Currency: 'EUR',
					},
				],
				nodes: { 'Your Field Names': [{ ...names, ...settings }] },
				now: DateTime.now(),
			}),
		);
	const ownPrices = [
		{ who: 'Zoë Åkesson', perKwh: 0.35, baseFee: 5 },
		{ who: 'everybody else', perKwh: 0.3, baseFee: 0 },
	];
	const own = { ownPrices, ownCurrency: 'CHF' };
	expect(statement('Ada', {})).toEqual(['Ada', 12.5, 'EUR', 5]);
	expect(statement('Zoë Åkesson', own)).toEqual(['Zoë Åkesson', 8.5, 'CHF', 5]);
	expect(statement('Ada', own)).toEqual(['Ada', 3, 'CHF', 5]);
	expect(statement(null, own)).toEqual(['Not known', 0, 'CHF', 5]);
});

it('monthly-uptime-report-by-mail.json: the mail warns of stations that are not in the figures', () => {
	const known = { uptimePercent: 100, uptimeMissing: null, lowestUptimePercent: 100, unknownMinutes: 0 };
	const complete = { ...known, incidentsOfUnknownLength: 0, stations: 31, stationsWatched: 31, stationsNotCounted: [] };
	const warning = (more: IDataObject) =>
		evaluate(fieldOf('monthly-uptime-report-by-mail.json', 'Report Data', 'warning'), {
			nodes: { 'Uptime of the Network': [{ ...complete, ...more }] },
			now: DateTime.utc(),
		}) as string;
	expect([warning({}), warning({ stationsWatched: null })]).toEqual(['', '']);
	expect(warning({ stationsNotCounted: ['9', '12'] })).toMatch(
		/^Rows of 2 stations are not in the figures.*: 9, 12\.$/,
	);
	expect(warning({ stationsWatched: 4 })).toMatch(/^The trigger watched 4 of the 31 stations/);
});

it.each([
	['daily-summary-to-chat', 'Message', 'text', 'input'],
	['monday-report-by-mail', 'Report Data', 'warning', 'The Week in Figures'],
])('%s.json: %s says how many energies are no numbers, where any are', (file, node, field, from) => {
	const text = (EnergyConsumed_unusable: number) => {
		const item = { period: {}, byStatus: [], count: 5, EnergyConsumed_sum: 7, EnergyConsumed_unusable };
		const items = from === 'input' ? { input: [item] } : { nodes: { [from]: [item] } };
		return String(evaluate(fieldOf(`${file}.json`, node, field), { ...items, now: DateTime.utc() }));
	};
	expect(text(3)).toMatch(/The energy of 3 sessions is no number: it is not in these figures\.$/);
	expect(text(0)).not.toMatch(/no number/);
});

/** What somebody may call a station, a driver or a status. */
const NAME = '<!channel>\r\nNEXT <https://evil.example|Log in> & "x"';
const FIELDS = { 'Your Field Names': [{ station: 'Station' }] };
const WEEK = { 'The Week in Figures': [{ timeZone: 'utc' }] };
const DOWN = { stationName: NAME, downMinutes: 5, downMinutesByCause: { [NAME]: 5 }, incidents: 1, uptimePercent: 99 };
const GROUP = { StatusName: NAME, count: 1, EnergyConsumed_sum: 1 };
const ODD = { Id: NAME, Station: NAME, Status: 4, EnergyConsumed: NAME, StartedAtUtc: '2026-11-21T12:00:00' };

it.each<[file: string, node: string, field: string, nodes: Record<string, IDataObject[]>]>([
	['daily-summary-to-chat', 'Message', 'text', { input: [{ ...GROUP, period: {}, byStatus: [GROUP] }] }],
	['failed-session-message', 'Message', 'text', { input: [{ sessionId: NAME, session: { EnergyConsumed: NAME } }] }],
	['stations-still-offline-daily', 'Message', 'text', { input: [{ Name: NAME }] }],
	[
		'offline-acknowledge-and-escalate',
		'Second Contact',
		'text',
		{ 'Station Offline or Back': [{ stationName: NAME }] },
	],
	['new-fault-creates-a-ticket-once', 'Ticket', 'title', { input: [{ stationName: NAME }] }],
	['new-fault-creates-a-ticket-once', 'Ticket', 'description', { input: [{ from: NAME, station: {} }] }],
	['monday-report-by-mail', 'Stations', 'stations', { ...FIELDS, 'Figures by Station': [{ ...GROUP, Station: NAME }] }],
	['monday-report-by-mail', 'Report Data', 'offline', { 'Offline Now': [{ Id: 1, Name: NAME }] }],
	['monday-report-by-mail', 'Report Data', 'newest', { ...FIELDS, ...WEEK, 'Sessions Worth a Look': [ODD] }],
	['monthly-uptime-report-by-mail', 'Report Data', 'worst', { 'Uptime per Station': [DOWN] }],
	['monthly-uptime-report-by-mail', 'Report Data', 'legend', { 'Uptime of the Network': [DOWN] }],
])('%s.json, %s: no name in %s mentions, links or begins a line', (file, node, field, { input, ...nodes }) => {
	const value = evaluate(fieldOf(`${file}.json`, node, field), { input, nodes, now: DateTime.utc() });
	const shown = JSON.stringify(value);
	expect(shown).toContain('channel');
	expect(shown).not.toContain('<');
	if (['text', 'title', 'description'].includes(field)) expect(shown).not.toContain('\\nNEXT');
});
