/** SECURITY.md: no text, however odd, takes more than linear time. Everything that reads text gets the worst of each kind. */
import { resolveStatusCode, statusName } from '../../nodes/shared/dsquery/listSchema';
import { and, condition } from '../../nodes/shared/dsquery/compose';
import { ValidationIssues, InvalidParametersError } from '../../nodes/shared/dsquery/validationIssues';
import { FIELD_TYPES } from '../../nodes/shared/dsquery/operators';
import { readFilterForm, readSortForm } from '../../nodes/shared/dsquery/read/formEntries';
import { coveredDays, splitPeriod } from '../../nodes/shared/dsquery/values/coveredDays';
import { parseList } from '../../nodes/shared/dsquery/values/list';
import { isPlaceholderTime, readTime } from '../../nodes/shared/dsquery/values/readTime';
import { explainEmptyExpression, explainUnusableText } from '../../nodes/shared/dsquery/values/unusableText';
import { identifyChargePoints, parseChargePoints, chargePointValueText } from '../../nodes/shared/list/chargePoints';
import { inferFields } from '../../nodes/shared/list/dropdowns/sampleFields';
import { explainInvalidPath } from '../../nodes/shared/list/networkList';
import { noRowsNote } from '../../nodes/shared/list/noRows';
import { fieldNameParameter, fieldNamesParameter } from '../../nodes/shared/parameters/dropdownParameters.ts';
import { locator } from '../../nodes/shared/parameters/locator';
import type { ParameterSource } from '../../nodes/shared/parameters/parameter';
import { decimal, flag, oneOf, integer } from '../../nodes/shared/parameters/simple';
import { authenticateKey } from '../../nodes/shared/platform/account/authenticate';
import { readBaseUrl } from '../../nodes/shared/platform/account/baseUrl';
import { readCredential } from '../../nodes/shared/platform/account/credential';
import { findToken } from '../../nodes/shared/platform/account/findToken';
import { parseJson } from '../../nodes/shared/platform/answers/json';
import { networkFailureError } from '../../nodes/shared/platform/answers/networkFailure';
import { refusalError } from '../../nodes/shared/platform/answers/refusals';
import { retryAfterMs } from '../../nodes/shared/platform/answers/retryAfter';
import { redactSecrets, sanitizeText, formatFieldNames } from '../../nodes/shared/platform/answers/safeText';
import { SESSIONS } from '../../nodes/shared/resources';
import { REFUSAL } from '../support/scriptedConnection.ts';
import { API_KEY } from '../support/scriptedServer.ts';
import { CONTEXT, faultsOf, formOf } from './shared/dsquery/read.ts';

/** What a pattern may be slow to match, again and again. */
const UNITS = [
	'{{',
	'}}',
	'{{1}}',
	'null',
	'null ',
	' ',
	'\n',
	'\u200b',
	'1',
	'1,',
	'1.',
	'2026-01-31,',
	':',
	'"',
	'\\',
	'\\"',
	'[',
	'[object ',
	'|',
	',',
	"'",
	'“',
	'İ',
	'\ud800',
	'Status ',
	'{"a":',
	'{"message":"x"},',
	'<',
	'<script',
	'<title>',
	'<h1 ',
	'&lt;',
	'@',
	'a@a',
	'A_',
	'a1-',
	'a:read',
	'aA1_',
	'eyJ',
	'eyJa.',
	'Bearer ',
	'api-key',
	'api_key="1',
	'_ROLE',
	'too ',
	'in 1.',
	'/',
	'.',
	'#',
	'127.',
	'/api/a/v1',
	'/token',
	'%41',
	'Mon ',
	"'Id",
	'Id ',
	API_KEY,
	API_KEY.slice(0, 12),
];
const repeated = (unit: string) => (length: number) => unit.repeat(length / unit.length);
const TEXTS: Array<[string, (length: number) => string]> = [
	...UNITS.map((unit): [string, (length: number) => string] => [`${JSON.stringify(unit)}…`, repeated(unit)]),
	['blanks before a letter', (n) => `${' '.repeat(n)}x`],
	['blanks between digits', (n) => `1${' '.repeat(n)}x`],
	['a date with an endless fraction', (n) => `2026-01-31T10:00:00.${'1'.repeat(n)}`],
	['an open text', (n) => `"${'\\'.repeat(n)}`],
	['deep JSON', (n) => '{"Filters":['.repeat(n / 14) + ']}'.repeat(n / 14)],
	[
		'JSON with faults',
		(n) =>
			`{"Logic":"And","Filters":[${Array(Math.floor(n / 12))
				.fill('{"Fiel":""}')
				.join()}]}`,
	],
];

