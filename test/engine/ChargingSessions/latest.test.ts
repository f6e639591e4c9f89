import type { INodeParameters } from 'n8n-workflow';

import { startPlatform, type StandIn } from '../../platform/index.ts';
import { credentialFor, runNode } from '../../support/harness.ts';

let platform: StandIn;

beforeAll(async () => {
	platform = await startPlatform({ sessions: 12_000, stations: 30 });
});
afterAll(async () => await platform.close());
beforeEach(() => {
	platform.reset();
	// Some begin in the same second, some have no station, and one station has only old sessions.
	platform.db.exec(`
		UPDATE sessions SET StationName = NULL WHERE Id % 1000 = 7;
		UPDATE sessions SET StartedAtUtc = substr(StartedAtUtc, 1, 10) || 'T23:00:00' WHERE Id % 5 = 0;
		UPDATE sessions SET StationName = 'Old Depot', StartedAtUtc = '2001-01-0' || Id || 'T10:00:00' WHERE Id < 4;
	`);
});

const run = async (parameters: INodeParameters) => {
	const { json, error, hints } = await runNode({
		type: 'chargingSessions',
		credential: credentialFor(platform),
		parameters: { operation: 'latest', groupByField: 'StationName', ...parameters },
	});
	const text = `${error?.message ?? ''} ${error?.description ?? ''}`.trim();
	return { ids: json.map(({ Id: id }) => id), json, error: text, notes: hints.map(({ message }) => message).join(' ') };
};

/** The newest session of each station, newest first. */
const latestBySql = (where = '1 = 1', field = 'StationName') =>
	platform.db
		.prepare(
			`SELECT Id FROM (SELECT *, row_number() OVER (PARTITION BY ${field} ORDER BY StartedAtUtc DESC, Id DESC) AS place
			 FROM sessions WHERE ${field} IS NOT NULL AND ${where}) WHERE place = 1 ORDER BY StartedAtUtc DESC, Id DESC`,
		)
		.all()
		.map(({ Id: id }) => id);

const NEWEST = 'Id IN (SELECT Id FROM sessions ORDER BY StartedAtUtc DESC, Id DESC LIMIT 10000)';
const since2000 = { startedAtUtc: [{ operator: 'GteLt', from: '2000-01-01T00:00:00', to: '2030-01-01T00:00:00' }] };

describe('Charging Sessions > Get Latest of Each', () => {
	it('gives the latest session of each station, newest first, of the newest 10,000, and says so', async () => {
		const { ids, json, notes } = await run({});
		expect(ids).toEqual(latestBySql(NEWEST));
		expect(json[0]).toMatchObject({ EnergyConsumed: expect.anything() as unknown });
		expect(json.some(({ StationName }) => StationName === 'Old Depot')).toBe(false);
		expect(notes).toMatch(/Only the newest 10,000 sessions were read.*In Period.*Only Values/);
		expect(notes).toMatch(/\d+ sessions have no StationName\. They are left out\./);
		expect(platform.requests.length).toBeLessThanOrEqual(Math.ceil(9_999 / 99) + 12);
	});

	it('reads all of a period, however many sessions it has', async () => {
		const { ids, json, notes } = await run({ filters: since2000 });
		expect(ids).toEqual(latestBySql());
		expect(json.at(-1)).toMatchObject({ Id: 3, StationName: 'Old Depot' });
		expect(notes).toBe('12 sessions have no StationName. They are left out.');
	});

	it('counts within the filter, and groups by any field', async () => {
		const filters = { status: [{ operator: 'In', values: ['6'] }], ...since2000 };
		const { ids, notes } = await run({ filters, groupByField: 'stationid' });
		expect(ids).toEqual(latestBySql('Status = 6', 'StationId'));
		expect(notes).toBe('');
	});

	it('stops when the values asked for are complete', async () => {
		const names = platform.db
			.prepare(
				`SELECT DISTINCT StationName FROM
				 (SELECT * FROM sessions WHERE StationName IS NOT NULL ORDER BY StartedAtUtc DESC LIMIT 20) LIMIT 3`,
			)
			.all()
			.map(({ StationName }) => String(StationName));
		const { ids, notes } = await run({ onlyValues: names.join(', ') });
		expect(ids).toEqual(latestBySql(`StationName IN (${names.map((name) => `'${name}'`).join()})`));
		expect(notes).not.toMatch(/Only the newest/);
		expect(platform.requests.length).toBeLessThanOrEqual(2);
	});

	it('reads on for a value whose latest session is old, and names one that has none', async () => {
		const { json, notes } = await run({ onlyValues: ['Old Depot', 'No Depot'] });
		expect(json).toMatchObject([{ Id: 3 }]);
		expect(notes).toMatch(/No session with this StationName matches the filter: No Depot\./);
		expect(notes).not.toMatch(/Only the newest/);
	});

	it('refuses a field that no session has, or too many values, and an empty choice before anything is sent', async () => {
		expect((await run({ groupByField: 'Depot' })).error).toMatch(/None of the sessions has a field Depot.*StationName/);
		expect((await run({ groupByField: 'Id', filters: since2000 })).error).toMatch(/too many different values of Id/);
		platform.requests.length = 0;
		expect((await run({ groupByField: '' })).error).toMatch(/Group By Field.*nothing is chosen/);
		expect(platform.requests).toEqual([]);
	});

	it('says which filter no session matches', async () => {
		const { json, notes } = await run({ filters: { status: [{ operator: 'In', values: ['99'] }] } });
		expect(json).toEqual([]);
		expect(notes).toMatch(/None of the charging sessions matches the filter/);
	});
});
