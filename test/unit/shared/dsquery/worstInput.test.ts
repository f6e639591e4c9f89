/** No text from a user or the platform takes more than linear time: tries the worst of each kind in every function. */
import { resolve } from 'node:path';

import fastGlob from 'fast-glob';
import type { IExecuteFunctions, ILoadOptionsFunctions } from 'n8n-workflow';

import {
	codeLabel,
	derivedName,
	knownField,
	spellField,
	codeOf,
	countedStatus,
	plainStatus,
	statusName,
} from '../../../../nodes/shared/dsquery/catalogue';
import { and, combine, condition, or, stableSort, conditionsIn } from '../../../../nodes/shared/dsquery/compose';
import { andMore, firstNames, isBlank, isRecord, kindOf, quote } from '../../../../nodes/shared/text';
import { Faults } from '../../../../nodes/shared/dsquery/faults';
import { chosenField, fieldValue, isNote, parseFieldValue } from '../../../../nodes/shared/dsquery/fieldValue';
import {
	endsOf,
	isRange,
	isUnit,
	operatorFits,
	OPERATOR_ENUM,
	readEnum,
} from '../../../../nodes/shared/dsquery/operators';
import { readFilterInto, readSortsInto } from '../../../../nodes/shared/dsquery/read/form';
import { readJsonInto } from '../../../../nodes/shared/dsquery/read/json';
import { readAgeInto, readPeriodInto } from '../../../../nodes/shared/dsquery/read/period';
import { readSortInto } from '../../../../nodes/shared/dsquery/read/sort';
import { suggest } from '../../../../nodes/shared/dsquery/suggest';
import { FIELD_TYPES, QueryError } from '../../../../nodes/shared/dsquery/types';
import { coveredDays, periodOf } from '../../../../nodes/shared/dsquery/values/coveredDays';
import { isNoTime, readTime } from '../../../../nodes/shared/dsquery/values/readTime';
import { beforeFirst, comesBefore, PageOrder } from '../../../../nodes/shared/dsquery/order';
import { entriesOf } from '../../../../nodes/shared/dsquery/values/list';
import * as values from '../../../../nodes/shared/dsquery/values/values';
import {
	brokenPart,
	comparableValue,
	comparedIn,
	emptyPart,
	oppositeOf,
	valueIn,
	verdictOf,
} from '../../../../nodes/shared/dsquery/verdict';
import {
	describe as describeField,
	loadOptionsMethods,
	savedValues,
	withSaved,
} from '../../../../nodes/shared/list/dropdowns/fieldOptions';
import { allFields, looksLikeEnd, seenFields } from '../../../../nodes/shared/list/dropdowns/seenFields';
import { chargePointIds, chargePointsOf, valueText, withDetail } from '../../../../nodes/shared/list/chargePoints';
import { aboutTexts, nothingMatches } from '../../../../nodes/shared/list/noRows';
import { networkList, pathFault } from '../../../../nodes/shared/list/networkList';
import { RowShaper } from '../../../../nodes/shared/list/output';
import { field, fields } from '../../../../nodes/shared/parameters/chosen';
import { chosenList } from '../../../../nodes/shared/list/chosenList';
import { identifier } from '../../../../nodes/shared/parameters/identifier';
import { readItem } from '../../../../nodes/shared/parameters/reading';
import { decimal, flag, oneOf, someOf, whole } from '../../../../nodes/shared/parameters/simple';
import { fieldNameIn, valueNamed } from '../../../../nodes/shared/dsquery/fieldName';
import { SESSIONS } from '../../../../nodes/shared/resources';
import { slowCalls, type Call } from '../../../support/worstInput.ts';

const TYPES = FIELD_TYPES;
const CONTEXT = { catalogue: SESSIONS, zone: 'Europe/Berlin', now: new Date('2026-11-18T12:00:00Z') };
const STATUS = SESSIONS.fields[0];

