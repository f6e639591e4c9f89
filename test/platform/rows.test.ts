import { parse } from 'csv-parse/sync';

import { ask, EXPORT, idsWhere, page, SESSIONS, STATIONS } from './client.ts';
import { startPlatform } from './index.ts';
import type { CsvBehaviour, StandIn } from './index.ts';

let platform: StandIn;

beforeAll(async () => {
	platform = await startPlatform({ sessions: 200, stations: 30, idGaps: 4 });
});
beforeEach(() => platform.reset());
afterAll(() => platform.close());

const first = async (path: string) => {
	const [row] = (await page(platform, path, { Pager: { Take: 1 } })).Items;
	if (!row) throw new Error('no row');
	return row;
};

describe('seeded rows', () => {
	test('are the same for the same seed and differ for another', async () => {
		const rowsOf = async (seed: number) => {
			const other = await startPlatform({ sessions: 20, stations: 5, seed });
			const tables = ['sessions', 'stations', 'locations'];
			const rows = tables.map((table) => other.db.prepare(`SELECT * FROM ${table}`).all());
			await other.close();
			return rows;
		};
		const one = await rowsOf(7);
		expect(await rowsOf(7)).toEqual(one);
		expect(await rowsOf(8)).not.toEqual(one);
	});

	test('cover the past 18 months, gaps between ids, every status, umlauts, quotes and line ends', () => {
		const one = (sql: string) => platform.db.prepare(sql).get();
		expect(
			one('SELECT min(StartedAtUtc) AS low, max(StartedAtUtc) AS high, max(Id) > 200 AS gaps FROM sessions'),
		).toEqual({
			low: expect.stringMatching(/^2025-05-2/) as string,
			high: expect.stringMatching(/^2026-11-20/) as string,
			gaps: 1,
		});
		const count = (where: string) => Number(one(`SELECT count(*) AS n FROM sessions WHERE ${where}`)?.n);
		for (const where of [
			'Status IN (1, 2) AND EndedAtUtc IS NULL',
			'Status = 4',
			'Status = 5',
			'Status = 6',
			'EnergyConsumed IS NULL',
			'EnergyConsumed <> round(EnergyConsumed)',
			`UserName LIKE '%ü%'`,
			`UserName LIKE '%"%'`,
			`UserName LIKE '%,%'`,
			`Note LIKE '%' || char(10) || '%'`,
		]) {
			expect([where, count(where)]).toEqual([where, expect.any(Number)]);
			expect(count(where)).toBeGreaterThan(0);
		}
		expect(count('EnergyConsumed < 0 OR EnergyConsumed > 80')).toBe(0);
	});
});

describe('sessions on the wire', () => {
	test('have the types of the specification', async () => {
		const row = await first(SESSIONS);
		expect(row).toMatchObject({
			Id: expect.any(Number) as number,
			Status: expect.any(Number) as number,
			StartedAtUtc: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/) as string,
		});
		expect(Object.keys(row).length).toBeGreaterThan(8);
	});

	test('have only the specified fields when minimal, and refuse a filter on others', async () => {
		platform.behaviour.sessionFields = 'minimal';
		expect(Object.keys(await first(SESSIONS))).toEqual(['Id', 'Status', 'EnergyConsumed', 'StartedAtUtc']);
		await expect(idsWhere(platform, 'UserName', 'Eq', 'x')).rejects.toThrow(/400.*'UserName'/);
	});

	test('treat text ids as text in rows, filters and order', async () => {
		platform.db.exec(`DELETE FROM sessions; INSERT INTO sessions (Id, Status, StartedAtUtc) VALUES
			(9, 4, '2026-01-01T00:00:00'), (10, 4, '2026-01-01T00:00:00'), (100, 4, '2026-01-01T00:00:00')`);
		platform.behaviour.idType = 'text';
		expect(await idsWhere(platform, 'Id', 'Gt', 'ses-000009')).toEqual(['ses-000010', 'ses-000100']);
		platform.behaviour.textIdDigits = 0;
		expect(await idsWhere(platform, 'Id', 'StartsWith', 'ses')).toEqual(['ses-10', 'ses-100', 'ses-9']);
		expect(await idsWhere(platform, 'Id', 'In', 'ses-9,ses-11')).toEqual(['ses-9']);
	});

	test('ids above 2^53 keep every digit', async () => {
		platform.db.exec(
			`INSERT INTO sessions (Id, Status, StartedAtUtc) VALUES (9007199254740993, 4, '2026-01-01T00:00:00')`,
		);
		const Filter = { Logic: 'And', Filters: [{ Field: 'Id', Operator: 'Eq', Value: '9007199254740993' }] };
		expect((await ask(platform, SESSIONS, { dsquery: { Filter } })).text).toContain('"Id":9007199254740993,');
	});

	test('show and compare fractions of seconds when switched on', async () => {
		platform.behaviour.timestampFractions = true;
		const row = await first(SESSIONS);
		const started = String(row.StartedAtUtc);
		expect(started).toMatch(/T\d\d:\d\d:\d\d\.\d{3}$/);
		expect(await first(SESSIONS)).toEqual(row);
		const second = started.slice(0, 19);
		expect(await idsWhere(platform, 'StartedAtUtc', 'Lte', second)).not.toContain(row.Id);
		expect(await idsWhere(platform, 'StartedAtUtc', 'Gt', second)).toContain(row.Id);
		expect(await idsWhere(platform, 'StartedAtUtc', 'IsSecond', second)).toContain(row.Id);
	});

	test('other status codes are seeded when given', async () => {
		const session = { active: 10, suspended: 20, finished: 4, expired: 30, failed: 6 };
		const { network, station, hardware } = platform.behaviour.statusCodes;
		const other = await startPlatform({ behaviour: { statusCodes: { session, network, station, hardware } } });
		const codes = other.db.prepare('SELECT DISTINCT Status FROM sessions').all();
		expect(codes.map(({ Status }) => Status)).toEqual(expect.arrayContaining([4, 6, 30]));
		expect(codes).not.toContainEqual({ Status: 5 });
		await other.close();
	});
});

