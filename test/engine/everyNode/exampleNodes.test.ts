import { readFileSync } from 'node:fs';

import fastGlob from 'fast-glob';
import { DateTime } from 'luxon';
import type { IDataObject, INode, INodeParameters, IWorkflowBase } from 'n8n-workflow';

import { startPlatform, type StandIn } from '../../platform/index.ts';
import { evaluate, fieldOf } from '../../support/expression.ts';
import { credentialFor, runNode } from '../../support/harness.ts';

// Each action node of this package in an example, as it is there, in n8n's engine. A real n8n runs the whole workflows.

const ZONE = 'Europe/Berlin';
let platform: StandIn;

beforeAll(async () => {
	platform = await startPlatform({ sessions: 3_000, stations: 40, now: new Date().toISOString().slice(0, 19) });
});
afterAll(async () => await platform.close());

const NODES = fastGlob.sync('examples/*.json').flatMap((file) => {
	const workflow = JSON.parse(readFileSync(file, 'utf8')) as IWorkflowBase;
	const ours = workflow.nodes.filter(
		({ type }) => type.startsWith('n8n-nodes-charging-network.') && !type.endsWith('Trigger'),
	);
	return ours.map((node) => ({ file, node, yours: yoursIn(workflow) }));
});

/** What the node *Your ...* gives. */
function yoursIn({ nodes }: Pick<IWorkflowBase, 'nodes'>): IDataObject {
	const { parameters } = nodes.find(({ name }) => name.startsWith('Your ')) ?? {};
	const { jsonOutput, assignments } = (parameters ?? {}) as {
		jsonOutput?: string;
		assignments?: { assignments: Array<{ name: string; value: unknown }> };
	};
	if (jsonOutput !== undefined) return JSON.parse(jsonOutput) as IDataObject;
	const set = (value: unknown) =>
		typeof value === 'string' && value.startsWith('=') ? evaluate(value, { now: DateTime.now() }) : value;
	return Object.fromEntries(
		(assignments?.assignments ?? []).map(({ name, value }) => [name, set(value)]),
	) as IDataObject;
}

