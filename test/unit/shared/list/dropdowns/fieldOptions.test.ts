import type { ILoadOptionsFunctions } from 'n8n-workflow';

import { SESSIONS, STATIONS } from '../../../../../nodes/shared/resources';
import { loadOptionsMethods } from '../../../../../nodes/shared/list/dropdowns/fieldOptions';
import type { Catalogue } from '../../../../../nodes/shared/dsquery/types';
import { readForm } from '../../dsquery/read.ts';

const ROWS = [
	{
		Id: 7,
		Status: 4,
		StartedAtUtc: '2026-11-01T10:00:00',
		EnergyConsumed: 12.5,
		DriverName: 'Ann',
		ConnectorStatus: 2,
		BatteryLevel: 80,
		ConnectorType: 2,
		PriceCents: 250,
		EndedAtUtc: null,
		Roaming: false,
		Evse: { Id: 1 },
		Tags: ['a'],
		Note: null,
	},
	{
		Id: 8,
		Status: 2,
		DriverName: null,
		ConnectorStatus: 1,
		PriceCents: 300,
		EndedAtUtc: '2026-11-01T11:30:00',
		Mixed: 1,
	},
	{ Id: 9, Status: 6, DriverName: 'Bo', ConnectorStatus: 2, Mixed: 'x', Version: 3 },
];

const values = (options: Array<{ value: unknown }>) => options.map(({ value }) => value);

/** What a dropdown shows for live rows and stored parameters. An Error as `rows` means that the platform is down. */
async function load(
	method: string,
	rows: object[] | Error = [],
	parameters: unknown = {},
	catalogue: Catalogue = SESSIONS,
) {
	const readSample = async () =>
		rows instanceof Error ? await Promise.reject(rows) : await Promise.resolve(rows as Array<Record<string, unknown>>);
	const context = { getCurrentNodeParameters: () => parameters } as unknown as ILoadOptionsFunctions;
	return (await loadOptionsMethods(catalogue, readSample)[method]?.call(context)) ?? [];
}
const other = (...fields: string[]) => ({ filters: { other: fields.map((field) => ({ field })) } });
const KNOWN = ['Status|code', 'StartedAtUtc|date', 'EnergyConsumed|number', 'Id|number'];

describe('fields of live rows', () => {
	it('have the type of their values and follow the known fields, sorted by name, each once', async () => {
		const fields = await load('getFields', ROWS);
		expect(values(fields)).toEqual([
			'BatteryLevel|number',
			'ConnectorStatus|code',
			'ConnectorType|number',
			'DriverName|text',
			'EndedAtUtc|date',
			'Mixed|any',
			'Note|any',
			'PriceCents|number',
			'Roaming|boolean',
			'Version|number',
			...KNOWN,
		]);
		expect(values(await load('getFields', [{ startedAtUtc: '2026-11-01T10:00:00' }]))).toEqual(KNOWN);
		expect(fields.find(({ value }) => value === 'ConnectorStatus|code')).toEqual({
			name: 'ConnectorStatus',
			value: 'ConnectorStatus|code',
			description: 'Status code, such as 2',
		});
		const described = (name: string) => fields.find((field) => field.name === name)?.description;
		expect(described('DriverName')).toBe('Text, such as Ann');
		expect(described('Note')).toBe('Kind of value not known');
		const hostile = await load('getFields', [{ Site: `<img src=x>${'x'.repeat(99)}` }]);
		expect(hostile[0]?.description).toMatch(/^Text, such as {2}img src=x x{20,}\.\.\.$/);
	});

	it('can be sorted by, under their plain name', async () => {
		expect(values(await load('getSortFields', ROWS)).slice(0, 6)).toEqual([
			'Status',
			'StartedAtUtc',
			'EnergyConsumed',
			'Id',
			'BatteryLevel',
			'ConnectorStatus',
		]);
	});

	it('leave saved fields in the list', async () => {
		const saved = { description: 'Saved in this workflow' };
		expect(await load('getFields', [], other('Price|number', 'Status|code', 'Old'))).toEqual([
			...(await load('getFields')),
			{ name: 'Price', value: 'Price|number', ...saved },
			{ name: 'Old', value: 'Old', ...saved },
		]);
		const sort = { sort: { by: [{ field: 'Price' }, { field: 'Id' }] } };
		expect(values(await load('getSortFields', [], sort))).toEqual([
			'Status',
			'StartedAtUtc',
			'EnergyConsumed',
			'Id',
			'Price',
		]);
	});
});