describe('stations on the wire', () => {
	const DETAIL = ['EVSEs', 'Firmware', 'Connectivity'];

	test('the list leaves out what only the detail has', async () => {
		const row = await first(STATIONS);
		expect(Object.keys(row)).toEqual(
			expect.arrayContaining(['Id', 'Name', 'NetworkStatus', 'Status', 'HardwareStatus']),
		);
		for (const name of DETAIL) expect(row).not.toHaveProperty(name);
		const { json } = await ask(platform, `${STATIONS}/${String(row.Id)}`);
		expect(json).toMatchObject(row);
		expect(json).toMatchObject({
			EVSEs: expect.arrayContaining([expect.objectContaining({ Status: expect.any(Number) as number })]) as unknown[],
			Firmware: { Version: expect.any(String) as string },
			Connectivity: { Protocol: expect.any(String) as string },
		});
	});

	test.each([
		[{ ids: 'none' }, { Status: 3, ConnectorType: 'CCS2' }],
		[{ status: 'name' }, { Id: 11, EvseId: 'A', Status: 'Faulted', ConnectorType: 'CCS2' }],
		[{ status: 'object' }, { Id: 11, EvseId: 'A', Status: { Id: 3, Name: 'Faulted' }, ConnectorType: 'CCS2' }],
	] as const)('charge points may be written as %j says', async (changes, entry) => {
		const stored = [{ Id: 11, EvseId: 'A', Status: 3, ConnectorType: 'CCS2' }];
		platform.db.prepare('UPDATE stations SET EVSEs = ? WHERE Id = 1').run(JSON.stringify(stored));
		Object.assign(platform.behaviour.chargePoints, changes);
		expect((await ask(platform, `${STATIONS}/1`)).json).toMatchObject({ EVSEs: [entry] });
	});

	test('have only the specified fields when minimal', async () => {
		platform.behaviour.stationFields = 'minimal';
		expect(Object.keys(await first(STATIONS))).toEqual(['Id', 'Name', 'NetworkStatus', 'Status', 'HardwareStatus']);
	});

	test('a missing hardware status is null or left out', async () => {
		platform.db.exec('UPDATE stations SET HardwareStatus = NULL WHERE Id = 1');
		expect(await first(STATIONS)).toHaveProperty('HardwareStatus', null);
		platform.behaviour.missingHardwareStatus = 'omitted';
		expect(await first(STATIONS)).not.toHaveProperty('HardwareStatus');
		expect((await page(platform, STATIONS, { Pager: { Take: 100 } })).Items.at(-1)).toHaveProperty('Name');
		const some = await page(platform, STATIONS, {
			Filter: { Logic: 'And', Filters: [{ Field: 'HardwareStatus', Operator: 'Gt', Value: '0' }] },
		});
		for (const row of some.Items) expect(row).toHaveProperty('HardwareStatus');
	});

	test('text ids find the detail and appear in sessions', async () => {
		platform.behaviour.stationIdType = 'text';
		expect((await first(STATIONS)).Id).toBe('sta-000001');
		expect((await first(SESSIONS)).StationId).toMatch(/^sta-\d{6}$/);
		expect((await first(SESSIONS)).Id).toEqual(expect.any(Number));
		expect((await ask(platform, `${STATIONS}/sta-000002`)).json).toMatchObject({ Id: 'sta-000002' });
		for (const id of ['2', 'sta-2', 'ses-000002', 'sta-999999']) {
			expect((await ask(platform, `${STATIONS}/${id}`)).status).toBe(404);
		}
	});
});