/** Text of a given length, of each kind that a pattern may be slow to match. */
const WORST: Array<[string, (length: number) => string]> = [
	['blanks', (n) => ' '.repeat(n)],
	['blanks before a letter', (n) => `${' '.repeat(n)}x`],
	['blanks between digits', (n) => `1${' '.repeat(n)}x`],
	['invisible characters', (n) => `${'\u200b'.repeat(n)}x`],
	['dots', (n) => '.'.repeat(n)],
	['digits', (n) => '1'.repeat(n)],
	['zeros before a digit', (n) => `0.${'0'.repeat(n)}1x`],
	['digits and commas', (n) => '1,'.repeat(n / 2)],
	['dates and commas', (n) => '2026-01-31,'.repeat(n / 11)],
	['a date with an endless fraction', (n) => `2026-01-31T10:00:00.${'1'.repeat(n)}`],
	['signs of a date', (n) => `2026-01-31T${':'.repeat(n)}`],
	['quotes', (n) => '"'.repeat(n)],
	['quotes around', (n) => `"${"'".repeat(n)}`],
	['backslashes', (n) => `"${'\\'.repeat(n)}`],
	['brackets', (n) => '['.repeat(n)],
	['closing brackets', (n) => `[${']'.repeat(n)}x`],
	['broken objects', (n) => '[object '.repeat(n / 8)],
	['bars', (n) => '|'.repeat(n)],
	['line ends', (n) => '\n'.repeat(n)],
	['letters', (n) => 'a'.repeat(n)],
	['capitals that grow', (n) => 'İ'.repeat(n)],
	['half characters', (n) => '\ud800'.repeat(n)],
	['words', (n) => 'Status '.repeat(n / 7)],
	['deep JSON', (n) => '{"Filters":['.repeat(n / 14) + ']}'.repeat(n / 14)],
	['JSON that opens only', (n) => '{"a":'.repeat(n / 5)],
	[
		'JSON with faults',
		(n) =>
			`{"Logic":"And","Filters":[${Array(Math.floor(n / 12))
				.fill('{"Fiel":""}')
				.join()}]}`,
	],
	['JSON with many names', (n) => `{${Array.from({ length: n / 10 }, (_, i) => `"n${i}":0`).join()}}`],
	['JSON with a long text', (n) => JSON.stringify({ Field: 'x'.repeat(n / 2), Operator: '\\"'.repeat(n / 8) })],
];

const CHOICES = [{ name: 'A', value: 'a' }] as const;
const LABEL = { label: 'Label' };
const dropdown = { method: 'getNames', load: async () => await Promise.resolve([]) };
const PARAMETERS = {
	flag: flag({ ...LABEL, default: false }),
	whole: whole({ ...LABEL, default: 1 }),
	decimal: decimal({ ...LABEL, default: 1, max: 9, unit: 'hours' }),
	oneOf: oneOf({ ...LABEL, choices: CHOICES, default: 'a' }),
	someOf: someOf({ ...LABEL, choices: CHOICES, default: [] }),
	field: field({ ...LABEL, dropdown }),
	fields: fields({ ...LABEL, dropdown }),
	identifier: identifier(LABEL),
	list: chosenList,
};

/** Reads a parameter of each kind. */
const readAll = (text: string) =>
	readItem({ getNodeParameter: () => text, getTimezone: () => 'UTC' } as unknown as IExecuteFunctions, 0, PARAMETERS)
		.values;
const filterOf = (text: string) => and(condition('StartedAtUtc', 'GteLt', text), condition(text, 'In', text));
const rowsOf = (text: string) => [{ [text]: text, Status: text, StartedAtUtc: text }];
const orderOf = (rows: ReturnType<typeof rowsOf>, field: string) => {
	const order = new PageOrder([{ field, direction: 'Asc' }], SESSIONS);
	for (const row of rows) order.next(row);
	return order;
};
const form = (text: string, entry: object) => readFilterInto({ filters: entry, logic: text }, CONTEXT, new Faults());

