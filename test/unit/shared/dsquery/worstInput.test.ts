/** No text from a user or the platform takes more than linear time: the worst of each kind, by every way in. */
import type { IExecuteFunctions, ILoadOptionsFunctions } from 'n8n-workflow';

import { countedStatus, statusName } from '../../../../nodes/shared/dsquery/catalogue';
import { condition } from '../../../../nodes/shared/dsquery/compose';
import { Faults, QueryError } from '../../../../nodes/shared/dsquery/faults';
import { FIELD_TYPES } from '../../../../nodes/shared/dsquery/operators';
import { readFilterInto, readSortsInto } from '../../../../nodes/shared/dsquery/read/form';
import { coveredDays, periodOf } from '../../../../nodes/shared/dsquery/values/coveredDays';
import { entriesOf } from '../../../../nodes/shared/dsquery/values/list';
import { isNoTime, readTime } from '../../../../nodes/shared/dsquery/values/readTime';
import { chargePointIds, chargePointsOf, valueText, withDetail } from '../../../../nodes/shared/list/chargePoints';
import { chosenList } from '../../../../nodes/shared/list/chosenList';
import { loadOptionsMethods } from '../../../../nodes/shared/list/dropdowns/fieldOptions';
import { nothingMatches } from '../../../../nodes/shared/list/noRows';
import { RowShaper } from '../../../../nodes/shared/list/output';
import { field, fields } from '../../../../nodes/shared/parameters/chosen';
import { identifier } from '../../../../nodes/shared/parameters/identifier';
import { readItem } from '../../../../nodes/shared/parameters/reading';
import { decimal, flag, oneOf, someOf, whole } from '../../../../nodes/shared/parameters/simple';
import { SESSIONS } from '../../../../nodes/shared/resources';
import { slowCalls, type Call } from '../../../support/worstInput.ts';
const CONTEXT = { catalogue: SESSIONS, zone: 'Europe/Berlin', now: new Date('2026-11-18T12:00:00Z') };

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

const filter = (text: string) => ({
	logic: 'And' as const,
	filters: [condition('StartedAtUtc', 'GteLt', text), condition(text, 'In', text)],
});
const row = (text: string) => ({ [text]: text, Status: text, StartedAtUtc: text });

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
	parameters: (text) =>
		readItem({ getNodeParameter: () => text, getTimezone: () => 'UTC' } as unknown as IExecuteFunctions, 0, PARAMETERS),
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
	output: (text) => {
		const chosen = { output: 'selected' as const, outputFields: [text], zone: 'UTC' };
		const shaper = new RowShaper({ ...chosen, addStatusNames: true, addLocalTimes: true }, SESSIONS);
		return [shaper.shape([row(text)]), shaper.notes('sessions')];
	},
	dropdowns: async (text) => {
		const parameters = { filters: { other: [{ field: text }], status: [{ value: text }] }, outputFields: [text] };
		const context = { getCurrentNodeParameters: () => parameters } as unknown as ILoadOptionsFunctions;
		const methods = loadOptionsMethods(SESSIONS, async () => await Promise.resolve([row(text)]));
		for (const load of Object.values(methods)) await load.call(context);
	},
};

test.each(WORST)('stays fast on %s', async (_, make) => expect(await slowCalls(CALLS, make)).toEqual([]));

test('messages stay short, whatever they quote', () => {
	for (const [, make] of WORST) {
		const faults = new Faults();
		const thrown = jest.fn(() => {
			readAll(make(90_000), faults);
			faults.check();
		});
		expect(thrown).toThrow(QueryError);
		const { value } = thrown.mock.results[0] as { value: QueryError };
		expect(value.message.length).toBeLessThan(10_000);
	}
});
