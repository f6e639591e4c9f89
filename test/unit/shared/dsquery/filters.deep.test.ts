/** What forms ask for, one condition at a time and at random: nothing that came out empty widens a filter, and junk is refused by its place. */
import fc from 'fast-check';

import { OPERATORS } from '../../../../nodes/shared/dsquery/operators';
import type { FilterNode, FilterGroup } from '../../../../nodes/shared/dsquery/types';
import { writeQuery } from '../../../../nodes/shared/dsquery/write';
import { draws } from '../../../support/draws.ts';
import { faultsOf, line, readForm, readJson } from './read.ts';

const RUNS = { numRuns: draws(6_000) };

/** The kinds of conditions, in the order of the menu, as messages call them. */
const KINDS = {
	status: 'Status',
	startedAtUtc: 'Started At',
	energyConsumed: 'Energy Consumed',
	id: 'Session ID',
	other: 'Any Other Field',
	json: 'Filter as JSON',
};
type Kind = keyof typeof KINDS;

interface Meant {
	kind: Kind;
	/** As the form stores it. */
	entry: Record<string, unknown>;
	/** What is asked for. */
	asked: string;
}
const meant = (kind: Kind, entry: Meant['entry'], asked: string): Meant => ({ kind, entry, asked });
const started = (entry: Meant['entry'], asked: string) => meant('startedAtUtc', entry, `StartedAtUtc ${asked}`);
const other = (field: string, entry: Meant['entry'], asked: string) => meant('other', { field, ...entry }, asked);

const CONDITIONS: Meant[] = [
	meant('status', { operator: 'In', values: ['4', '6'] }, 'Status In 4,6'),
	meant('status', { operator: 'NotIn', values: 'Finished, Code 6' }, '(Status Neq 4 And Status Neq 6)'),
	meant('status', { operator: 'Neq', value: ' 4 ' }, 'Status Neq 4'),
	started(
		{ operator: 'GteLt', from: '2026-10-25', to: new Date('2026-11-01T00:00:00.500Z') },
		'GteLt 2026-10-24T22:00:00,2026-11-01T00:00:01',
	),
	// A day of 25 hours, and the day of an instant.
	started({ operator: 'LocalDay', value: '2026-10-25' }, 'GteLt 2026-10-24T22:00:00,2026-10-25T23:00:00'),
	started({ operator: 'LocalDay', value: '2026-11-14T23:30:00Z' }, 'GteLt 2026-11-14T23:00:00,2026-11-15T23:00:00'),
	started({ operator: 'InPeriod', period: 'lastMonth' }, 'GteLt 2026-09-30T22:00:00,2026-10-31T23:00:00'),
	started({ operator: 'InPeriod', period: 'lastDays', days: '7' }, 'GteLt 2026-11-10T23:00:00,2026-11-17T23:00:00'),
	started({ operator: 'InPeriod', period: 'lastHours', hours: 6 }, 'GteLt 2026-11-18T06:00:00,2026-11-18T12:00:00'),
	started({ operator: 'OlderThan', amount: '24', unit: 'hours' }, 'Lt 2026-11-17T12:00:00'),
	// By the calendar.
	started({ operator: 'OlderThan', amount: 1, unit: 'months' }, 'Lt 2026-10-18T11:00:00'),
	// Whole days, of 25 hours as well; an end with a time keeps it.
	started({ operator: 'Lte', value: '2026-10-25' }, 'Lt 2026-10-25T23:00:00'),
	started({ operator: 'GtLte', from: '2026-10-24', to: '2026-10-25' }, 'GteLt 2026-10-24T22:00:00,2026-10-25T23:00:00'),
	started(
		{ operator: 'GtLte', from: '2026-10-24', to: '2026-10-25T08:00' },
		'GteLte 2026-10-24T22:00:00,2026-10-25T07:00:00',
	),
	meant('energyConsumed', { operator: 'Gt', value: '20.50' }, 'EnergyConsumed Gt 20.5'),
	meant('energyConsumed', { operator: 'GteLte', from: 1, to: ' 2 ' }, 'EnergyConsumed GteLte 1,2'),
	meant('id', { operator: 'In', values: '1, 2' }, 'Id In 1,2'),
	other('Driver|text', { textOperator: 'Contains', value: ' a"b\\,ü–{{ 1 }}' }, 'Driver Contains  a"b\\,ü–{{ 1 }}'),
	other(' Driver | text ', { textOperator: 'In', value: ['x', 'y z'] }, 'Driver In x,y z'),
	other('EndedAtUtc|date', { dateOperator: 'Gte', date: '2026-11-15' }, 'EndedAtUtc Gte 2026-11-14T23:00:00'),
	other('Paid|boolean', { booleanOperator: 'Eq', value: true }, 'Paid Eq true'),
	other('Price|number', { numberOperator: 'Gte', textOperator: 'Eq', value: '5' }, 'Price Gte 5'),
	other('Odd|name', { anyOperator: 'Neq', value: '5' }, 'Odd|name Neq 5'),
	other('EndedAtUtc', { anyOperator: 'Gt', value: '2026-10-25T00:30' }, 'EndedAtUtc Gt 2026-10-24T22:30:00'),
	other('EndedAtUtc', { anyOperator: 'Gt', value: '2026-10-24' }, 'EndedAtUtc Gte 2026-10-24T22:00:00'),
	// A known field, spelled otherwise and without its type.
	other('energyconsumed', { anyOperator: 'Eq', value: '5.0' }, 'EnergyConsumed Eq 5'),
	other('StartedAtUtc', { anyOperator: 'Gte', value: '2026-11-15' }, 'StartedAtUtc Gte 2026-11-14T23:00:00'),
	meant('json', { json: '{"FIELD":"id","OPERATOR":"GT","VALUE":"5"}' }, 'Id Gt 5'),
	meant('json', { json: { Logic: 'or', filters: [{ field: 'X', operator: 'eq', value: 0 }] } }, '(X Eq 0)'),
];