/** What each exported function does with the text. */
const CALLS: Record<string, Call | Call[]> = {
	chargePointsOf: (text) => chargePointsOf({ EVSEs: [text, { [text]: text }] }),
	withDetail: (text) => withDetail({ Id: 7, Name: text }, { Id: 7, Name: `${text}.` }),
	valueText: (text) => valueText({ Status: { Id: text, Name: text } }, 'status'),
	chargePointIds: (text) => chargePointIds([{ Id: text }, { Id: `${text}.` }]),
	entriesOf: [(text) => entriesOf(text), (text) => entriesOf(text, 'spaces'), (text) => entriesOf(`"${text}`)],
	aboutTexts: (text) => aboutTexts({ logic: 'And', filters: [condition(text, 'In', text)] }),
	nothingMatches: (text) =>
		nothingMatches('charging sessions', { logic: 'And', filters: [condition(text, 'In', text)] }),
	codeLabel: () => codeLabel([], 1),
	codeOf: (text) => codeOf(text),
	plainStatus: (text) => plainStatus({ Id: text, [text]: text }),
	statusName: (text) => statusName([], text),
	readTime,
	isNoTime,
	knownField: (text) => knownField(SESSIONS, text),
	derivedName: (text) => derivedName(SESSIONS, text),
	spellField: (text) => spellField(SESSIONS, text),
	and: (text) => and(condition(text, 'Eq', text)),
	combine: (text) => combine('And', [condition(text, 'Eq', text)]),
	or: (text) => or(condition(text, 'Eq', text)),
	condition: (text) => condition(text, 'Eq', text),
	stableSort: (text) => stableSort([{ field: text, direction: 'Asc' }]),
	Faults: (text) => new Faults().add(text, text),
	QueryError: (text) => new QueryError([{ place: text, message: text }]).message,
	isBlank,
	isRecord,
	kindOf,
	quote,
	fieldValue: (text) => fieldValue(text, 'any'),
	isNote,
	parseFieldValue,
	otherFieldParts: () => undefined,
	isGroup: () => undefined,
	isRange,
	isUnit,
	operatorFits: () => operatorFits('date', 'IsDate'),
	readEnum: (text) => readEnum(text, OPERATOR_ENUM, () => undefined),
	roleOf: () => undefined,
	readSortsInto: (text) => readSortsInto({ by: [{ field: text, direction: text }] }, {}, SESSIONS, new Faults()),
	readFilterInto: [
		(text) => form(text, { other: [{ field: text, anyOperator: text }] }),
		(text) => form(text, { [text]: [] }),
		(text) => form(text, { startedAtUtc: [{ operator: 'InPeriod', period: text }] }),
		(text) => form(text, { startedAtUtc: [{ operator: 'InPeriod', period: 'lastDays', days: text }], id: text }),
		(text) => form(text, { startedAtUtc: [{ operator: 'OlderThan', amount: text, unit: text }] }),
		(text) => form(text, { energyConsumed: [{ operator: 'GteLt', from: text, to: '1' }] }),
		(text) => form('And', { json: [{ json: text }] }),
	],
	readJsonInto: [
		(text) => readJsonInto(text, SESSIONS, '', new Faults()),
		(text) => readJsonInto({ Field: text, Operator: 'Eq', Value: 'x' }, SESSIONS, '', new Faults()),
		(text) => readJsonInto({ Field: 'x', Operator: text, Value: 'x' }, SESSIONS, '', new Faults()),
		(text) => readJsonInto({ Field: 'x', Operator: 'Eq', Value: text }, SESSIONS, '', new Faults()),
		(text) => readJsonInto({ [text]: text }, SESSIONS, '', new Faults()),
	],
	verdictOf: (text) => verdictOf(condition('StartedAtUtc', 'GteLt', text), rowsOf(text)[0] ?? {}, SESSIONS),
	emptyPart: (text) => emptyPart(condition('Id', 'In', text), rowsOf(text)[0] ?? {}),
	brokenPart: (text) => brokenPart(condition('Id', 'In', text), rowsOf(text)[0] ?? {}, SESSIONS),
	PageOrder: (text) => orderOf([...rowsOf(text), ...rowsOf(text)], 'StartedAtUtc'),
	oppositeOf: (text) => oppositeOf(condition('Id', 'In', text)),
	comparableValue: (text) => comparableValue(text, 'StartedAtUtc'),
	beforeFirst: (text) => beforeFirst({ [text]: text }, { field: text, direction: 'Asc' }, SESSIONS),
	comesBefore: (text) =>
		comesBefore({ [text]: text }, { [text]: `${text}.` }, { field: text, direction: 'Asc' }, SESSIONS),
	comparedIn: (text) => comparedIn({ EnergyConsumed: text }, 'EnergyConsumed', SESSIONS),
	countedStatus: (text) => countedStatus(knownField(SESSIONS, 'Status')?.codes, text),
	valueIn: (text) => valueIn({ [text]: text }, text.toLowerCase()),
	readPeriodInto: (text) => readPeriodInto({ period: text }, text, new Faults()),
	readAgeInto: (text) => readAgeInto({ amount: text, unit: text }, text, new Faults()),
	readSortInto: (text) => readSortInto({ by: [{ field: text, direction: text }] }, SESSIONS, new Faults()),
	suggest: (text) => suggest(text, ['Operator'], { is: 'Operator' }),
	endsOf: (text) => endsOf({ field: text, operator: 'GtLt', value: text }),
	tooLong: values.tooLong,
	coveredDays: (text) => coveredDays(filterOf(text), 'Europe/Berlin', 'StartedAtUtc'),
	periodOf: (text) => periodOf(filterOf(text), 'StartedAtUtc'),
	ValueWriter: TYPES.map((type) => (text: string) => {
		const writer = new values.ValueWriter({ name: 'Id', type }, 'UTC', () => undefined);
		const refuse = () => undefined;
		writer.single(text, 'IsYear');
		writer.list(text);
		writer.range(text, text, 'GteLte', { from: refuse, to: refuse });
		writer.wire(text, 'GteLt');
		writer.localDay(text);
	}),
	RowShaper: (text) => {
		const chosen = { output: 'selected' as const, outputFields: [text], zone: 'UTC' };
		const output = { ...chosen, addStatusNames: true, addLocalTimes: true };
		const shaper = new RowShaper(output, SESSIONS);
		shaper.shape(rowsOf(text));
		return shaper.notes('sessions');
	},
	conditionsIn: (text) => conditionsIn(filterOf(text)),
	firstNames: (text) => firstNames(Array.from({ length: 9 }, () => text)),
	andMore: (text) => andMore([text, text], 9, text),
	fieldNameIn: (text) => fieldNameIn({ [text]: 1 }, text.toLowerCase()),
	valueNamed: (text) => valueNamed({ [text]: 1 }, text.toLowerCase()),
	looksLikeEnd,
	allFields: (text) => allFields(SESSIONS, rowsOf(text)),
	seenFields: (text) => seenFields(SESSIONS, rowsOf(text)),
	describe: (text) => seenFields(SESSIONS, rowsOf(text)).map(describeField),
	savedValues: (text) => savedValues({ [text]: [text] }, [text]),
	loadOptionsMethods: ['getFields', 'getSortFields', 'getOutputFields', 'getStatusCodes'].map(
		(name) => async (text: string) => {
			const parameters = { filters: { other: [{ field: text }], status: [{ value: text }] }, outputFields: [text] };
			const context = { getCurrentNodeParameters: () => parameters } as unknown as ILoadOptionsFunctions;
			await loadOptionsMethods(SESSIONS, async () => await Promise.resolve(rowsOf(text)))[name]?.call(context);
		},
	),
	pathFault,
	networkList,
	readItem: readAll,
	chosenIn: (text) => {
		const context = { getCurrentNodeParameter: () => text } as unknown as ILoadOptionsFunctions;
		expect(() => chosenList.chosenIn(context)).toThrow('List: ');
	},
	withSaved: (text) => withSaved([{ name: text, value: text }], [text], () => 'x'),
	chosenField,
};