/** Its parameters, with what other nodes say taken from the item. */
function parametersOf({ parameters }: INode): INodeParameters {
	const text = JSON.stringify(parameters).replaceAll(/\$\('[^']+'\)\.(first\(\)|item)\.json/g, '$json');
	return JSON.parse(text) as INodeParameters;
}

async function run(file: string, name: string, item: IDataObject = {}): Promise<IDataObject[]> {
	const found = NODES.find(({ file: in_, node }) => in_ === `examples/${file}` && node.name === name);
	if (!found) throw new Error(`${file} has no node ${name}`);
	const { node, yours } = found;
	const { json, error } = await runNode({
		type: node.type.split('.')[1] ?? '',
		credential: credentialFor(platform),
		parameters: parametersOf(node),
		items: [{ ...item, ...yours }],
		timezone: ZONE,
	});
	expect(error).toBeUndefined();
	return json;
}

/** What the nodes before give, where it matters. */
const ITEM: IDataObject = {
	...{ station: '1', Name: 'Harbour 007', period: 'lastMonth', limit: 10, rowId: 42, sessionId: 42, Id: 42 },
	...{ kind: 'incident', incidentId: 'a', stationId: '1', since: '2000-01-01T00:00:00Z' },
};

it.each(NODES.map(({ file, node }): [string, string] => [file.replace('examples/', ''), node.name]))(
	'%s, %s runs',
	async (file, name) => {
		await run(file, name, ITEM);
	},
);

const [from, to] = [1, 0].map((months) =>
	DateTime.now().setZone(ZONE).startOf('month').minus({ months }).toUTC().toFormat("yyyy-MM-dd'T'HH:mm:ss"),
);
const rows = (sql: string, ...values: string[]) =>
	platform.db
		.prepare(sql)
		.all(...values)
		.map((row) => ({ ...row }));

it('monday-report-by-mail.json: sessions worth a look failed, or finished with next to nothing, last week', async () => {
	const monday = DateTime.now().setZone(ZONE).startOf('week');
	const [begin, end] = [monday.minus({ weeks: 1 }), monday].map((time) =>
		time.toUTC().toFormat("yyyy-MM-dd'T'HH:mm:ss"),
	);
	platform.db.prepare('UPDATE sessions SET EnergyConsumed = 0.1 WHERE Status = 4 AND Id % 5 = 0').run();
	const expected = rows(
		`SELECT Id FROM sessions WHERE StartedAtUtc >= ? AND StartedAtUtc < ?
		 AND (Status = 6 OR (Status = 4 AND EnergyConsumed < 0.5)) ORDER BY Id`,
		begin ?? '',
		end ?? '',
	);
	const found = await run('monday-report-by-mail.json', 'Sessions Worth a Look');
	expect(expected.length).toBeGreaterThan(5);
	expect(found.map(({ Id: id }) => Number(id)).sort((a, b) => a - b)).toEqual(expected.map(({ Id: id }) => Number(id)));
});

it('top-stations-last-month.json: hours of sessions, and what that is of the hours of the month', async () => {
	const found = await run('top-stations-last-month.json', 'Top Stations');
	const [best] = rows(
		`SELECT StationName, sum(unixepoch(EndedAtUtc) - unixepoch(StartedAtUtc)) / 3600.0 AS hours FROM sessions
		 WHERE StartedAtUtc >= ? AND StartedAtUtc < ? GROUP BY StationName ORDER BY sum(EnergyConsumed) DESC`,
		from ?? '',
		to ?? '',
	);
	expect(found[0]).toMatchObject({ StationName: best?.StationName });
	expect(found[0]?.duration).toBeCloseTo(Number(best?.hours), 6);
	const utilisation = (item: IDataObject | undefined, month: string) =>
		evaluate(fieldOf('top-stations-last-month.json', 'Table', 'Utilisation (%)'), {
			input: [item ?? {}],
			nodes: { 'Your Field Names': [{ station: 'StationName', chargePoints: 2, others: { 'Harbour 007': 4 } }] },
			now: DateTime.fromISO(month, { zone: ZONE }),
		});
	// October has 745 hours there: 149 of 1,490 are a tenth. A station of four charge points could give twice as much.
	expect(utilisation({ StationName: 'Depot', duration: 149 }, '2026-11-03')).toBe('10.0');
	expect(utilisation({ StationName: 'Harbour 007', duration: 149 }, '2026-11-03')).toBe('5.0');
	expect(utilisation({ isOther: true, duration: 149 }, '2026-11-03')).toBe('');
	expect(utilisation({ StationName: null, duration: 72 }, '2026-10-03')).toBe('5.0');
});

describe('monthly-statement-per-driver.json', () => {
	const FILE = 'monthly-statement-per-driver.json';
	const OWN = {
		ownPrices: [
			{ who: 'Zoë Åkesson', perKwh: 0.35, baseFee: 5 },
			{ who: 'everybody else', perKwh: 0.3, baseFee: 0 },
		],
		ownCurrency: 'CHF',
	};
	const yours = (more: IDataObject = {}) => ({
		...NODES.find(({ file }) => file.endsWith(FILE))?.yours,
		...more,
	});
	const statement = (item: IDataObject, settings: IDataObject) =>
		['Driver', 'Amount', 'Currency'].map((field) =>
			evaluate(fieldOf(FILE, 'Statement', field), {
				input: [item],
				nodes: { 'Your Field Names': [settings] },
				now: DateTime.now(),
			}),
		);

	it('as it is: the prices of the platform, by driver and currency', async () => {
		const found = await run(FILE, 'Last Month by Driver');
		expect(found[0]).toHaveProperty('Price_sum');
		expect(found[0]).toHaveProperty('Currency');
		const item = { UserName: 'Ada', Price_sum: 12.5, EnergyConsumed_sum: 10, Currency: 'EUR' };
		expect(statement(item, yours())).toEqual(['Ada', 12.5, 'EUR']);
	});

	it('with prices of your own: energy by price and the base fee once a driver, nothing without a driver', () => {
		const settings = yours(OWN);
		const energy = { Price_sum: 99, EnergyConsumed_sum: 10 };
		expect(statement({ UserName: 'Zoë Åkesson', ...energy }, settings)).toEqual(['Zoë Åkesson', 8.5, 'CHF']);
		expect(statement({ UserName: 'Ada', ...energy }, settings)).toEqual(['Ada', 3, 'CHF']);
		expect(statement({ UserName: null, ...energy }, settings)).toEqual(['Not known', 0, 'CHF']);
		const second = NODES.find(({ file }) => file.endsWith(FILE))?.node.parameters.groupByField2;
		expect(evaluate(second, { input: [settings], now: DateTime.now() })).toBe('');
		expect(evaluate(second, { input: [yours()], now: DateTime.now() })).toBe('Currency');
	});
});
