/** Filters at random: what is meant is asked for, nothing that came out empty widens it, and junk is refused by its place. */
import fc from 'fast-check';

import { QueryError } from '../../../../nodes/shared/dsquery/faults';
import { OPERATORS } from '../../../../nodes/shared/dsquery/operators';
import type { FilterNode, Group } from '../../../../nodes/shared/dsquery/types';
import { writeQuery } from '../../../../nodes/shared/dsquery/write';
import { draws } from '../../../support/draws.ts';
import { line, readForm, readJson, readWire } from './read.ts';

const RUNS = { numRuns: draws(6_000) };

/** The kinds of conditions, in the order of the menu, as messages call them. */
const KINDS = {
	...{ status: 'Status', startedAtUtc: 'Started At', energyConsumed: 'Energy Consumed', id: 'Session ID' },
	...{ other: 'Any Other Field', json: 'Filter as JSON' },
};
type Kind = keyof typeof KINDS;

/** Conditions as the form stores them, what is asked for, and the values that each needs, as messages call them. */
const CONDITIONS: Array<[Kind, Record<string, unknown>, string, Record<string, string>]> = [
	['status', { operator: 'In', values: ['4', '6'] }, 'Status In 4,6', { values: 'Values' }],
	['status', { operator: 'NotIn', values: 'Finished, 6' }, '(Status Neq 4 And Status Neq 6)', { values: 'Values' }],
	['status', { operator: 'Neq', value: ' 4 ' }, 'Status Neq 4', { value: 'Value' }],
	[
		'startedAtUtc',
		{ operator: 'GteLt', from: '2026-10-25', to: new Date('2026-11-01T00:00:00.500Z') },
		'StartedAtUtc GteLt 2026-10-24T22:00:00,2026-11-01T00:00:01',
		{ from: 'From', to: 'To' },
	],
	[
		'startedAtUtc',
		{ operator: 'LocalDay', value: '2026-10-25' },
		'StartedAtUtc GteLt 2026-10-24T22:00:00,2026-10-25T23:00:00',
		{ value: 'Date' },
	],
	[
		'startedAtUtc',
		{ operator: 'InPeriod', period: 'lastHours', hours: 6 },
		'StartedAtUtc GteLt 2026-11-18T06:00:00,2026-11-18T12:00:00',
		{ period: 'Period', hours: 'Hours' },
	],
	[
		'startedAtUtc',
		{ operator: 'OlderThan', amount: '24', unit: 'hours' },
		'StartedAtUtc Lt 2026-11-17T12:00:00',
		{ amount: 'Amount', unit: 'Unit' },
	],
	['energyConsumed', { operator: 'Gt', value: '20.50' }, 'EnergyConsumed Gt 20.5', { value: 'Value' }],
	[
		'energyConsumed',
		{ operator: 'GteLte', from: 1, to: ' 2 ' },
		'EnergyConsumed GteLte 1,2',
		{ from: 'From', to: 'To' },
	],
	['id', { operator: 'In', values: '1, 2' }, 'Id In 1,2', { values: 'Values' }],
	[
		'other',
		{ field: 'Driver|text', textOperator: 'Contains', numberOperator: 'In', value: ' a"b\\,ü–{{ 1 }}' },
		'Driver Contains  a"b\\,ü–{{ 1 }}',
		{ value: 'Value' },
	],
	['other', { field: 'Driver|text', textOperator: 'In', value: ['x', 'y z'] }, 'Driver In x,y z', { value: 'Values' }],
	[
		'other',
		{ field: 'EndedAtUtc|date', dateOperator: 'Gte', textOperator: 'Eq', date: '2026-11-15', value: 'old' },
		'EndedAtUtc Gte 2026-11-14T23:00:00',
		{ date: 'Date' },
	],
	['other', { field: 'Paid|boolean', booleanOperator: 'Eq', value: true }, 'Paid Eq true', { value: 'Value' }],
	['json', { json: '{"FIELD":"id","OPERATOR":"GT","VALUE":"5"}' }, 'Id Gt 5', { json: '' }],
	['json', { json: { Logic: 'or', filters: [{ field: 'X', operator: 'eq', value: 0 }] } }, '(X Eq 0)', { json: '' }],
];

interface Meant {
	kind: Kind;
	entry: Record<string, unknown>;
	written: string;
	needs: Record<string, string>;
}
interface MeantGroup {
	logic: Group['logic'];
	conditions: Meant[];
}
interface Form extends MeantGroup {
	groups: MeantGroup[];
}

