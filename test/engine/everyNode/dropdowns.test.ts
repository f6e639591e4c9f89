import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { editorContext } from '../../support/harness.ts';
import { dropdowns, TARIFFS } from '../../support/nodes.ts';
import { API_KEY, ScriptedServer, sendJson, sendRows } from '../../support/scriptedServer';

const EXPRESSION = '={{ $("Credentials").item.json }}';
const server = new ScriptedServer();

// A new address each time: what one has sent is remembered.
beforeEach(async () => await server.start());
afterEach(async () => await server.stop());

const credential = () => ({ environment: 'production', productionUrl: server.baseUrl, apiKey: API_KEY });

it('no entry of any dropdown would be run as an expression once it is chosen, whatever the platform calls things', async () => {
	const rows = [
		{ Id: 7, Name: EXPRESSION, Status: 4 },
		{ Id: '=8', Name: 'Harbour', Status: '=4', NetworkStatus: '=1', HardwareStatus: EXPRESSION },
		{ Id: 9, Name: 'Market', '=Vendor': 'a', '=StartedAt': '2026-11-01T00:00:00', '=FaultCode': 3, '=Price': 1.5 },
	];
	server.script((_, response) => sendRows(response, rows));
	const parameters: INodeParameters = {
		list: TARIFFS,
		measures: { values: [{ field: '=Price', function: 'sum' }] },
		dimensions: ['NetworkStatus', 'Status', 'HardwareStatus'],
	};
	const entries = [];
	for (const { where, load } of await dropdowns({ parameters, credential: credential() })) {
		entries.push(...(await load()).map(({ name, value }) => ({ where, name, value })));
	}
	const expressions = entries.filter(({ name, value }) => name.startsWith('=') || String(value).startsWith('='));
	expect(expressions).toEqual([]);
	// What can be stored safely is offered.
	expect(entries).toEqual(
		expect.arrayContaining([
			{ where: 'chargingStations: searchStations', name: `“${EXPRESSION} (ID 7)”`, value: '7' },
			{ where: 'chargingStations: searchStations', name: 'Market (ID 9)', value: '9' },
			{ where: 'chargingSessions: getFields', name: 'Name', value: 'Name|text' },
		]),
	);
});

