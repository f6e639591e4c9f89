import type { ILoadOptionsFunctions } from 'n8n-workflow';

import { SESSIONS, STATIONS } from '../../../../../nodes/shared/resources';
import {
	codeOptions,
	collectSavedFields,
	fieldOptions,
	loadOptionsMethods,
	seenFields,
	sortOptions,
} from '../../../../../nodes/shared/node/dropdowns/fieldOptions';
import { readForm } from '../../../../support/dsquery/read.ts';

const ROWS = [
	{
		Id: 7,
		Status: 4,
		StartedAtUtc: '2026-11-01T10:00:00',
		EnergyConsumed: 12.5,
		DriverName: 'Ann',
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
		ConnectorType: 1,
		PriceCents: 300,
		EndedAtUtc: '2026-11-01T11:30:00',
		Mixed: 1,
	},
	{ Id: 9, Status: 6, DriverName: 'Bo', ConnectorType: 2, Mixed: 'x', Version: 3 },
];

const values = (options: Array<{ value: unknown }>) => options.map(({ value }) => value);
const status = STATIONS.fields.find(({ kind }) => kind === 'hardwareStatus') ?? STATIONS.fields[0];
const sessionStatus = SESSIONS.fields[0];

describe('fields of live rows', () => {
	it('have the type their values look like, and codes where they stand for something', () => {
		const types = Object.fromEntries(
			seenFields(SESSIONS, ROWS).map(({ name, type, codes }) => [name, codes.length ? [type, codes] : type]),
		);
		expect(types).toEqual({
			Id: 'number',
			Status: ['code', [2, 4, 6]],
			StartedAtUtc: 'date',
			EnergyConsumed: 'number',
			DriverName: 'text',
			ConnectorType: ['code', [1, 2]],
			PriceCents: 'number',
			EndedAtUtc: 'date',
			Roaming: 'any',
			Note: 'any',
			Mixed: 'any',
			Version: 'number',
		});
	});

	it('come after the known ones, by name, each once', () => {
		expect(values(fieldOptions(SESSIONS, ROWS))).toEqual([
			'Status|code',
			'StartedAtUtc|date',
			'EnergyConsumed|number',
			'Id|number',
			'ConnectorType|code',
			'DriverName|text',
			'EndedAtUtc|date',
			'Mixed|any',
			'Note|any',
			'PriceCents|number',
			'Roaming|any',
			'Version|number',
		]);
		expect(values(fieldOptions(SESSIONS, [{ startedAtUtc: '2026-11-01T10:00:00' }]))).toHaveLength(4);
		expect(fieldOptions(SESSIONS, ROWS).find(({ value }) => value === 'ConnectorType|code')).toEqual({
			name: 'ConnectorType',
			value: 'ConnectorType|code',
			description: 'Status code: 1, 2 seen in your data',
		});
	});

	it('can be sorted by, under their plain name', () => {
		expect(values(sortOptions(SESSIONS, ROWS)).slice(0, 6)).toEqual([
			'Status',
			'StartedAtUtc',
			'EnergyConsumed',
			'Id',
			'ConnectorType',
			'DriverName',
		]);
	});

	it('never push out what is saved', () => {
		expect(fieldOptions(SESSIONS, [], ['Price|number', 'Status|code', 'Old'])).toEqual([
			...fieldOptions(SESSIONS, []),
			{
				name: 'Price',
				value: 'Price|number',
				description: 'Number. Saved in this workflow, not seen in your data.',
			},
			{
				name: 'Old',
				value: 'Old',
				description: 'Kind of value not known. Saved in this workflow, not seen in your data.',
			},
		]);
		expect(values(sortOptions(SESSIONS, [], ['Price', 'Id']))).toEqual([
			'Status',
			'StartedAtUtc',
			'EnergyConsumed',
			'Id',
			'Price',
		]);
	});
});