it.each(CONDITIONS)('$kind $entry asks for $asked', ({ kind, entry, asked }) => {
	const unused = { value: 'old', values: [], from: 'x', to: null, period: 'never', days: -1 };
	// A group alone is the whole filter.
	expect(line(readForm({ [kind]: [{ ...unused, ...entry }] }))).toBe(asked.replace(/^\((.*)\)$/, '$1'));
});

interface MeantGroup {
	logic: FilterGroup['logic'];
	conditions: Meant[];
}
interface Form extends MeantGroup {
	groups: MeantGroup[];
}

const logic = fc.constantFrom('And' as const, 'Or' as const);
const several = (maxLength: number) => fc.array(fc.constantFrom(...CONDITIONS), { minLength: 1, maxLength });
const form: fc.Arbitrary<Form> = fc.record({
	logic,
	conditions: several(4),
	groups: fc.array(fc.record({ logic, conditions: several(3) }), { maxLength: 2 }),
});

const ofKind = (some: readonly Meant[], kind: Kind) => some.filter((condition) => condition.kind === kind);
const kinds = Object.keys(KINDS) as Kind[];
const inOrder = (some: readonly Meant[]) => kinds.flatMap((kind) => ofKind(some, kind));

/** The form as n8n stores it. */
function stored({ conditions, groups }: Form) {
	const filtersOf = (some: readonly Meant[]): Record<string, unknown> =>
		Object.fromEntries(kinds.map((kind) => [kind, ofKind(some, kind).map(({ entry }) => entry)]));
	return {
		...filtersOf(conditions),
		groups: groups.map((group) => ({ logic: group.logic, filters: filtersOf(group.conditions) })),
	};
}

it('asks for what any form means, and reads what it asks for as JSON in the same way', () => {
	const askedBy = (group: MeantGroup) => inOrder(group.conditions).map(({ asked }) => asked);
	fc.assert(
		fc.property(form, (one) => {
			const filter = readForm(stored(one), one.logic);
			const groups = one.groups.map((group) => `(${askedBy(group).join(` ${group.logic} `)})`);
			const whole = [...askedBy(one), ...groups].join(` ${one.logic} `).replace(/^\(([^()]*)\)$/, '$1');
			expect(line(filter)).toBe(whole);
			expect(line(readJson(writeQuery({ filter, sorts: [] })))).toBe(whole);
		}),
		RUNS,
	);
});

