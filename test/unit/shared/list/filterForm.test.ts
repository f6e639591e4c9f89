import type { INodeParameters, INodeProperties, INodePropertyCollection } from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';

import { LOCATIONS, SESSIONS, STATIONS } from '../../../../nodes/shared/resources';
import { Faults } from '../../../../nodes/shared/dsquery/faults';
import { FORM_OPERATORS, type FieldType } from '../../../../nodes/shared/dsquery/operators';
import type { Catalogue, Group } from '../../../../nodes/shared/dsquery/types';
import { filterProperties } from '../../../../nodes/shared/list/filterForm';
import { sortProperty } from '../../../../nodes/shared/list/filters';
import { readForm as readStored } from '../../../../nodes/shared/parameters/form';
import { CONTEXT, faultsOf, readForm } from '../dsquery/read.ts';

const NODE = { typeVersion: 1 };
const DROPDOWN = { method: 'getFields', load: async () => await Promise.resolve([]) };
const LISTS: Array<[string, Catalogue]> = [
	['sessions', SESSIONS],
	['stations', STATIONS],
];

/** The parameters that a node gets and the editor shows: stored ones and defaults, without hidden ones. */
function resolve(catalogue: Catalogue, stored: INodeParameters): INodeParameters {
	const properties = [...filterProperties(catalogue, DROPDOWN), sortProperty(catalogue, DROPDOWN)];
	return NodeHelpers.getNodeParameters(properties, stored, true, false, NODE, null) ?? {};
}

/** What a node reads of what is stored. */
function read(catalogue: Catalogue, { filters, logic }: INodeParameters): Group | undefined {
	const faults = new Faults();
	const entries = readStored(filterProperties(catalogue, DROPDOWN)[0], filters, faults);
	faults.check();
	return readForm(entries, logic, { ...CONTEXT, catalogue });
}

function collections(property: INodeProperties | undefined): INodePropertyCollection[] {
	return (property?.options ?? []).filter((option): option is INodePropertyCollection => 'values' in option);
}

const levels = (catalogue: Catalogue) => {
	const found: Array<{ property: INodeProperties; kinds: INodePropertyCollection[] }> = [];
	let property: INodeProperties | undefined = filterProperties(catalogue, DROPDOWN)[0];
	while (property) {
		const kinds = collections(property);
		found.push({ property, kinds });
		property = kinds.find(({ name }) => name === 'groups')?.values.find(({ name }) => name === 'filters');
	}
	return found;
};

describe.each(LISTS)('the form of %s', (_, catalogue) => {
	it('says at each level what its button adds', () => {
		expect(levels(catalogue).map(({ property }) => property.placeholder)).toEqual([
			'Add Condition or Group',
			'Add Condition Inside This Group',
		]);
		expect(levels(catalogue).map(({ kinds }) => kinds.at(-1)?.displayName)).toEqual(['Group', 'Filter as JSON']);
	});

	it('requires only Field in Any Other Field, so that no hidden parameter blocks a run', () => {
		for (const { kinds } of levels(catalogue)) {
			const other = kinds.find(({ name }) => name === 'other')?.values ?? [];
			expect(other.filter(({ required }) => required).map(({ name }) => name)).toEqual(['field']);
		}
	});

	it('shows Must Match only where there is a condition', () => {
		const [, mustMatch] = filterProperties(catalogue, DROPDOWN);
		const shown = (filters: INodeParameters) =>
			mustMatch && NodeHelpers.displayParameter({ filters }, mustMatch, NODE, null);
		expect(shown({})).toBe(false);
		expect(shown({ id: [{ value: 5 }] })).toBe(true);
	});
});