/** What the form may hold of an operator chosen before. */
const stale = fc.record(
	{ value: fc.constantFrom('', null, 'old'), values: fc.constant([]), from: fc.constant(''), period: fc.constant('x') },
	{ requiredKeys: [] },
);
const logic = fc.constantFrom('And' as const, 'Or' as const);
const meant = fc
	.tuple(fc.constantFrom(...CONDITIONS), stale)
	.map(([[kind, entry, written, needs], rest]): Meant => ({ kind, entry: { ...rest, ...entry }, written, needs }));
const form: fc.Arbitrary<Form> = fc.record({
	logic,
	conditions: fc.array(meant, { minLength: 1, maxLength: 4 }),
	groups: fc.array(fc.record({ logic, conditions: fc.array(meant, { minLength: 1, maxLength: 3 }) }), { maxLength: 2 }),
});

const ofKind = (conditions: readonly Meant[]) =>
	Object.keys(KINDS).map((kind) => conditions.filter((condition) => condition.kind === kind));

/** The form as n8n stores it. */
function stored({ conditions, groups }: Form): Record<string, unknown> {
	const filtersOf = (all: readonly Meant[]) =>
		Object.fromEntries(
			ofKind(all).flatMap((some) => (some[0] ? [[some[0].kind, some.map(({ entry }) => entry)]] : [])),
		);
	const inner = groups.map((group) => ({ logic: group.logic, filters: filtersOf(group.conditions) }));
	return { ...filtersOf(conditions), ...(inner.length > 0 && { groups: inner }) };
}

/** All conditions with their places in messages. */
function places({ conditions, groups }: Form): Array<{ condition: Meant; place: string }> {
	const all = [{ conditions, place: 'Filters' }].concat(
		groups.map((group, index) => ({ ...group, place: `Filters > Group ${index + 1}` })),
	);
	return all.flatMap((group) =>
		ofKind(group.conditions).flatMap((some) =>
			some.map((condition, index) => ({
				condition,
				place: `${group.place} > ${KINDS[condition.kind]} ${index + 1}`,
			})),
		),
	);
}

/** Reads, and checks what must hold for any input: a tree that survives a round trip, or faults that name a place. */
function readOrRefuse(read: () => FilterNode | undefined): FilterNode | QueryError | undefined {
	let node: FilterNode | undefined;
	try {
		node = read();
	} catch (thrown) {
		if (!(thrown instanceof QueryError)) throw thrown;
		expect(thrown.faults.length).toBeGreaterThan(0);
		for (const { place, message } of thrown.faults) {
			expect(place).not.toBe('');
			expect(message).toMatch(/[.?]$/);
			expect(message).not.toMatch(/\b(error|problem|failure|mistake)/i);
		}
		return thrown;
	}
	if (!node) return undefined;
	const filter: Group = 'filters' in node ? node : { logic: 'And', filters: [node] };
	expect(line(readWire(writeQuery({ filter, sorts: [] })))).toBe(line(filter));
	const waiting: FilterNode[] = [filter];
	for (let next = waiting.pop(); next; next = waiting.pop()) {
		if ('filters' in next) {
			expect(next.filters.length).toBeGreaterThan(0);
			waiting.push(...next.filters);
		} else {
			expect(next.value.trim()).not.toBe('');
			expect(next.field.trim()).not.toBe('');
		}
	}
	return node;
}

it('asks for what any form means, and reads what it asks for as JSON in the same way', () => {
	const written = ({ conditions }: MeantGroup) =>
		ofKind(conditions).flatMap((some) => some.map((each) => each.written));
	fc.assert(
		fc.property(form, (one) => {
			const filter = readOrRefuse(() => readForm(stored(one), one.logic));
			if (filter instanceof QueryError) throw filter;
			if (!filter || !('filters' in filter)) throw new Error('no filter');
			const groups = one.groups.map((group) => `(${written(group).join(` ${group.logic} `)})`);
			// A group alone is the whole filter.
			const whole = [...written(one), ...groups].join(` ${one.logic} `).replace(/^\(([^()]*)\)$/, '$1');
			expect(line(filter)).toBe(whole);
			expect(line(readJson(writeQuery({ filter, sorts: [] })))).toBe(line(filter));
		}),
		RUNS,
	);
});