const LABEL = { label: 'Label' };
const search = { method: 'searchNames', search: async () => await Promise.resolve({ results: [] }) };
const LOCATOR = { search, select: 'Select...', typed: { label: 'By ID', name: 'id', placeholder: 'e.g. 7' } };
const dropdown = { method: 'getNames', load: async () => await Promise.resolve([]) };
const PARAMETERS = [
	flag({ ...LABEL, default: false }),
	integer({ ...LABEL, default: 1 }),
	locator({ ...LABEL, ...LOCATOR }),
	decimal({ ...LABEL, default: 1, max: 9, unit: 'hours' }),
	fieldNameParameter({ ...LABEL, dropdown }),
	oneOf({ ...LABEL, choices: [{ name: 'A', value: 'a' }], default: 'a' }),
	fieldNamesParameter({ ...LABEL, dropdown }),
];

/** Reads a form in which everything is this text. */
function readAll(text: string, issues: ValidationIssues): void {
	const values = { value: text, values: text, from: text, to: text, date: text, fromDate: text, toDate: text };
	const parts = { ...values, period: text, days: text, amount: text, unit: text };
	const ofType = (type: string) =>
		['Eq', 'In', 'GteLt', 'IsYear', 'InPeriod', 'LocalDay', 'OlderThan'].map((operator) => ({
			field: `X|${type}`,
			[`${type}Operator`]: operator,
			...parts,
		}));
	const filters = {
		status: [{ operator: 'In', ...parts }],
		other: [...FIELD_TYPES.flatMap(ofType), { field: text, anyOperator: text }],
		json: [{ json: text }, { json: { Field: text, Operator: text, Value: text, [text]: text } }],
	};
	readFilterForm(formOf(filters), text, CONTEXT, issues);
	readSortForm(formOf({ by: [{ field: text, direction: text }] }), SESSIONS, issues);
}

const filter = (text: string) => ({
	logic: 'And' as const,
	filters: [condition('StartedAtUtc', 'GteLt', text), condition(text, 'In', text)],
});
const refuse = (status: number, body: string, headers = {}) => {
	const asked = and(condition('Id', 'Eq', '0'), condition(body.slice(0, 100), 'Eq', body));
	return refusalError({ ...REFUSAL, status, body, headers, query: { filter: asked, sorts: [] } });
};
const SECRETS = [API_KEY, 'secret word'];
const address = { environment: 'test', testUrl: 'https://a.example' };