it('calls its choices what messages call them', () => {
	const said = (filters: object, logic: unknown) => faultsOf(() => readForm(filters, logic)).join();
	const [, mustMatch] = filterProperties(SESSIONS, DROPDOWN);
	for (const { name } of mustMatch?.options ?? []) expect(said({}, 'Xor')).toContain(name);
	const empty = said({ energyConsumed: [{ operator: 'GteLt', from: '5', to: '5' }] }, 'And');
	const { name = '' } = FORM_OPERATORS.number.find(({ value }) => value === 'GteLte') ?? {};
	expect(name).not.toBe('');
	expect(empty).toContain(name);
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
		period: 'today',
		amount: 1,
		unit: 'days',
	};
	const DATES: Record<string, unknown> = { value: FILL.date, from: FILL.fromDate, to: FILL.toDate };

	const VALUES: Record<FieldType, unknown> = {
		number: '4',
		code: '4',
		date: FILL.date,
		boolean: 'true',
		text: 'north',
		any: 'north',
	};

	/** Fills every value shown for an entry, then empties each in turn, which must be refused. */
	function check(catalogue: Catalogue, kind: string, entry: Record<string, unknown>, value: unknown): void {
		const resolveEntry = (raw: Record<string, unknown>) => {
			const resolved = resolve(catalogue, { filters: { [kind]: [raw] } } as INodeParameters);
			return (resolved.filters as Record<string, Array<Record<string, unknown>>>)[kind]?.[0] ?? {};
		};
		const shown = Object.keys(resolveEntry(entry)).filter((name) => name in FILL);
		const filled = {
			...entry,
			...Object.fromEntries(shown.map((name) => [name, (value === FILL.date ? DATES[name] : undefined) ?? FILL[name]])),
			...(shown.includes('value') && { value }),
		};
		expect([entry, read(catalogue, { filters: { [kind]: [filled] } } as INodeParameters)?.filters.length]).toEqual([
			entry,
			1,
		]);
		expect(shown.length).toBeGreaterThan(0);
		for (const name of shown) {
			const emptied = { filters: { [kind]: [{ ...filled, [name]: '' }] } } as INodeParameters;
			expect(() => read(catalogue, emptied)).toThrow(/nothing is filled in|is chosen|is needed/);
		}
	}

	it.each(LISTS)('for every operator of the known fields of %s', (_, catalogue) => {
		for (const { kind, type } of catalogue.fields) {
			for (const { value } of FORM_OPERATORS[type]) check(catalogue, kind, { operator: value }, VALUES[type]);
		}
	});

	const types = Object.keys(FORM_OPERATORS) as FieldType[];
	it.each(types)('for every operator of other fields of type %s, despite leftovers of other types', (type) => {
		for (const { value } of FORM_OPERATORS[type]) {
			const single = type === 'any' && value.startsWith('Is') ? FILL.date : VALUES[type];
			for (const leftOver of ['Eq', 'In', 'GteLt', 'InPeriod']) {
				const others = Object.fromEntries(types.map((other) => [`${other}Operator`, leftOver]));
				check(SESSIONS, 'other', { ...others, field: `Whatever|${type}`, [`${type}Operator`]: value }, single);
			}
			check(SESSIONS, 'other', { field: `Whatever|${type}`, [`${type}Operator`]: value }, single);
		}
	});

	it('asks for days only with Last Days, and for hours only with Last Hours', () => {
		const started = (period: string) =>
			resolve(SESSIONS, { filters: { startedAtUtc: [{ operator: 'InPeriod', period }] } }).filters as {
				startedAtUtc: Array<Record<string, unknown>>;
			};
		expect(started('lastDays').startedAtUtc[0]).toHaveProperty('days', 7);
		expect(started('lastHours').startedAtUtc[0]).toMatchObject({ hours: 24 });
		for (const name of ['days', 'hours']) expect(started('today').startedAtUtc[0]).not.toHaveProperty(name);
	});

	it('fills what a saved workflow leaves out, also in a group', () => {
		const status = [{ values: ['4'] }];
		expect(
			read(SESSIONS, {
				filters: { status, groups: [{ filters: { status } }] },
			} as INodeParameters),
		).toEqual({
			logic: 'And',
			filters: [
				{ field: 'Status', operator: 'In', value: '4' },
				{ logic: 'Or', filters: [{ field: 'Status', operator: 'In', value: '4' }] },
			],
		});
	});

	it('refuses every condition that was added but not filled in', () => {
		const message = (filters: object) => () => read(SESSIONS, { filters } as INodeParameters);
		expect(message({ status: [{}] })).toThrow(/^Filters > Status 1 > Values: nothing is filled in/);
		expect(message({ startedAtUtc: [{}] })).toThrow(/^Filters > Started At 1 > Period: no period is chosen/);
		expect(message({ energyConsumed: [{}] })).toThrow(/^Filters > Energy Consumed 1 > Value: nothing is filled in/);
		expect(message({ other: [{}] })).toThrow(/^Filters > Any Other Field 1 > Field: no field is chosen/);
		expect(message({ groups: [{}] })).toThrow(/^Filters > Group 1: this group is empty/);
		expect(message({ json: [{}] })).toThrow(/^Filters > Filter as JSON 1 > Field: nothing is filled in/);
	});
});

