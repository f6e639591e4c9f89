import {
	DEFAULT_OPERATORS,
	FORM_OPERATORS,
	OPERATOR_ENUM,
	operatorFits,
	readEnum,
} from '../../../../nodes/shared/dsquery/operators';
import type { FieldType } from '../../../../nodes/shared/dsquery/types';
import { FIELD_TYPES, OPERATORS } from '../../../../nodes/shared/dsquery/types';

const TYPES = FIELD_TYPES;

it('offers every operator of the specification, and all of them for a field of unknown type', () => {
	const offered = new Set(TYPES.flatMap((type) => FORM_OPERATORS[type].map(({ value }) => value)));
	expect([...OPERATORS].filter((operator) => !offered.has(operator))).toEqual([]);
	expect(FORM_OPERATORS.any.map(({ value }) => value).sort()).toEqual([...OPERATORS].sort());
});

it('marks the operators that compare in UTC and lists them last', () => {
	const units = FORM_OPERATORS.date.filter(({ value }) => value.startsWith('Is'));
	expect(units).toHaveLength(6);
	expect(FORM_OPERATORS.date.slice(-6)).toEqual(units);
	for (const { name, description } of units) expect(`${name} ${description ?? ''}`).toMatch(/\(UTC\).*UTC/);
});

it('offers each operator once, only those that fit, and a default among them', () => {
	for (const type of TYPES) {
		const values = FORM_OPERATORS[type].map(({ value }) => value);
		expect(new Set(values).size).toBe(values.length);
		expect(values).toContain(DEFAULT_OPERATORS[type]);
		for (const value of values) {
			const name = OPERATORS.find((operator) => operator === value);
			if (name) expect(operatorFits(type, name)).toBe(true);
		}
	}
});

it('keeps text matching to text and UTC units to timestamps', () => {
	const fitting = (type: FieldType) => OPERATORS.filter((operator) => operatorFits(type, operator));
	expect(fitting('any')).toEqual([...OPERATORS]);
	expect(fitting('date')).toEqual(OPERATORS.filter((operator) => !/Contains|With/.test(operator)));
	expect(fitting('text')).toEqual(OPERATORS.filter((operator) => !operator.startsWith('Is')));
	expect(fitting('number')).toEqual(fitting('code'));
	expect(fitting('number')).toEqual(OPERATORS.filter((operator) => !/^Is|Contains|With/.test(operator)));
});

describe('reading an operator', () => {
	const read = (value: unknown) => {
		const refusals: string[] = [];
		const member = readEnum(value, OPERATOR_ENUM, (refusal) => void refusals.push(refusal));
		return member ?? refusals.join();
	};

	it('takes a name in any case, or a number', () => {
		for (const operator of OPERATORS) {
			expect(read(operator.toUpperCase())).toBe(operator);
			expect(read(` ${operator.toLowerCase()} `)).toBe(operator);
		}
		expect(read(0)).toBe(0);
		expect(read('17')).toBe(17);
	});

	it.each([
		['Equals', 'Eq'],
		['==', 'Eq'],
		['not equals', 'Neq'],
		['<>', 'Neq'],
		['>=', 'Gte'],
		['greater_than', 'Gt'],
		['like', 'Contains'],
		['between', 'GteLte'],
		['one of', 'In'],
		['Contians', 'Contains'],
		['StartWith', 'StartsWith'],
		['ismonht', 'IsMonth'],
		['EQ2', 'Eq'],
	])('suggests an operator for %s', (typed, meant) => {
		expect(read(typed)).toBe(`"${typed}" is not an operator, did you mean "${meant}"?`);
	});

	it('lists the operators when it has no suggestion', () => {
		expect(read('frobnicate')).toBe(
			`"frobnicate" is not an operator, use ${OPERATORS.slice(0, -1).join(', ')} or IsSecond.`,
		);
		expect(read('')).toMatch(/^nothing is filled in; use Eq, /);
		expect(read(undefined)).toMatch(/^nothing is filled in/);
		expect(read(1.5)).toMatch(/^this must be an operator, written as text/);
		expect(read(-1)).toMatch(/^this must be an operator, written as text/);
		expect(read(true)).toMatch(/^this must be an operator, written as text/);
		expect(read('x'.repeat(100_000)).toString().length).toBeLessThan(400);
	});
});