/** What they throw does not matter here. */
const READERS: Record<string, (text: string) => unknown> = {
	form: (text) => readAll(text, new ValidationIssues()),
	parameters: (text) => {
		const source = { value: () => text, refuse: () => undefined } as unknown as ParameterSource;
		return PARAMETERS.map((parameter) => parameter.read('name', source));
	},
	expressions: (text) => [
		explainUnusableText(text),
		explainEmptyExpression(`=${text}`, () => 1),
		explainEmptyExpression(`={{${text}`, () => 1),
	],
	'lists of Ids': (text) => [parseList(text, 'spaces'), parseList(`"${text}`)],
	times: (text) => [readTime(text), isPlaceholderTime(text)],
	statuses: (text) => [statusName([], text), resolveStatusCode([{ code: 4, label: 'x' }], { Id: text, [text]: text })],
	periods: (text) => [coveredDays(filter(text), 'Europe/Berlin', 'StartedAtUtc'), splitPeriod(filter(text), 'Id')],
	'charge points': (text) => [
		parseChargePoints({ EVSEs: [text, { [text]: text }] }),
		identifyChargePoints([{ Id: text }, { Id: `${text}.` }]),
		chargePointValueText({ Status: { Id: text, Name: text } }, 'status'),
	],
	'the note that nothing matches': (text) => noRowsNote('charging sessions', filter(text)),
	'paths of lists': (text) => [explainInvalidPath(text), explainInvalidPath(`/api/${text}/v1`)],
	'fields of live rows': (text) => inferFields(SESSIONS, [{ [text]: text, Inner: { [text]: text } }], true),
	'answers that are JSON': (text) => [parseJson(text), parseJson(`[12345678901234567890,${JSON.stringify(text)}]`)],
	refusals: (text) => [400, 403, 503].map((status) => refuse(status, text)),
	'refusals in JSON': (text) => refuse(400, JSON.stringify({ message: text, [text]: { error: [text] } })),
	'pages of gateways': (text) => refuse(403, `<html>${text}</html>`),
	redirects: (text) => refuse(302, '', { location: `https://${text}!` }),
	'times to wait': (text) => [retryAfterMs({ 'retry-after': text }), retryAfterMs({ 'retry-after': `Mon ${text}` })],
	'broken connections': (text) => networkFailureError({ code: text, message: text, name: text }, 'host', SECRETS),
	'quoted texts': (text) => [
		sanitizeText(text, SECRETS),
		redactSecrets(text, SECRETS),
		formatFieldNames([text], SECRETS),
	],
	'long secrets': (text) => sanitizeText('secret '.repeat(text.length / 7), [text]),
	addresses: (text) => readBaseUrl(`https://${text}!`, { allowHttp: true, label: 'It', secret: 'key' }),
	keys: (text) => readCredential('apiKey', { apiKey: text, productionUrl: text }),
	users: (text) => readCredential('signedInUser', { ...address, email: text, password: text }),
	tokens: (text) => [findToken(text, ''), findToken(JSON.stringify({ a: { b: text } }), text)],
	'requests of other nodes': (text) => authenticateKey({ ...address, apiKey: 'key' }, { url: text }),
};

/**
 * CPU time, in milliseconds. Linear code takes less than a fiftieth of it on an idle machine; quadratic code that takes
 * less for the shorter text takes nine times as much for the longer one.
 */
const MOST_MS = 1_000;

/** The least CPU time of a call in milliseconds: a slow one is measured again, as it may have included a garbage collection. */
function timeOf(read: (text: string) => unknown, text: string): number {
	let least = Infinity;
	for (let turn = 0; turn < 3 && least > MOST_MS; turn++) {
		const start = process.cpuUsage();
		try {
			read(text);
		} catch {
			// Whether the text is accepted is tested elsewhere.
		}
		const { user, system } = process.cpuUsage(start);
		least = Math.min(least, (user + system) / 1000);
	}
	return least;
}

test.each(TEXTS)('%s is read in no time', (_, make) => {
	for (const length of [30_000, 90_000]) {
		const text = make(length);
		const slow = Object.entries(READERS).filter(([, read]) => timeOf(read, text) > MOST_MS);
		// The longer text would take minutes.
		expect({ length, slow: slow.map(([name]) => name) }).toEqual({ length, slow: [] });
	}
});

test.each(TEXTS)('messages stay short, although they quote %s', (_, make) => {
	const text = make(30_000);
	const issues = faultsOf(() => {
		const found = new ValidationIssues();
		readAll(text, found);
		found.check();
	});
	expect(issues).not.toEqual([]);
	expect(new InvalidParametersError(issues).message.length).toBeLessThan(10_000);
	for (const status of [302, 400, 401, 403, 404, 500]) {
		const { message, description } = refuse(status, text, { location: text });
		expect(message.length + description.length).toBeLessThan(2_000);
	}
});
