import * as baseUrl from '../../../../../nodes/shared/platform/account/baseUrl';
import * as credential from '../../../../../nodes/shared/platform/account/credential';
import * as authenticate from '../../../../../nodes/shared/platform/account/authenticate';
import * as signIn from '../../../../../nodes/shared/platform/account/signIn';
import * as token from '../../../../../nodes/shared/platform/account/token';
import { and, condition } from '../../../../../nodes/shared/dsquery/compose';
import * as answerText from '../../../../../nodes/shared/platform/answers/answerText';
import * as parseJson from '../../../../../nodes/shared/platform/answers/parseJson';
import { PlatformError } from '../../../../../nodes/shared/platform/answers/errors';
import * as jsonNodes from '../../../../../nodes/shared/platform/answers/jsonNodes';
import * as namedIn from '../../../../../nodes/shared/platform/answers/namedIn';
import * as networkFailure from '../../../../../nodes/shared/platform/answers/networkFailure';
import * as queryParts from '../../../../../nodes/shared/platform/answers/queryParts';
import * as refusals from '../../../../../nodes/shared/platform/answers/refusals';
import * as retryAfter from '../../../../../nodes/shared/platform/answers/retryAfter';
import { SESSIONS_EXPORT, stationEndpoint } from '../../../../../nodes/shared/platform/http/endpoint';
import { API_KEY, REFUSAL } from '../../../../support/scriptedServer';
import { slowCalls, type Call } from '../../../../support/worstInput';

// Every function of these modules that reads text from the platform or a user, with the worst texts.

const fill = (unit: string, length: number) => unit.repeat(Math.ceil(length / unit.length)).slice(0, length);

/** Text of about this length. */
type Make = (length: number) => string;
const wrapped =
	(unit: string, before: string, after: string): Make =>
	(length) =>
		before + fill(unit, length) + after;

const UNITS = [
	...[
		'<!-- -->',
		'<!--',
		'<!-- ',
		'<?xml>',
		'<?xml',
		'<',
		'<script',
		'<script>',
		'<style></',
		'<title',
		'<title>',
		'<h1>',
	],
	...['[', '{', '{"a":', '[]', '"', '\\', '\\"', '["', '{"":', '{"message":"x"},', '"error":', '[[],'],
	...[' ', '\t', '\n', '\u00a0', '.', '-', '_', '/', '//', '?', '#', '@', ':', ':1', '%', '%41', '&', '&amp;', '&lt;'],
	...['0', '9', '1.', '1e', 'v1', 'a', 'A', 'A_', 'A-', 'a-', 'a1-', 'a:', 'a:read', 'aA1_', 'eyJ', 'eyJa.', 'eyJ-'],
	...['Bearer ', 'bearer', 'api key:', 'api-key', 'api_key="1', 'scope ', 'license ', 'role', '_ROLE', 'Take ', 'too '],
	...['/api/', '/api/a/v1', '/token', '/token/', '.localhost', '127.', 'https://', 'http:', 'GMT', 'Mon ', "'", '“a”'],
	...['Id', 'Id ', '.Id', "'Id", API_KEY, API_KEY.slice(0, 12), API_KEY.slice(0, 11), 'é', '\ud800', '😀', '\u0000'],
];
const TEXTS: readonly Make[] = [
	...UNITS.map((unit) => wrapped(unit, '', '')),
	...UNITS.map((unit) => wrapped(unit, 'https://', '!')),
	...UNITS.map((unit) => wrapped(unit, '<html>', '</html>')),
	wrapped(' ', '{"message":"', 'x"}'),
	wrapped('a1', '{"message":"', '"}'),
	wrapped('\\"', '{"message":"', '"}'),
	wrapped('[', '{"a":', ''),
	wrapped('{"a":', '', '1' + '}'.repeat(10)),
	wrapped('{},', '[', '{}]'),
	wrapped('"x y",', '{"errors":[', '1]}'),
];

const queryOf = (...fields: string[]) => ({
	filter: and(...fields.map((field) => condition(field, 'Eq', '0'))),
	sorts: [],
});
const refusal = (status: number, body: unknown, more: Partial<refusals.Refusal> = {}): refusals.Refusal => ({
	...REFUSAL,
	status,
	body,
	query: queryOf('Id', 'Status'),
	...more,
});
const user = { environment: 'test', testUrl: 'https://a.example', email: 'a@b.example', password: 'secret word' };
const settings = credential.readUserCredential(user);