describe('codes', () => {
	it('with a public meaning come first, the others as found', () => {
		expect(sessionStatus && codeOptions(SESSIONS, sessionStatus, ROWS, ['11', '4', '={{ 5 }}'])).toEqual([
			{ name: 'Finished (Code 4)', value: '4' },
			{ name: 'Failed (Code 6)', value: '6' },
			{ name: 'Code 2', value: '2', description: 'Seen in your data' },
			{ name: 'Code 11', value: '11', description: 'Saved in this workflow, not seen in your data' },
		]);
	});

	it('say so where there are none yet', () => {
		expect(status && codeOptions(STATIONS, status, [])).toEqual([
			{
				name: 'No Codes Seen Yet',
				value: '|note',
				description: 'None was seen in your data. You can still enter a code with an expression.',
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

it('finds saved fields and codes at every depth', () => {
	const saved = collectSavedFields(PARAMETERS);
	expect(saved.fields.sort()).toEqual(['Deep|date', 'Driver|text', 'Price|number']);
	expect(saved.sortFields).toEqual(['Price']);
	expect(saved.codes.get('status')?.sort()).toEqual(['11', '4', '9']);
	expect(collectSavedFields(undefined).fields).toEqual([]);
});

describe('the dropdown methods', () => {
	const context = (parameters: () => unknown) =>
		({ getCurrentNodeParameters: parameters }) as unknown as ILoadOptionsFunctions;
	const load = async (
		method: string,
		readSample: () => Promise<typeof ROWS>,
		parameters: () => unknown = () => PARAMETERS,
	) => await loadOptionsMethods(SESSIONS, readSample)[method]?.call(context(parameters));

	it('exist for fields, sorting and the codes of each status', () => {
		const methods = (catalogue: typeof SESSIONS) =>
			Object.keys(loadOptionsMethods(catalogue, () => Promise.resolve([])));
		expect(methods(SESSIONS)).toEqual([
			'getFields',
			'getSortFields',
			'getOutputFields',
			'getGroupFields',
			'getStatusCodes',
		]);
		expect(methods(STATIONS)).toEqual([
			'getFields',
			'getSortFields',
			'getOutputFields',
			'getGroupFields',
			'getNetworkStatusCodes',
			'getStatusCodes',
			'getHardwareStatusCodes',
		]);
	});

	it('merge known, live and saved entries', async () => {
		const rows = () => Promise.resolve(ROWS);
		expect(values((await load('getFields', rows)) ?? [])).toEqual([
			...values(fieldOptions(SESSIONS, ROWS)),
			...collectSavedFields(PARAMETERS).fields,
		]);
		expect(values((await load('getSortFields', rows)) ?? [])).toContain('Price');
		expect(values((await load('getStatusCodes', rows)) ?? [])).toEqual(['4', '6', '2', '9', '11']);
	});

	it('offer lists and objects to return, but not to group by, and keep what is saved', async () => {
		const rows = () => Promise.resolve(ROWS);
		const stored = () => ({ outputFields: ['Former', '={{ 1 }}'], groupByField: 'Gone' });
		const output = values((await load('getOutputFields', rows, stored)) ?? []);
		expect(output).toEqual(expect.arrayContaining(['Id', 'DriverName', 'Evse', 'Tags', 'Former']));
		expect(new Set(output).size).toBe(output.length);
		const groups = values((await load('getGroupFields', rows, stored)) ?? []);
		expect(groups).toEqual(expect.arrayContaining(['Status', 'DriverName', 'Gone']));
		expect(groups).not.toContain('Evse');
	});

	it('never throw: without the platform they keep known and saved entries and say why there are no more', async () => {
		const down = () => Promise.reject(new Error('The key was revoked. Ask for a new one.'));
		const fields = (await load('getFields', down)) ?? [];
		expect(values(fields)).toEqual([
			'Status|code',
			'StartedAtUtc|date',
			'EnergyConsumed|number',
			'Id|number',
			...collectSavedFields(PARAMETERS).fields,
			'|note',
		]);
		expect(fields.at(-1)).toEqual({
			name: 'Live Entries Could Not Be Loaded',
			value: '|note',
			description: 'Entries seen in your data are missing. The key was revoked. Ask for a new one.',
		});
		expect(values((await load('getStatusCodes', down)) ?? [])).toEqual(['4', '6', '9', '11', '|note']);
		expect(values((await load('getSortFields', down)) ?? []).at(-1)).toBe('|note');
	});

	it('work where the node tells nothing about its parameters', async () => {
		const silent = () => {
			throw new Error('no parameters');
		};
		expect(values((await load('getFields', () => Promise.resolve([]), silent)) ?? [])).toHaveLength(4);
	});

	it('give a note that a filter refuses', () => {
		const context = { catalogue: SESSIONS, zone: 'UTC', now: new Date(0) };
		const form = (filters: unknown) => () => readForm({ filters, logic: 'And' }, context);
		expect(form({ other: [{ field: '|note', anyOperator: 'Eq', value: '1' }] })).toThrow(/no field is chosen/);
		expect(form({ status: [{ operator: 'In', values: ['4', '|note'] }] })).toThrow(
			/value 2 of 2: "\|note" is not a code/,
		);
	});
});