describe('a dropdown of fields or codes', () => {
	const ROWS = [
		{
			Id: 7,
			Status: 4,
			StartedAtUtc: '2026-11-01T10:00:00',
			EnergyConsumed: 12.5,
			DriverName: '<b>Ann',
			ConnectorStatus: 2,
			ConnectorType: 2,
			EndedAtUtc: null,
			Roaming: false,
			Evse: { Id: 1 },
			Tags: ['a'],
		},
		{ Id: 8, Status: 2, DriverName: null, ConnectorStatus: 1, Mixed: 1, Note: null },
		{ Id: 9, Status: 6, DriverName: 'Bo', ConnectorStatus: 2, EndedAtUtc: '2026-11-01T11:30:00', Mixed: 'x' },
	];
	const KNOWN = ['Status|code', 'StartedAtUtc|date', 'EnergyConsumed|number', 'Id|number'];
	const other = (...fields: string[]) => fields.map((field) => ({ field }));
	const SAVED = {
		filters: {
			status: [{ operator: 'In', values: ['4', '-3', '9', '={{ 5 }}'] }],
			other: other('Price|number', '={{ $json.field }}', '', '|note'),
			groups: [{ filters: { status: [{ operator: 'Eq', value: '11' }], other: other('Driver|text') } }],
		},
		sort: { by: [{ field: 'Price' }, { field: 'Id' }] },
		operation: 'getAll',
		output: 'selected',
		outputFields: ['Former', '={{ 1 }}'],
	};
	const NOTE = '|note';

	async function entries(method: string, saved: IDataObject = {}, type = 'chargingSessions') {
		const parameters = saved as INodeParameters;
		const { context, nodeType } = await editorContext({ type, parameters, credential: credential() });
		return (await nodeType.methods?.loadOptions?.[method]?.call(context)) ?? [];
	}
	const values = async (...asked: Parameters<typeof entries>) => (await entries(...asked)).map(({ value }) => value);

	it('offers what rows have, each field with the type of its values, and known fields last', async () => {
		server.script((_, response) => sendRows(response, ROWS));
		const fields = await entries('getFields');
		expect(fields.map(({ value }) => value)).toEqual([
			'ConnectorStatus|code',
			'ConnectorType|number',
			'DriverName|text',
			'EndedAtUtc|date',
			'Mixed|any',
			'Note|any',
			'Roaming|boolean',
			...KNOWN,
		]);
		expect(fields[0]).toMatchObject({ name: 'ConnectorStatus', description: 'Status code, such as 2' });
		expect(fields[2]).toMatchObject({ name: 'DriverName', description: 'Text, such as  b Ann' });
		expect(fields[5]).toMatchObject({ name: 'Note', description: 'Kind of value not known' });
		expect((await values('getSortFields')).slice(0, 5)).toEqual([
			'Status',
			'StartedAtUtc',
			'EnergyConsumed',
			'Id',
			'ConnectorStatus',
		]);
	});

	it('offers the codes that rows have, also where they come as text or with a name in an object', async () => {
		const rows = [{ Status: 7 }, { Status: '2' }, { Status: { Id: 5, Name: 'Expired' } }, { Status: 'Failed' }, {}];
		server.script((_, response) => sendRows(response, rows));
		expect(await values('getStatusCodes')).toEqual(['4', '6', '2', '5', '7']);
	});

	it('offers lists, objects and what is in them for output; to group by, only what is in them; to ask for, neither', async () => {
		server.script((_, response) => sendRows(response, ROWS));
		const inside = async (method: string) =>
			(await values(method)).filter((value) => /^(?:Evse|Tags)/.test(String(value)));
		expect(await inside('getOutputFields')).toEqual(['Evse.Id', 'Evse', 'Tags']);
		expect(await inside('getGroupFields')).toEqual(['Evse.Id']);
		expect([...(await inside('getFields')), ...(await inside('getSortFields'))]).toEqual([]);
	});

	it('keeps what is saved, also in groups and negative codes, but no expression and no note', async () => {
		server.script((_, response) => sendRows(response, ROWS));
		expect((await values('getFields', SAVED)).slice(-6)).toEqual([...KNOWN, 'Price|number', 'Driver|text']);
		expect((await values('getSortFields', SAVED)).at(-1)).toBe('Price');
		expect((await values('getOutputFields', SAVED)).at(-1)).toBe('Former');
		const grouped = { operation: 'summary', groupBy: 'field', groupByField: 'Gone' };
		expect((await entries('getGroupFields', grouped)).at(-1)).toEqual({
			name: 'Gone',
			value: 'Gone',
			description: 'Saved in this workflow',
		});
		expect(await entries('getStatusCodes', SAVED)).toEqual([
			{ name: 'Finished (Code 4)', value: '4' },
			{ name: 'Failed (Code 6)', value: '6' },
			{ name: 'Code 2', value: '2' },
			{ name: 'Code -3', value: '-3', description: 'Saved in this workflow' },
			{ name: 'Code 9', value: '9', description: 'Saved in this workflow' },
			{ name: 'Code 11', value: '11', description: 'Saved in this workflow' },
		]);
	});

	it('says that there is nothing, or why entries are missing, below what is known and saved', async () => {
		server.script((_, response) => sendRows(response, []));
		const [nothing] = await entries('getHardwareStatusCodes', {}, 'chargingStations');
		expect(nothing).toMatchObject({ name: 'Nothing Found Yet', value: NOTE });
		server.script((_, response) => sendJson(response, 401, {}));
		const fields = await entries('getFields', SAVED);
		expect(fields.map(({ value }) => value)).toEqual([...KNOWN, 'Price|number', 'Driver|text', NOTE]);
		expect(fields.at(-1)?.description).toMatch(/^Entries from your data are missing\. .* does not accept this API key/);
		expect(await values('getStatusCodes', SAVED)).toEqual(['4', '6', '-3', '9', '11', NOTE]);
	});
});
