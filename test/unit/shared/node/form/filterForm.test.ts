import type { INodeParameters, INodeProperties, INodePropertyCollection } from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';

import { SESSIONS, STATIONS } from '../../../../../nodes/shared/resources';
import { FORM_OPERATORS } from '../../../../../nodes/shared/dsquery/operators';
import type { Catalogue, FieldType, Group } from '../../../../../nodes/shared/dsquery/types';
import { filterProperties } from '../../../../../nodes/shared/node/form/filterForm';
import { sortProperty } from '../../../../../nodes/shared/node/form/sortForm';
import { readForm, readListQuery } from '../../../../support/dsquery/read.ts';

const NODE = { typeVersion: 1 };
const LISTS: Array<[string, Catalogue]> = [
	['sessions', SESSIONS],
	['stations', STATIONS],
];

/** What n8n hands to a node, or the editor shows: stored parameters with defaults, hidden ones left out. */
function resolve(catalogue: Catalogue, stored: INodeParameters): INodeParameters {
	const properties = [...filterProperties(catalogue), sortProperty(catalogue)];
	return NodeHelpers.getNodeParameters(properties, stored, true, false, NODE, null) ?? {};
}

function read(catalogue: Catalogue, stored: INodeParameters): Group | undefined {
	return readForm(resolve(catalogue, stored), {
		catalogue,
		zone: 'Europe/Berlin',
		now: new Date('2026-11-18T12:00:00Z'),
	});
}

function collections(property: INodeProperties | undefined): INodePropertyCollection[] {
	return (property?.options ?? []).filter((option): option is INodePropertyCollection => 'values' in option);
}

const levels = (catalogue: Catalogue) => {
	const found: Array<{ property: INodeProperties; kinds: INodePropertyCollection[] }> = [];
	let property = filterProperties(catalogue)[0];
	while (property) {
		const kinds = collections(property);
		found.push({ property, kinds });
		property = kinds.find(({ name }) => name === 'groups')?.values.find(({ name }) => name === 'filters');
	}
	return found;
};

describe.each(LISTS)('the form of %s', (_, catalogue) => {
	it('has the stored names of the design at each of three levels', () => {
		const kinds = [...catalogue.fields.map(({ kind }) => kind), 'other', 'json'];
		expect(levels(catalogue).map((level) => level.kinds.map(({ name }) => name))).toEqual([
			[...kinds, 'groups'],
			[...kinds, 'groups'],
			kinds,
		]);
		expect(filterProperties(catalogue).map(({ name }) => name)).toEqual(['filters', 'logic']);
		for (const { property } of levels(catalogue)) expect(property).toMatchObject({ name: 'filters', default: {} });
		const names = (kind: INodePropertyCollection | undefined) => [...new Set(kind?.values.map(({ name }) => name))];
		for (const field of catalogue.fields) {
			const expected: Record<FieldType, string[]> = {
				code: ['value', 'values'],
				number: ['value', 'from', 'to', 'values'],
				date: ['value', 'from', 'to', 'period', 'days'],
				text: ['value', 'values'],
				any: [],
			};
			const kind = levels(catalogue)[0]?.kinds.find(({ name }) => name === field.kind);
			expect(names(kind)).toEqual(['field', 'operator', ...expected[field.type]]);
			expect(kind?.values[0]).toMatchObject({ type: 'hidden', default: `${field.name}|${field.type}` });
			expect(kind?.displayName).toBe(field.label);
		}
		expect(names(levels(catalogue)[0]?.kinds.find(({ name }) => name === 'other'))).toEqual([
			'field',
			'numberOperator',
			'codeOperator',
			'dateOperator',
			'textOperator',
			'anyOperator',
			'value',
			'from',
			'to',
			'date',
			'fromDate',
			'toDate',
			'period',
			'days',
		]);
	});

	it('says at each level what its button adds', () => {
		expect(levels(catalogue).map(({ property }) => property.placeholder)).toEqual([
			'Add Condition or Group',
			'Add Condition to Group',
			'Add Condition to Inner Group',
		]);
		expect(levels(catalogue).map(({ kinds }) => kinds.at(-1)?.displayName)).toEqual([
			'Group',
			'Inner Group',
			'Filter as JSON',
		]);
	});

	it('requires nothing that another choice may hide, or a run with an expression would be blocked', () => {
		for (const { kinds } of levels(catalogue)) {
			const other = kinds.find(({ name }) => name === 'other')?.values ?? [];
			expect(other.filter(({ required }) => required).map(({ name }) => name)).toEqual(['field']);
		}
	});

	it('shows Must Match only where there is a condition', () => {
		const [, mustMatch] = filterProperties(catalogue);
		const shown = (filters: INodeParameters) =>
			mustMatch && NodeHelpers.displayParameter({ filters }, mustMatch, NODE, null);
		expect(shown({})).toBe(false);
		expect(shown({ id: [{ value: 5 }] })).toBe(true);
	});

	it('is shown when the node says so', () => {
		for (const property of [
			...filterProperties(catalogue, { operation: ['getAll'] }),
			sortProperty(catalogue, { operation: ['getAll'] }),
		]) {
			expect(property.displayOptions?.show).toMatchObject({ operation: ['getAll'] });
		}
	});
});

