import { and, condition } from '../../../../../nodes/shared/dsquery/compose';
import { readBaseUrl } from '../../../../../nodes/shared/platform/account/baseUrl';
import { readCredential } from '../../../../../nodes/shared/platform/account/credential';
import { authenticateKey } from '../../../../../nodes/shared/platform/account/authenticate';
import { findToken } from '../../../../../nodes/shared/platform/account/findToken';
import { readAnswerText } from '../../../../../nodes/shared/platform/answers/answerText';
import { networkFailure } from '../../../../../nodes/shared/platform/answers/networkFailure';
import { parseJson } from '../../../../../nodes/shared/platform/answers/json';
import { describeRefusal } from '../../../../../nodes/shared/platform/answers/refusals';
import { readHttpDate, retryAfterMs } from '../../../../../nodes/shared/platform/answers/retryAfter';
import { hideInSentence, safeText, shownNames } from '../../../../../nodes/shared/platform/answers/safeText';
import type { Answer } from '../../../../../nodes/shared/platform/types';
import { REFUSAL } from '../../../../support/scriptedConnection.ts';
import { API_KEY } from '../../../../support/scriptedServer.ts';
import { slowCalls, type Call } from '../../../../support/worstInput';

// What reads text from the platform or a user, with the worst texts.

const fill = (unit: string, length: number) => unit.repeat(Math.ceil(length / unit.length)).slice(0, length);

/** Text of about this length. */
type Make = (length: number) => string;
const wrapped =
	(unit: string, before: string, after: string): Make =>
	(length) =>
		before + fill(unit, length) + after;

const UNITS = [
	...['<!-- -->', '<!--', '<?xml>', '<', '<script', '<script>', '<style></', '<title>', '<h1>'],
	...['[', '{"a":', '[]', '"', '\\', '\\"', '{"message":"x"},', '[[],'],
	...[' ', '\n', '\u00a0', '.', '-', '_', '/', '?', '#', '@', ':1', '%41', '&amp;', '&lt;'],
	...['9', '1.', 'v1', 'a', 'A_', 'A-', 'a1-', 'a:read', 'aA1_', 'eyJ', 'eyJa.'],
	...['Bearer ', 'api-key', 'api_key="1', 'scope ', 'role', '_ROLE', 'Take ', 'too '],
	...['/api/a/v1', '/token', '.localhost', '127.', 'https://', 'GMT', 'Mon ', "'", '“a”'],
	...['Id ', "'Id", API_KEY, API_KEY.slice(0, 12), 'é', '\ud800', '\u0000'],
];
const TEXTS: readonly Make[] = [
	...UNITS.map((unit) => wrapped(unit, '', '')),
	wrapped(' ', '{"message":"', 'x"}'),
	wrapped('a1', '{"message":"', '"}'),
	wrapped('\\"', '{"message":"', '"}'),
	wrapped('[', '{"a":', ''),
	wrapped('{"a":', '', '1' + '}'.repeat(10)),
	wrapped('{},', '[', '{}]'),
	wrapped('"x y",', '{"errors":[', '1]}'),
];

/** More texts for what reads addresses, and bodies. */
const ADDRESSES = UNITS.map((unit) => wrapped(unit, 'https://', '!'));
const PAGES = UNITS.map((unit) => wrapped(unit, '<html>', '</html>'));
const MORE_TEXTS: Readonly<Record<string, readonly Make[]>> = {
	readBaseUrl: ADDRESSES,
	authenticateKey: ADDRESSES,
	'describeRefusal of a redirect': ADDRESSES,
	'describeRefusal of a query': PAGES,
};

const refuse = (status: number, body: string, more: Partial<Answer> = {}) => {
	const filter = and(condition('Id', 'Eq', '0'), condition(body.slice(0, 100), 'Eq', body));
	return describeRefusal({ ...REFUSAL, status, body, query: { filter, sorts: [] }, ...more });
};
const address = { environment: 'test', testUrl: 'https://a.example' };

/** Passes a text to each function. What it throws does not matter here. */
const READERS: Record<string, Call> = {
	readAnswerText: (text) => readAnswerText(text),
	'readAnswerText of an object': (text) => readAnswerText(JSON.stringify({ message: text, [text]: { error: [text] } })),
	parseJson: (text) => parseJson(text),
	'parseJson with a large integer': (text) => parseJson(`[12345678901234567890,${JSON.stringify(text)}]`),
	safeText: (text) => safeText(text, [API_KEY, 'secret word']),
	'safeText with a long secret': (text) => safeText(fill('secret ', text.length), [text]),
	hideInSentence: (text) => hideInSentence(text, [API_KEY, 'secret word']),
	shownNames: (text) => shownNames([text, text], [API_KEY]),
	retryAfterMs: (text) => retryAfterMs({ 'retry-after': text, date: text }),
	readHttpDate: (text) => readHttpDate(`Mon ${text}`),
	networkFailure: (text) => networkFailure({ code: text, message: text, name: text }, 'host', [API_KEY]),
	'describeRefusal of a query': (text) => refuse(400, text),
	'describeRefusal of a key': (text) => refuse(403, text),
	'describeRefusal of a redirect': (text) => refuse(302, '', { headers: { location: text } }),
	readBaseUrl: (text) => readBaseUrl(text, { allowHttp: true, label: 'It', secret: 'key' }),
	'readCredential of a key': (text) => readCredential('apiKey', { apiKey: text, productionUrl: text }),
	'readCredential of a user': (text) => readCredential('signedInUser', { ...address, email: text, password: text }),
	findToken: (text) => findToken(text, ''),
	'findToken under a name': (text) => findToken(JSON.stringify({ a: { b: text } }), text),
	authenticateKey: (text) => authenticateKey({ ...address, apiKey: text }, { url: text }),
};

it.each(Object.entries(READERS))('%s is fast for every text', async (name, read) => {
	for (const make of [...TEXTS, ...(MORE_TEXTS[name] ?? [])]) {
		const slow = await slowCalls({ [`${name} of ${JSON.stringify(make(20))}…`]: read }, make);
		if (slow.length > 0) throw new Error(slow.join());
	}
});

it('messages stay short for every text', () => {
	for (const make of TEXTS) {
		const text = make(100_000);
		for (const status of [200, 302, 400, 401, 403, 404, 500]) {
			const { message, description } = refuse(status, text, { headers: { location: text } });
			expect(message.length + description.length).toBeLessThan(2_000);
		}
	}
});