it('keeps working with numbers and other values that it stored', () => {
	expect(
		read(SESSIONS, {
			filters: {
				energyConsumed: [{ operator: 'Gt', value: 20.5 }, { operator: 'GteLt', from: 1, to: 2 }, { value: 3 }],
				id: [{ value: 7 }, { operator: 'In', values: '1,2' }],
				startedAtUtc: [{ operator: 'InPeriod', period: 'yesterday' }],
				status: [{ values: ['4'] }],
			},
		} as INodeParameters)?.filters,
	).toEqual([
		{ field: 'Status', operator: 'In', value: '4' },
		{ field: 'StartedAtUtc', operator: 'GteLt', value: '2026-11-16T23:00:00,2026-11-17T23:00:00' },
		{ field: 'EnergyConsumed', operator: 'Gt', value: '20.5' },
		{ field: 'EnergyConsumed', operator: 'GteLt', value: '1,2' },
		{ field: 'EnergyConsumed', operator: 'Gte', value: '3' },
		{ field: 'Id', operator: 'Eq', value: '7' },
		{ field: 'Id', operator: 'In', value: '1,2' },
	]);
});

describe('what the panel says', () => {
	const kindsOf = (catalogue: Catalogue) => levels(catalogue)[0]?.kinds ?? [];
	const nameOf = (catalogue: Catalogue, kind: string) =>
		kindsOf(catalogue).find(({ name }) => name === kind)?.displayName;
	const jsonHelp = (catalogue: Catalogue) => kindsOf(catalogue).find(({ name }) => name === 'json')?.values[0];

	it('labels the condition for any other field', () => {
		expect(nameOf(SESSIONS, 'other')).toBe('Any Other Field (such as Station Name)');
		expect(nameOf(STATIONS, 'other')).toBe('Any Other Field (such as Location)');
		expect(nameOf(LOCATIONS, 'other')).toBe('Field');
	});

	it('lists the known fields for JSON, if any, and has no hint', () => {
		expect(jsonHelp(SESSIONS)?.description).toContain(
			'Fields: Status (4 = Finished, 6 = Failed), StartedAtUtc, EnergyConsumed, Id, and any other of the rows. Op',
		);
		expect(jsonHelp(LOCATIONS)?.description).toContain('Fields: those of the rows. Op');
		for (const catalogue of [SESSIONS, LOCATIONS]) expect(jsonHelp(catalogue)).not.toHaveProperty('hint');
	});

	it('opens Any Other Field with Equals for numbers and text: an Id from the node before must not match larger ones', () => {
		const other = kindsOf(SESSIONS).find(({ name }) => name === 'other')?.values ?? [];
		const initial = (name: string) => other.find((property) => property.name === name)?.default;
		expect(['numberOperator', 'textOperator', 'dateOperator'].map(initial)).toEqual(['Eq', 'Eq', 'InPeriod']);
	});

	it('opens Started At with In Period and no period, and takes numbers as text', () => {
		const values = (kind: string) => kindsOf(SESSIONS).find(({ name }) => name === kind)?.values ?? [];
		expect(values('startedAtUtc').find(({ name }) => name === 'operator')?.default).toBe('InPeriod');
		expect(values('startedAtUtc').find(({ name }) => name === 'period')).toMatchObject({ default: '', required: true });
		for (const kind of ['energyConsumed', 'id']) {
			const numbers = values(kind).filter(({ name }) => ['value', 'from', 'to'].includes(name));
			expect(numbers.map(({ type, default: initial }) => [type, initial])).toEqual(Array(3).fill(['string', '']));
		}
	});
});