it('refuses a form in which any one value came out empty, and names the place', () => {
	const empty = fc.constantFrom(undefined, null, '', '  ', Number.NaN, [], '\u200b', '\u00a0');
	fc.assert(
		fc.property(form, fc.nat(), fc.nat(), empty, (one, pickGroup, pickValue, nothing) => {
			const group = pickGroup % (one.groups.length + 1);
			const drawn = group === 0 ? one.conditions : (one.groups[group - 1]?.conditions ?? []);
			// Each its own: the same one may be drawn twice.
			const chosen = drawn.map((condition) => structuredClone(condition));
			const [{ kind, entry }] = chosen as [Meant];
			const values = Object.keys(entry).filter((name) => !/operator|field/i.test(name));
			entry[values[pickValue % values.length] ?? ''] = nothing;
			const groups = one.groups.map((each, index) => (index + 1 === group ? { ...each, conditions: chosen } : each));
			const spoilt = group === 0 ? { ...one, conditions: chosen } : { ...one, groups };
			const places = faultsOf(() => readForm(stored(spoilt), one.logic)).map(({ place }) => place);
			const inGroup = group === 0 ? '' : ` > Group ${group}`;
			expect(places).toEqual([expect.stringMatching(`^Filters${inGroup} > ${KINDS[kind]} 1( > |$)`)]);
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
const among = (...names: unknown[]) => fc.oneof(fc.constantFrom<unknown>(...names), junk);
const operatorName = among(...OPERATORS, 'InPeriod', 'LocalDay', 'OlderThan', 'NotIn', 'equals', '', null, 3);
const someOf = (entries: Record<string, fc.Arbitrary<unknown>>) => fc.record(entries, { requiredKeys: [] });
const everyOf = (names: string, value: fc.Arbitrary<unknown>) =>
	Object.fromEntries(names.split(' ').map((name) => [name, value]));
const junkEntry = someOf({
	...everyOf(
		'operator numberOperator codeOperator dateOperator booleanOperator textOperator anyOperator',
		operatorName,
	),
	...everyOf('value values from to date fromDate toDate days hours amount json', junk),
	field: among('Status', 'energyconsumed|number', 'X|date', 'Y|text', 'B|boolean', 'Z|any', 'W|code', '|', ''),
	period: among('today', 'lastDays', 'lastHours', 'lastQuarter'),
	unit: among('hours', 'months'),
});
const junkConditions = everyOf(kinds.join(' '), fc.array(junkEntry, { maxLength: 2 }));
const junkGroup = fc.record({ logic: among('And', 'or'), filters: someOf(junkConditions) });
const junkForm = someOf({ ...junkConditions, groups: fc.array(junkGroup, { maxLength: 2 }) });

const junkJson: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
	node: fc.oneof(
		{ maxDepth: 4 },
		someOf({ Field: among('Status', 'StartedAtUtc', 'Id', 'Driver', ''), OPERATOR: operatorName, value: junk }),
		someOf({ logic: among('And', 'oR', 1), Filters: fc.oneof(fc.array(tie('node'), { maxLength: 3 }), junk) }),
		junk,
	),
})).node;

/** What must hold for any input: a filter in which nothing is empty, or faults that name a place. */
function expectSense(read: () => FilterNode | undefined): void {
	const issues = faultsOf(() => {
		const filter = read();
		const query = { filter: filter && { logic: 'And' as const, filters: [filter] }, sorts: [] };
		expect(writeQuery(query)).not.toMatch(/"Filters":\[\]|"(Field|Value)":"\s*"/);
	});
	for (const { place, message } of issues) {
		expect(place).not.toBe('');
		expect(message).toMatch(/[.?]$/);
		expect(message).not.toMatch(/\b(error|problem|failure|mistake)/i);
	}
}

it('writes any form, or refuses it and names the place', () => {
	fc.assert(
		fc.property(junkForm, among('And', 'Or'), (filters, logic) => expectSense(() => readForm(filters, logic))),
		RUNS,
	);
});

it('writes any JSON filter, or refuses it and names the place', () => {
	fc.assert(
		fc.property(junkJson, fc.boolean(), (json, isWhole) =>
			expectSense(() => readJson(isWhole ? { filter: json } : json, 'JSON')),
		),
		RUNS,
	);
});
