/** No text from a user or the platform takes more than linear time: the worst of each kind, by every way in. */
import { countedStatus, statusName } from '../../../../nodes/shared/dsquery/catalogue';
import { condition } from '../../../../nodes/shared/dsquery/compose';
import { Faults, QueryError } from '../../../../nodes/shared/dsquery/faults';
import { FIELD_TYPES } from '../../../../nodes/shared/dsquery/operators';
import { readFilterInto, readSortsInto } from '../../../../nodes/shared/dsquery/read/form';
import { coveredDays, periodOf } from '../../../../nodes/shared/dsquery/values/coveredDays';
import { entriesOf } from '../../../../nodes/shared/dsquery/values/list';
import { isNoTime, readTime } from '../../../../nodes/shared/dsquery/values/readTime';
import { chargePointIds, chargePointsOf, valueText, withDetail } from '../../../../nodes/shared/list/chargePoints';
import { seenFields } from '../../../../nodes/shared/list/dropdowns/seenFields';
import { pathFault } from '../../../../nodes/shared/list/networkList';
import { nothingMatches } from '../../../../nodes/shared/list/noRows';
import { field, fields } from '../../../../nodes/shared/parameters/chosen';
import { identifier } from '../../../../nodes/shared/parameters/identifier';
import type { Source } from '../../../../nodes/shared/parameters/parameter';
import { decimal, flag, oneOf, someOf, whole } from '../../../../nodes/shared/parameters/simple';
import { SESSIONS } from '../../../../nodes/shared/resources';
import { slowCalls, type Call } from '../../../support/worstInput.ts';
import { CONTEXT } from './read.ts';

/** Text of a given length, of each kind that a pattern may be slow to match. */
const WORST: Array<[string, (length: number) => string]> = [
	['blanks before a letter', (n) => `${' '.repeat(n)}x`],
	['blanks between digits', (n) => `1${' '.repeat(n)}x`],
	['invisible characters', (n) => `${'\u200b'.repeat(n)}x`],
	['digits', (n) => '1'.repeat(n)],
	['digits and commas', (n) => '1,'.repeat(n / 2)],
	['dates and commas', (n) => '2026-01-31,'.repeat(n / 11)],
	['a date with an endless fraction', (n) => `2026-01-31T10:00:00.${'1'.repeat(n)}`],
	['signs of a date', (n) => `2026-01-31T${':'.repeat(n)}`],
	['quotes', (n) => '"'.repeat(n)],
	['backslashes', (n) => `"${'\\'.repeat(n)}`],
	['brackets', (n) => '['.repeat(n)],
	['broken objects', (n) => '[object '.repeat(n / 8)],
	['bars', (n) => '|'.repeat(n)],
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
	['JSON with a long text', (n) => JSON.stringify({ Field: 'x'.repeat(n / 2), Operator: '\\"'.repeat(n / 8) })],
];

const CHOICES = [{ name: 'A', value: 'a' }] as const;
const LABEL = { label: 'Label' };
const dropdown = { method: 'getNames', load: async () => await Promise.resolve([]) };
const PARAMETERS = [
	...[flag({ ...LABEL, default: false }), whole({ ...LABEL, default: 1 }), identifier(LABEL)],
	...[decimal({ ...LABEL, default: 1, max: 9, unit: 'hours' }), field({ ...LABEL, dropdown })],
	...[oneOf({ ...LABEL, choices: CHOICES, default: 'a' }), someOf({ ...LABEL, choices: CHOICES, default: [] })],
	fields({ ...LABEL, dropdown }),
];

const filter = (text: string) => ({
	logic: 'And' as const,
	filters: [condition('StartedAtUtc', 'GteLt', text), condition(text, 'In', text)],
});

/** Reads a form in which everything is this text. */
function readAll(text: string, faults: Faults): void {
	const values = { value: text, values: text, from: text, to: text, date: text, fromDate: text, toDate: text };
	const parts = { ...values, period: text, days: text, amount: text, unit: text };
	const ofType = (type: string) =>
		['Eq', 'In', 'GteLt', 'IsYear', 'InPeriod', 'LocalDay', 'OlderThan'].map((operator) => ({
			...{ field: `X|${type}`, [`${type}Operator`]: operator, ...parts },
		}));
	const filters = {
		status: [{ operator: 'In', ...parts }],
		startedAtUtc: [{ operator: 'LocalDay', ...parts }],
		other: [...FIELD_TYPES.flatMap(ofType), { field: text, anyOperator: text }],
		json: [
			{ json: text },
			{ json: { Field: text, Operator: text, Value: text, [text]: text } },
			{ json: { Field: 'x', Operator: 'GteLt', Value: text } },
		],
	};
	readFilterInto(filters, text, CONTEXT, faults);
	readSortsInto({ by: [{ field: text, direction: text }] }, SESSIONS, faults);
}

const CALLS: Record<string, Call> = {
	form(text) {
		try {
			readAll(text, new Faults());
		} catch (thrown) {
			if (!(thrown instanceof QueryError)) throw thrown;
		}
	},
	parameters(text) {
		const source = { value: () => text, refuse: () => undefined } as unknown as Source;
		for (const parameter of PARAMETERS) parameter.read('name', source);
	},
	'lists of Ids': (text) => [entriesOf(text, 'spaces'), entriesOf(`"${text}`)],
	times: (text) => [readTime(text), isNoTime(text)],
	statuses: (text) => [statusName([], text), countedStatus([{ code: 4, label: 'x' }], { Id: text, [text]: text })],
	periods: (text) => [coveredDays(filter(text), 'Europe/Berlin', 'StartedAtUtc'), periodOf(filter(text), 'Id')],
	'charge points': (text) => [
		chargePointsOf({ EVSEs: [text, { [text]: text }] }),
		chargePointIds([{ Id: text }, { Id: `${text}.` }]),
		valueText({ Status: { Id: text, Name: text } }, 'status'),
		withDetail({ Id: 7, Name: text }, { Id: 7, Name: `${text}.` }),
	],
	'the note that nothing matches': (text) => nothingMatches('charging sessions', filter(text)),
	'paths of lists': (text) => [pathFault(text), pathFault(`/api/${text}/v1`)],
	'fields of live rows': (text) =>
		seenFields(SESSIONS, [{ [text]: text, Status: text, Inner: { [text]: text } }], true),
};

test.each(WORST)('stays fast on %s', async (_, make) => expect(await slowCalls(CALLS, make)).toEqual([]));

test('messages stay short, whatever they quote', () => {
	for (const [, make] of WORST) {
		const faults = new Faults();
		const thrown = jest.fn(() => {
			readAll(make(20_000), faults);
			faults.check();
		});
		expect(thrown).toThrow(QueryError);
		const { value } = thrown.mock.results[0] as { value: QueryError };
		expect(value.message.length).toBeLessThan(10_000);
	}
});
