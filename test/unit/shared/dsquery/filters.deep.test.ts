import fc from 'fast-check';

import type { FilterNode, Group } from '../../../../nodes/shared/dsquery/types';
import { QueryError } from '../../../../nodes/shared/dsquery/faults';
import { OPERATORS } from '../../../../nodes/shared/dsquery/operators';
import { writeQuery } from '../../../../nodes/shared/dsquery/write';
import { matches } from '../../../support/dsquery/evaluate.ts';
import { means, meantGroup, places, sessionRow, stored } from '../../../support/dsquery/forms.ts';
import { readForm, readJson, readWire } from './read.ts';
import { draws } from '../../../support/draws.ts';

const RUNS = draws(6_000);

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
	expect(readWire(writeQuery({ filter, sorts: [] }))).toEqual(filter);
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

it('writes a form so that it selects exactly the rows a person means', () => {
	fc.assert(
		fc.property(meantGroup(1), fc.array(sessionRow, { minLength: 10, maxLength: 20 }), (form, rows) => {
			const filter = readOrRefuse(() => readForm(stored(form), form.logic));
			if (!filter || filter instanceof QueryError) throw filter ?? new Error('no filter');
			for (const row of rows) expect([row, matches(filter, row)]).toEqual([row, means(form, row)]);
		}),
		{ numRuns: RUNS },
	);
});

const empty = fc.constantFrom(undefined, null, '', '  ', Number.NaN, [], '\u200b', '\u00a0');

it('refuses a form in which any one value came out empty, and names the place', () => {
	fc.assert(
		fc.property(meantGroup(1), fc.nat(), fc.nat(), empty, (form, pickCondition, pickValue, nothing) => {
			const all = places(form);
			const chosen = all[pickCondition % Math.max(1, all.length)];
			if (!chosen) return;
			const keys = Object.keys(chosen.condition.used);
			const key = keys[pickValue % keys.length] ?? '';
			chosen.condition.entry[key] = nothing;
			const label = chosen.condition.used[key] ?? '';
			const refused = readOrRefuse(() => readForm(stored(form), form.logic));
			expect(refused).toBeInstanceOf(QueryError);
			const found = refused instanceof QueryError ? refused.faults.map(({ place }) => place) : [];
			expect(found).toEqual([label === '' ? chosen.place : `${chosen.place} > ${label}`]);
		}),
		{ numRuns: RUNS },
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
const junkEntry = fc.record(
	{
		field: fc.oneof(
			fc.constantFrom('Status', 'energyconsumed|number', 'X|date', 'Y|text', 'B|boolean', 'Z|any', 'W|code', '|', ''),
			junk,
		),
		operator: operatorName,
		numberOperator: operatorName,
		codeOperator: operatorName,
		dateOperator: operatorName,
		booleanOperator: operatorName,
		textOperator: operatorName,
		anyOperator: operatorName,
		value: junk,
		values: junk,
		from: junk,
		to: junk,
		date: junk,
		fromDate: junk,
		toDate: junk,
		period: fc.oneof(fc.constantFrom('today', 'lastDays', 'lastHours', 'lastQuarter'), junk),
		days: junk,
		hours: junk,
		amount: junk,
		unit: fc.oneof(fc.constantFrom('hours', 'months'), junk),
		json: junk,
	},
	{ requiredKeys: [] },
);
const junkFilters: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
	filters: fc.oneof(
		{ maxDepth: 3 },
		fc.record(
			Object.fromEntries(
				['status', 'startedAtUtc', 'energyConsumed', 'id', 'other', 'json'].map((kind) => [
					kind,
					fc.array(junkEntry, { maxLength: 2 }),
				]),
			),
			{ requiredKeys: [] },
		),
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
		{ numRuns: RUNS },
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
		{ numRuns: RUNS },
	);
});

it('reads its own output as a JSON condition into the same tree', () => {
	// Fields and values of unknown fields pass unchanged, but for blanks around the values of a list written as text. Names
	// are trimmed, but no form here has one with spaces.
	fc.assert(
		fc.property(meantGroup(1), (form) => {
			const filter = readForm(stored(form), form.logic);
			if (!filter) throw new Error('no filter');
			const again = readJson(writeQuery({ filter, sorts: [] }));
			expect(withoutBlanks(again)).toEqual(withoutBlanks(filter));
		}),
		{ numRuns: RUNS },
	);
});

function withoutBlanks(node: FilterNode): FilterNode {
	if ('filters' in node) return { ...node, filters: node.filters.map(withoutBlanks) };
	return { ...node, value: node.operator === 'In' ? node.value.replaceAll(/ *, */g, ',').trim() : node.value };
}