/** Functions that take no text from a user or the platform: they build the form, or send what was read. */
const WITHOUT_TEXT = new Set([
	// By readFilterInto.
	'ConditionReader',
	'optionsFrom',
	'readSample',
	'ago',
	'checkZone',
	'instantOfLocal',
	'localDaySpan',
	'periodSpan',
	'writeQuery',
	'codesMethod',
	'pathOf',
	'lastMonthsSpan',
	'inWords',
	'operationSubtitle',
	'toNodeError',
	'otherFieldLabel',
	'filterProperties',
	'sortProperty',
	'operationProperties',
	'actionNode',
	'runOperations',
	'getManyOperation',
	'countOperation',
	'readRows',
	'chargePointFields',
	'chargePointValues',
	'builderHint',
	'codesHint',
	'fieldsHint',
	'example',
	'changedMeanwhile',
	'listDropdown',
	'formDropdowns',
	'methodsOf',
	'searchStations',
	'codesFor',
	'codesOf',
	'counted',
	'isUnsorted',
	'lengthInWords',
	'notesOn',
	'savedIn',
]);

test('every exported function is tried', () => {
	const files = fastGlob.sync('nodes/shared/{dsquery,node}/**/*.ts');
	const exported = files.flatMap((file) =>
		Object.entries(jest.requireActual<Record<string, unknown>>(resolve(file)))
			.filter(([, value]) => typeof value === 'function')
			.map(([name]) => name),
	);
	expect(exported.filter((name) => !(name in CALLS) && !WITHOUT_TEXT.has(name))).toEqual([]);
});

test.each(WORST)('stays fast on %s', async (_, make) => expect(await slowCalls(CALLS, make)).toEqual([]));

test('messages stay short, whatever they quote', () => {
	for (const [, make] of WORST) {
		const faults = new Faults();
		const refuse = (message: string) => faults.add('', message);
		readJsonInto(
			{ Field: make(90_000), Operator: make(90_000), Value: make(90_000), [make(90_000)]: 1 },
			SESSIONS,
			'',
			faults,
		);
		readFilterInto({ filters: { other: [{ field: make(90_000) }], [make(90_000)]: 1 } }, CONTEXT, faults);
		for (const type of TYPES) {
			new values.ValueWriter({ name: 'Id', type }, 'UTC', refuse).list(make(90_000));
		}
		if (STATUS) new values.ValueWriter(STATUS, 'UTC', refuse).scalar(make(90_000), 'exact');
		expect(() => faults.check()).toThrow(QueryError);
		try {
			faults.check();
		} catch (error) {
			expect((error as QueryError).message.length).toBeLessThan(10_000);
		}
	}
});