const empty = fc.constantFrom(undefined, null, '', '  ', Number.NaN, [], '\u200b', '\u00a0');

it('refuses a form in which any one value came out empty, and names the place', () => {
	fc.assert(
		fc.property(form, fc.nat(), fc.nat(), empty, (one, pickCondition, pickValue, nothing) => {
			const all = places(one);
			const chosen = all[pickCondition % all.length];
			if (!chosen) return;
			const { entry, needs } = chosen.condition;
			const keys = Object.keys(needs);
			const key = keys[pickValue % keys.length] ?? '';
			entry[key] = nothing;
			const refused = readOrRefuse(() => readForm(stored(one), one.logic));
			const found = refused instanceof QueryError ? refused.faults.map(({ place }) => place) : [];
			expect(found).toEqual([[chosen.place, needs[key]].filter(Boolean).join(' > ')]);
		}),
		RUNS,
	);
});

/** Anything that an expression may return. */
const junk = fc.oneof(
	fc.anything({ withDate: true, withBigInt: true, withNullPrototype: true, maxDepth: 1, maxKeys: 2 }),
	fc.constantFrom('', ' ', '0', '4', 4, '4,6', '2026-11-15', '12:00', 'null', '[object Object]', null, undefined, true),
	fc.string(),
	fc.double(),
);
const operatorName = fc.oneof(
	fc.constantFrom<unknown>(...OPERATORS, 'InPeriod', 'LocalDay', 'OlderThan', 'NotIn', 'equals', '', null, 3),
	junk,
);
const everyName = (names: string, value: fc.Arbitrary<unknown>) =>
	Object.fromEntries(names.split(' ').map((name) => [name, value]));
const FIELDS = ['Status', 'energyconsumed|number', 'X|date', 'Y|text', 'B|boolean', 'Z|any', 'W|code', '|', ''];
const junkEntry = fc.record(
	{
		...everyName('operator numberOperator codeOperator dateOperator booleanOperator textOperator', operatorName),
		...everyName('value values from to date fromDate toDate days hours amount json', junk),
		anyOperator: operatorName,
		field: fc.oneof(fc.constantFrom(...FIELDS), junk),
		period: fc.oneof(fc.constantFrom('today', 'lastDays', 'lastHours', 'lastQuarter'), junk),
		unit: fc.oneof(fc.constantFrom('hours', 'months'), junk),
	},
	{ requiredKeys: [] },
);
const junkFilters: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
	filters: fc.oneof(
		{ maxDepth: 3 },
		fc.record(everyName(Object.keys(KINDS).join(' '), fc.array(junkEntry, { maxLength: 2 })), { requiredKeys: [] }),
		fc.record({
			groups: fc.array(fc.record({ logic: fc.oneof(fc.constantFrom('And', 'or'), junk), filters: tie('filters') })),
		}),
	),
})).filters;

it('writes any form, or refuses it and names the place', () => {
	fc.assert(
		fc.property(junkFilters, fc.oneof(fc.constantFrom('And', 'Or'), junk), (filters, logic) => {
			readOrRefuse(() => readForm(filters, logic));
		}),
		RUNS,
	);
});

const someCase = (name: string) => fc.constantFrom(name, name.toLowerCase(), name.toUpperCase());
const record = (entries: Array<[string, fc.Arbitrary<unknown>]>) =>
	fc
		.tuple(...entries.map(([name, value]) => fc.tuple(someCase(name), value)))
		.map((pairs) => Object.fromEntries(pairs));
const junkJson: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
	node: fc.oneof(
		{ maxDepth: 4 },
		record([
			['Field', fc.oneof(fc.constantFrom('Status', 'StartedAtUtc', 'EnergyConsumed', 'Id', 'Driver', ''), junk)],
			['Operator', operatorName],
			['Value', junk],
		]),
		record([
			['Logic', fc.oneof(fc.constantFrom('And', 'oR', 1), junk)],
			['Filters', fc.oneof(fc.array(tie('node'), { maxLength: 3 }), junk)],
		]),
		junk,
	),
})).node;

it('writes any JSON filter, or refuses it and names the place', () => {
	fc.assert(
		fc.property(junkJson, fc.boolean(), (json, whole) => {
			readOrRefuse(() => readJson(whole ? { filter: json } : json, 'JSON'));
		}),
		RUNS,
	);
});
