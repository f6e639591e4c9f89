import fc from 'fast-check';

import { findToken } from '../../../../../nodes/shared/platform/account/token';
import { draws } from '../../../../support/draws.ts';

const RUNS = draws(5_000);

const usual = ['token', 'access_token', 'accessToken', 'AccessToken', 'jwt', 'id_token', 'JWT_TOKEN', 'bearer-token'];
const token = fc
	.string({ unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)), minLength: 8 })
	.filter((text) => !/^bearer/i.test(text));
/** Names that no token would have. */
const otherName = fc
	.string({ unit: fc.constantFrom(...'abcdefgmnopqrsuvxyz'), minLength: 3, maxLength: 8 })
	.filter((name) => !/^(?:access|bearer)$/.test(name));
const otherValue = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null));
const siblings = fc.dictionary(otherName, otherValue, { maxKeys: 4 });

/** An answer with one value at a path, and other fields around it at every level. */
const around = (path: string[], value: unknown) =>
	fc
		.array(siblings, { minLength: path.length, maxLength: path.length })
		.map((levels) => path.reduceRight<unknown>((inner, name, index) => ({ ...levels[index], [name]: inner }), value));

it('finds the token under every usual name, in the answer or a few levels inside it', () => {
	const answers = fc
		.tuple(token, fc.constantFrom(...usual), fc.array(otherName, { maxLength: 4 }))
		.chain(([secret, name, path]) =>
			fc.record({ secret: fc.constant(secret), answer: around([...path, name], secret), asText: fc.boolean() }),
		);
	fc.assert(
		fc.property(answers, ({ secret, answer, asText }) => {
			expect(findToken(asText ? JSON.stringify(answer) : answer, '')).toEqual({ token: secret });
		}),
		{ numRuns: RUNS },
	);
});

it('finds the token under the name or path that the user gives, whatever its case', () => {
	const answers = fc
		.tuple(token, fc.array(otherName, { minLength: 1, maxLength: 4 }), fc.boolean(), fc.boolean())
		.chain(([secret, path, whole, upper]) => {
			const named = whole ? path.join('.') : (path.at(-1) ?? '');
			const answer = path.reduceRight<unknown>((inner, name) => ({ [name]: inner, token: 'not-this-one' }), secret);
			return fc.record({
				secret: fc.constant(secret),
				answer: fc.constant(answer),
				named: fc.constant(upper ? named.toUpperCase() : named),
			});
		});
	fc.assert(
		fc.property(answers, ({ secret, answer, named }) => {
			expect(findToken(answer, named)).toEqual({ token: secret });
		}),
		{ numRuns: RUNS },
	);
});

it('returns field names but no values when no field fits', () => {
	fc.assert(
		fc.property(fc.dictionary(otherName, fc.string({ minLength: 12 })), (answer) => {
			const found = findToken(answer, '');
			expect(found).toEqual({ fields: Object.keys(answer).slice(0, 12) });
		}),
		{ numRuns: RUNS },
	);
});

it('returns a token or field names for any answer', () => {
	fc.assert(
		fc.property(fc.anything(), fc.string(), (answer, named) => {
			const found = findToken(answer, named);
			expect('token' in found ? typeof found.token : Array.isArray(found.fields)).toBeTruthy();
		}),
		{ numRuns: RUNS },
	);
});

const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl';

it.each<[string, unknown, string, unknown]>([
	['a bare text', JWT, '', { token: JWT }],
	['a bare JSON text', JSON.stringify(JWT), '', { token: JWT }],
	['a scheme in front', { token: `Bearer ${JWT}` }, '', { token: JWT }],
	['the access token beside others', { id_token: 'id', refresh_token: 'no', access_token: JWT }, '', { token: JWT }],
	['an object under the name token', { token: { type: 'bearer', value: 1, jwt: JWT } }, '', { token: JWT }],
	['a list', [{ user: 1 }, { jwt: JWT }], '', { token: JWT }],
	['an empty token', { token: '', user: 'x' }, '', { fields: ['token', 'user'] }],
	['a token that is null', { token: null }, '', { fields: ['token'] }],
	[
		'a refresh token only',
		{ refresh_token: JWT, token_type: 'bearer' },
		'',
		{ fields: ['refresh_token', 'token_type'] },
	],
	['another name than the user gives', { token: JWT }, 'session.key', { fields: ['token'] }],
	['a name with dots in it', { 'app.token': JWT }, 'app.token', { token: JWT }],
	['an entry of a list', { tokens: [{ v: JWT }] }, 'tokens.0.v', { token: JWT }],
	['a sentence', 'You are signed in now', '', { fields: [] }],
	['a short word', 'ok', '', { fields: [] }],
	['nothing', '', '', { fields: [] }],
	['null', null, '', { fields: [] }],
])('%s', (_, answer, named, expected) => {
	expect(findToken(answer, named)).toEqual(expected);
});