describe('CSV export', () => {
	const sql = (text: string) => platform.db.prepare(text).all();
	const ids = (count: number) => sql(`SELECT Id FROM sessions ORDER BY Id LIMIT ${count}`).map(({ Id }) => Number(Id));
	const csv = async (Ids: unknown[], changes: Partial<CsvBehaviour> = {}) => {
		Object.assign(platform.behaviour.csv, changes);
		const reply = await ask(platform, EXPORT, { body: { Ids } });
		expect(reply.status).toBe(200);
		return reply;
	};

	test('gives one record per session with every field as it is', async () => {
		const reply = await csv(ids(200));
		expect(reply.headers['content-type']).toBe('text/csv; charset=utf-8');
		const records: Array<Record<string, string>> = parse(reply.text, { columns: true, record_delimiter: '\r\n' });
		const { Items } = await page(platform, SESSIONS, { Pager: { Take: 1000 } });
		expect(records).toHaveLength(200);
		for (const [index, item] of Items.entries()) {
			for (const [name, value] of Object.entries(item)) {
				const text = records[index]?.[name];
				if (typeof value === 'number') expect(Number(text)).toBe(value);
				else expect(text).toBe(String((value as string | boolean | null) ?? ''));
			}
		}
	});

	test('follows the switches for byte order mark, line ends, delimiter, header and transfer', async () => {
		platform.behaviour.sessionFields = 'minimal';
		platform.db.exec(`DELETE FROM sessions; INSERT INTO sessions (Id, Status, EnergyConsumed, StartedAtUtc)
			VALUES (1, 4, 1.5, '2026-01-01T00:00:00'), (2, 6, NULL, '2026-01-02T00:00:00')`);
		const header = 'Id,Status,EnergyConsumed,StartedAtUtc';
		const rows = ['1,4,1.5,2026-01-01T00:00:00', '2,6,,2026-01-02T00:00:00'] as const;
		expect((await csv([1, 2])).text).toBe(`${header}\r\n${rows.join('\r\n')}\r\n`);
		expect((await csv([1, 2], { newline: '\n' })).text).toBe(`${header}\n${rows.join('\n')}\n`);
		expect((await csv([1, 2], { finalNewline: false })).text).toBe(`${header}\n${rows.join('\n')}`);
		expect((await csv([1], { delimiter: ';' })).text).toBe(`${header}\n${rows[0]}`.replaceAll(',', ';'));
		expect((await csv([2], { delimiter: ',', header: false })).text).toBe(rows[1]);
		const chunked = await csv([2], { chunked: true });
		expect(chunked.headers['transfer-encoding']).toBe('chunked');
		expect(chunked.headers['content-length']).toBeUndefined();
		expect(chunked.text).toBe(rows[1]);
		// undici removes a byte order mark when it reads text, so look at the bytes.
		platform.behaviour.csv.bom = true;
		const answer = await fetch(`${platform.baseUrl}${EXPORT}`, {
			method: 'POST',
			headers: { 'api-key': platform.key, 'content-type': 'application/json' },
			body: '{"Ids":[2]}',
		});
		expect([...new Uint8Array(await answer.arrayBuffer()).slice(0, 4)]).toEqual([0xef, 0xbb, 0xbf, 0x32]);
	});

	test('a repeated id gives one record', async () => {
		const [a, b] = ids(2);
		const records: string[][] = parse((await csv([b, a, b])).text, { from_line: 2 });
		expect(records.map(([id]) => Number(id))).toEqual([b, a]);
	});

	test('unknown ids are left out or refused by name; an empty list returns the header or is refused', async () => {
		const [known] = ids(1);
		expect((await csv([known, 99_999])).text.split('\r\n')).toHaveLength(3);
		expect((await csv([])).text).toMatch(/^Id,[^\r]+\r\n$/);
		platform.behaviour.csv.omitUnknownIds = false;
		const refused = await ask(platform, EXPORT, { body: { Ids: [known, 99_999] } });
		expect([refused.status, refused.text]).toEqual([404, expect.stringContaining('99999')]);
		platform.behaviour.csv.emptyIds = 'refuse';
		expect((await ask(platform, EXPORT, { body: { Ids: [] } })).status).toBe(400);
	});

	test('accepts only application/json with integer ids', async () => {
		const typed = (type: string) => ask(platform, EXPORT, { body: { Ids: [1] }, headers: { 'content-type': type } });
		expect((await typed('text/plain')).status).toBe(415);
		expect((await typed('application/json; charset=utf-8')).status).toBe(200);
		for (const body of [{ Ids: ['1'] }, { Ids: [1.5] }, { Ids: '1' }, { ids: [1] }, [1], {}, '{"Ids":[1', 'null']) {
			expect([body, (await ask(platform, EXPORT, { body })).status]).toEqual([body, 400]);
		}
	});

	test('accepts only text ids when sessions have text ids', async () => {
		platform.behaviour.idType = 'text';
		const { Items } = await page(platform, SESSIONS, { Pager: { Take: 2 } });
		const wanted = Items.map(({ Id }) => String(Id));
		const records: string[][] = parse((await csv([...wanted, 'ses-1', 'x'])).text, { from_line: 2 });
		expect(records.map(([id]) => id)).toEqual(wanted);
		expect((await ask(platform, EXPORT, { body: { Ids: [1] } })).status).toBe(400);
	});
});