/** Passes a text to each function. What it throws does not matter here. */
const READERS: Record<string, Call> = {
	readAnswerText: (text) => answerText.readAnswerText(text),
	'readAnswerText of an object': (text) => answerText.readAnswerText({ message: text, [text]: { error: [text] } }),
	parseJson: (text) => parseJson.parseJson(text),
	parseLongJson: async (text) => await parseJson.parseLongJson(text),
	isWebPage: (text) => answerText.isWebPage(text),
	safeText: (text) => answerText.safeText(text, [API_KEY, 'secret word']),
	'safeText with a long secret': (text) => answerText.safeText(fill('secret ', text.length), [text]),
	hideInSentence: (text) => answerText.hideInSentence(text, [API_KEY, 'secret word']),
	isLicenseCode: (text) => refusals.isLicenseCode(text),
	withoutSecrets: (text) => answerText.withoutSecrets(text, [API_KEY, 'secret word']),
	shownNames: (text) => answerText.shownNames([text, text], [API_KEY]),
	escaped: (text) => answerText.escaped(text),
	retryAfterMs: (text) => retryAfter.retryAfterMs({ 'retry-after': text, date: text }),
	headerText: (text) => retryAfter.headerText({ a: text }, 'a'),
	readHttpDate: (text) => retryAfter.readHttpDate(`Mon ${text}`),
	networkFailure: (text) => networkFailure.networkFailure({ code: text, message: text, name: text }, 'host', [API_KEY]),
	nodesIn: (text) => jsonNodes.nodesIn({ [text]: [text] }),
	isObject: (text) => jsonNodes.isObject({ text }),
	plainName: (text) => jsonNodes.plainName(text),
	// What the platform said is cut before.
	fieldIn: (text) => namedIn.fieldIn(text.slice(0, 20_000), { fields: ['Id', text], secrets: [API_KEY] }),
	valueIn: (text) =>
		namedIn.valueIn(text.slice(0, 20_000), { fields: ['Id'], values: [text, 'a'], secrets: [API_KEY] }),
	fieldsOf: (text) => queryParts.fieldsOf(queryOf(text)),
	valuesOf: (text) => queryParts.valuesOf(queryOf(text)),
	placesOf: (text) => queryParts.placesOf(queryOf(text), text),
	longPartOf: (text) => queryParts.longPartOf(queryOf(text), 'x'.repeat(3_000)),
	longestPartOf: (text) => queryParts.longestPartOf(queryOf(text)),
	timedOut: (text) => networkFailure.timedOut(text, 1),
	'describeRefusal of a query': (text) => refusals.describeRefusal(refusal(400, text)),
	'describeRefusal without fields': (text) => refusals.describeRefusal(refusal(400, text, { query: undefined })),
	'describeRefusal of an export': (text) => refusals.describeRefusal(refusal(400, text, { endpoint: SESSIONS_EXPORT })),
	'describeRefusal of a station': (text) =>
		refusals.describeRefusal(refusal(404, text, { endpoint: stationEndpoint('x') })),
	'describeRefusal of a key': (text) => refusals.describeRefusal(refusal(403, text)),
	'describeRefusal of a redirect': (text) =>
		refusals.describeRefusal(refusal(302, '', { headers: { location: text } })),
	'describeRefusal of an outage': (text) => refusals.describeRefusal(refusal(500, text)),
	'describeRefusal of a field': (text) => refusals.describeRefusal(refusal(400, 'Id', { query: queryOf(text, 'Id') })),
	isAnswered: (text) => refusals.isAnswered(text.length),
	unexpectedAnswer: (text) => refusals.unexpectedAnswer(refusal(200, ''), 'invalid-answer', text),
	// A base URL is never longer: readBaseUrl refuses longer ones.
	hostOf: (text) => refusals.hostOf(text.slice(0, 2_000)),
	cutOff: (text) => refusals.cutOff(text),
	tooLarge: (text) => refusals.tooLarge(text, 1),
	isLoopback: (text) => baseUrl.isLoopback(text.slice(0, 2_000)),
	readBaseUrl: (text) => baseUrl.readBaseUrl(text, { allowHttp: true, label: 'It', secret: 'key' }),
	'readCredential of a key': (text) => credential.readCredential('apiKey', { apiKey: text, productionUrl: text }),
	readUserCredential: (text) => credential.readUserCredential({ ...user, email: text, password: text, testUrl: text }),
	findToken: (text) => token.findToken(text, ''),
	'findToken under a name': (text) => token.findToken({ a: { b: text } }, text),
	readSignIn: (text) => signIn.readSignIn({ status: 200, headers: {}, body: text }, settings),
	'readSignIn of a refusal': (text) => signIn.readSignIn({ status: 401, headers: {}, body: text }, settings),
	authenticateKey: (text) => authenticate.authenticateKey({ ...user, apiKey: text }, { url: text }),
	authenticateUser: (text) =>
		authenticate.authenticateUser({ ...user, password: text, sessionToken: text }, { url: text }),
	// Only sends, and reads with the functions above.
	signInUser: () => undefined,
};

it('every exported function is tried', () => {
	const rooms = [
		answerText,
		authenticate,
		namedIn,
		jsonNodes,
		networkFailure,
		parseJson,
		refusals,
		retryAfter,
		baseUrl,
		credential,
		signIn,
		token,
	];
	const names = rooms.flatMap((room) =>
		Object.entries(room).filter(([name, value]) => typeof value === 'function' && /^[a-z]/.test(name)),
	);
	const tried = Object.keys(READERS).map((name) => name.split(' ')[0]);
	expect(names.map(([name]) => name).filter((name) => !tried.includes(name))).toEqual([]);
});

it.each(Object.entries(READERS))('%s is fast for every text', async (name, read) => {
	for (const make of TEXTS) {
		const slow = await slowCalls({ [`${name} of ${JSON.stringify(make(20))}…`]: read }, make);
		if (slow.length > 0) throw new Error(slow.join());
	}
});

it('a page behind many comments is recognised', () => {
	expect(answerText.isWebPage(`${'<!-- -->'.repeat(1_000)}<html></html>`)).toBe(true);
});

it('messages stay short for every text', () => {
	for (const make of TEXTS) {
		const text = make(100_000);
		for (const status of [200, 302, 400, 401, 403, 404, 500]) {
			const { message, description } = refusals.describeRefusal(refusal(status, text, { headers: { location: text } }));
			expect(message.length + description.length).toBeLessThan(2_000);
		}
	}
	expect(new PlatformError('forbidden', 'x').description).toBe('');
});
