import {
	DEFAULT_OPERATORS,
	FIELD_TYPES,
	FORM_OPERATORS,
	operatorFits,
	OPERATORS,
	readName,
	type FieldType,
} from '../../../../nodes/shared/dsquery/operators';

it('offers every operator of the specification, and all of them for a field of unknown type', () => {
	const offered = new Set(FIELD_TYPES.flatMap((type) => FORM_OPERATORS[type].map(({ value }) => value)));
	expect([...OPERATORS].filter((operator) => !offered.has(operator))).toEqual([]);
	expect(FORM_OPERATORS.any.map(({ value }) => value).sort()).toEqual([...OPERATORS].sort());
});

it('marks the operators that compare in UTC and lists them last', () => {
	const units = FORM_OPERATORS.date.filter(({ value }) => value.startsWith('Is'));
	expect(FORM_OPERATORS.date.slice(-6)).toEqual(units);
	for (const { name } of units) expect(name).toContain('(UTC)');
});

it.each(FIELD_TYPES)('%s: offers each operator once, only those that fit, and a default among them', (type) => {
	const values = FORM_OPERATORS[type].map(({ value }) => value);
	expect(new Set(values).size).toBe(values.length);
	expect(values).toContain(DEFAULT_OPERATORS[type]);
	expect(values.filter((value) => !operatorFits(type, value))).toEqual([]);
});

it('keeps text matching to text and UTC units to timestamps', () => {
	const fitting = (type: FieldType) => OPERATORS.filter((operator) => operatorFits(type, operator));
	expect(fitting('any')).toEqual(OPERATORS);
	expect(fitting('date')).toEqual(OPERATORS.filter((operator) => !/Contains|With/.test(operator)));
	expect(fitting('text')).toEqual(OPERATORS.filter((operator) => !operator.startsWith('Is')));
	expect(fitting('code')).toEqual(OPERATORS.filter((operator) => !/^Is|Contains|With/.test(operator)));
});

it('reads a name in any case, or a number', () => {
	const read = (value: unknown) => readName(value, OPERATORS, 'an operator', () => undefined);
	for (const operator of OPERATORS) expect(read(` ${operator.toUpperCase()} `)).toBe(operator);
	expect([0, '17', 1.5, -1, true, '=='].map(read)).toEqual([0, 17, undefined, undefined, undefined, undefined]);
});