describe('what is shown is what is read', () => {
	const FILL: Record<string, unknown> = {
		value: '4',
		values: '4',
		from: '1',
		to: '2',
		date: '2026-11-15T00:00:00',
		fromDate: '2026-11-15T00:00:00',
		toDate: '2026-11-16T00:00:00',
	};
	const DATES: Record<string, unknown> = { value: FILL.date, from: FILL.fromDate, to: FILL.toDate };
	const PICKED = ['period', 'days'];

	/** Fills every value shown for an entry; then empties one after the other, each of which must be refused. */
	function check(catalogue: Catalogue, kind: string, entry: Record<string, unknown>, dates: boolean): void {
		const resolveEntry = (raw: Record<string, unknown>) => {
			const resolved = resolve(catalogue, { filters: { [kind]: [raw] } } as INodeParameters);
			return (resolved.filters as Record<string, Array<Record<string, unknown>>>)[kind]?.[0] ?? {};
		};
		const shown = Object.keys(resolveEntry(entry)).filter((name) => name in FILL);
		const filled = {
			...entry,
			...Object.fromEntries(shown.map((name) => [name, (dates ? DATES[name] : undefined) ?? FILL[name]])),
		};
		expect([entry, read(catalogue, { filters: { [kind]: [filled] } } as INodeParameters)?.filters.length]).toEqual([
			entry,
			1,
		]);
		if (!PICKED.some((name) => name in resolveEntry(entry))) expect(shown.length).toBeGreaterThan(0);
		for (const name of shown) {
			const emptied = { filters: { [kind]: [{ ...filled, [name]: '' }] } } as INodeParameters;
			expect(() => read(catalogue, emptied)).toThrow(/nothing is filled in/);
		}
	}

	it.each(LISTS)('for every operator of the known fields of %s', (_, catalogue) => {
		for (const { kind, type } of catalogue.fields) {
			for (const { value } of FORM_OPERATORS[type]) check(catalogue, kind, { operator: value }, type === 'date');
		}
	});

	const types = Object.keys(FORM_OPERATORS) as FieldType[];
	it.each(types)('for every operator of other fields of type %s, whatever is left of other types', (type) => {
		for (const { value } of FORM_OPERATORS[type]) {
			const unit = type === 'any' && value.startsWith('Is');
			for (const leftOver of ['Eq', 'In', 'GteLt', 'InPeriod']) {
				const others = Object.fromEntries(types.map((other) => [`${other}Operator`, leftOver]));
				check(SESSIONS, 'other', { ...others, field: `Whatever|${type}`, [`${type}Operator`]: value }, unit);
			}
			check(SESSIONS, 'other', { field: `Whatever|${type}`, [`${type}Operator`]: value }, unit);
		}
	});

	it('asks for a number of days only for the last days', () => {
		const started = (period: string) =>
			resolve(SESSIONS, { filters: { startedAtUtc: [{ operator: 'InPeriod', period }] } }).filters as {
				startedAtUtc: Array<Record<string, unknown>>;
			};
		expect(started('lastDays').startedAtUtc[0]).toHaveProperty('days', 7);
		expect(started('today').startedAtUtc[0]).not.toHaveProperty('days');
	});

	it('fills what a saved workflow leaves out, at every depth', () => {
		const status = [{ values: ['4'] }];
		expect(
			read(SESSIONS, {
				filters: { status, groups: [{ filters: { status, groups: [{ logic: 'And', filters: { status } }] } }] },
			} as INodeParameters),
		).toEqual({
			logic: 'And',
			filters: [
				{ field: 'Status', operator: 'In', value: '4' },
				{
					logic: 'Or',
					filters: [
						{ field: 'Status', operator: 'In', value: '4' },
						{ logic: 'And', filters: [{ field: 'Status', operator: 'In', value: '4' }] },
					],
				},
			],
		});
	});

	it('refuses every condition that was added but not filled in', () => {
		const message = (filters: object) => () => read(SESSIONS, { filters } as INodeParameters);
		expect(message({ status: [{}] })).toThrow(/^Filters > Status 1 > Values: nothing is filled in/);
		expect(message({ startedAtUtc: [{}] })).toThrow(/From: nothing is filled in.*\n.*To: nothing is filled in/);
		expect(message({ other: [{}] })).toThrow(/^Filters > Other Field 1 > Field: no field is chosen/);
		expect(message({ groups: [{}] })).toThrow(/^Filters > Group 1: this group is empty/);
		expect(message({ json: [{}] })).toThrow(/^Filters > Filter as JSON 1 > Field: nothing is filled in/);
	});

	it('reads the sort form', () => {
		const parameters = resolve(SESSIONS, {
			sort: { by: [{ field: 'StartedAtUtc', direction: 'Desc' }, { field: 'Price' }] },
		});
		const context = { catalogue: SESSIONS, zone: 'UTC', now: new Date(0) };
		expect(readListQuery(parameters, context)).toEqual({
			sorts: [
				{ field: 'StartedAtUtc', direction: 'Desc' },
				{ field: 'Price', direction: 'Asc' },
			],
		});
	});
});

describe('status codes', () => {
	it('are loaded, so that codes of live rows can be picked', () => {
		const loaders = STATIONS.fields
			.filter(({ type }) => type === 'code')
			.map(({ kind }) =>
				levels(STATIONS)[0]
					?.kinds.find(({ name }) => name === kind)
					?.values.filter(({ typeOptions }) => typeOptions?.loadOptionsMethod)
					.map(({ displayName, typeOptions }) => `${displayName}: ${typeOptions?.loadOptionsMethod ?? ''}`),
			);
		expect(loaders).toEqual([
			['Network Status Name or ID: getNetworkStatusCodes', 'Network Status Names or IDs: getNetworkStatusCodes'],
			['Status Name or ID: getStatusCodes', 'Status Names or IDs: getStatusCodes'],
			['Hardware Status Name or ID: getHardwareStatusCodes', 'Hardware Status Names or IDs: getHardwareStatusCodes'],
		]);
	});
});