describe('codes', () => {
	it('with a known meaning come first, then those seen or saved', async () => {
		const stored = { filters: { status: [{ values: ['11', '4', '={{ 5 }}'] }] } };
		expect(await load('getStatusCodes', ROWS, stored)).toEqual([
			{ name: 'Finished (Code 4)', value: '4' },
			{ name: 'Failed (Code 6)', value: '6' },
			{ name: 'Code 2', value: '2' },
			{ name: 'Code 11', value: '11', description: 'Saved in this workflow' },
		]);
	});

	it('show a note when none were seen yet', async () => {
		expect(await load('getHardwareStatusCodes', [], {}, STATIONS)).toEqual([
			{
				name: 'Nothing Found Yet',
				value: '|note',
				description: 'There is none in your data. You can still enter one with an expression.',
			},
		]);
	});
});

const PARAMETERS = {
	filters: {
		status: [{ operator: 'In', values: ['4', '9'] }],
		other: [{ field: 'Price|number', value: '5' }, { field: '={{ $json.field }}' }, { field: '' }, { field: '|note' }],
		groups: [
			{
				logic: 'Or',
				filters: {
					status: [{ operator: 'Eq', value: '11' }],
					other: [{ field: 'Driver|text' }],
					groups: [{ logic: 'And', filters: { other: [{ field: 'Deep|date' }, { field: 'Price|number' }] } }],
				},
			},
		],
	},
	sort: { by: [{ field: 'Price', direction: 'Asc' }, { field: '={{ 1 }}' }] },
};

describe('the dropdown methods', () => {
	it('merge known, live and saved entries, including those saved in groups', async () => {
		expect(values(await load('getFields', ROWS, PARAMETERS))).toEqual([
			...values(await load('getFields', ROWS)),
			'Price|number',
			'Driver|text',
			'Deep|date',
		]);
		expect(values(await load('getSortFields', ROWS, PARAMETERS))).toContain('Price');
		expect(values(await load('getStatusCodes', ROWS, PARAMETERS))).toEqual(['4', '6', '2', '9', '11']);
	});

	it('offer lists and objects for output but not for grouping, and keep saved entries', async () => {
		const stored = { outputFields: ['Former', '={{ 1 }}'], groupByField: 'Gone' };
		const output = values(await load('getOutputFields', ROWS, stored));
		expect(output).toEqual(expect.arrayContaining(['Id', 'DriverName', 'Evse', 'Evse.Id', 'Tags', 'Former']));
		expect(new Set(output).size).toBe(output.length);
		const groups = values(await load('getGroupFields', ROWS, stored));
		expect(groups).toEqual(expect.arrayContaining(['Status', 'DriverName', 'Evse.Id', 'Gone']));
		expect(groups).not.toContain('Evse');
		// The platform compares and sorts properties only.
		for (const method of ['getFields', 'getSortFields', 'getWatchedFields']) {
			expect(values(await load(method, ROWS)).join()).not.toContain('Evse.');
		}
	});

	it('offer known and saved entries, and say why there are no more, when the platform fails', async () => {
		const down = new Error('The key was revoked. Ask for a new one.');
		const fields = await load('getFields', down, PARAMETERS);
		expect(values(fields)).toEqual([...KNOWN, 'Price|number', 'Driver|text', 'Deep|date', '|note']);
		expect(fields.at(-1)).toEqual({
			name: 'Live Entries Could Not Be Loaded',
			value: '|note',
			description: 'Entries from your data are missing. The key was revoked. Ask for a new one.',
		});
		expect(values(await load('getStatusCodes', down, PARAMETERS))).toEqual(['4', '6', '9', '11', '|note']);
		expect(values(await load('getSortFields', down)).at(-1)).toBe('|note');
	});

	it('work when the parameters of the node cannot be read', async () => {
		const getCurrentNodeParameters = () => {
			throw new Error('no parameters');
		};
		const { getFields } = loadOptionsMethods(SESSIONS, async () => await Promise.resolve([]));
		const context = { getCurrentNodeParameters } as unknown as ILoadOptionsFunctions;
		expect(values((await getFields?.call(context)) ?? [])).toEqual(KNOWN);
	});

	it('offer a note that a filter refuses as a value', () => {
		const form = (filters: unknown) => () => readForm(filters);
		expect(form({ other: [{ field: '|note', anyOperator: 'Eq', value: '1' }] })).toThrow(/no field is chosen/);
		expect(form({ status: [{ operator: 'In', values: ['4', '|note'] }] })).toThrow(
			/value 2 of 2: "\|note" is not a status code/,
		);
	});
});
