import { findToken } from '../../../../../nodes/shared/platform/account/findToken';

const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl';

it.each<[string, unknown, string, unknown]>([
	['a bare text', JWT, '', { token: JWT }],
	['a bare JSON text', JSON.stringify(JWT), '', { token: JWT }],
	['the name JWT_token', { JWT_token: JWT }, '', { token: JWT }],
	['the name bearer-token', { 'bearer-token': JWT }, '', { token: JWT }],
	['the name ID Token', { 'ID Token': JWT }, '', { token: JWT }],
	['a scheme in front', { token: `Bearer ${JWT}` }, '', { token: JWT }],
	['the access token beside others', { id_token: 'id', refresh_token: 'no', access_token: JWT }, '', { token: JWT }],
	['an object under the name token', { token: { type: 'bearer', value: 1, jwt: JWT } }, '', { token: JWT }],
	['a few levels inside', { ok: true, data: [{ user: { id: 7 }, session: { jwt: JWT } }] }, '', { token: JWT }],
	['an empty token', { token: '', user: 'x' }, '', { fields: ['token', 'user'] }],
	['a refresh token only', { refresh_token: JWT, type: null }, '', { fields: ['refresh_token', 'type'] }],
	['another name than the user gives', { token: JWT }, 'session.key', { fields: ['token'] }],
	['a name with dots in it', { 'app.token': JWT }, 'app.token', { token: JWT }],
	['an entry of a list', { tokens: [{ v: JWT }] }, 'tokens.0.v', { token: JWT }],
	['a sentence', 'You are signed in now', '', { fields: [] }],
	['a short word', 'ok', '', { fields: [] }],
	['nothing', '', '', { fields: [] }],
])('the token in an answer with %s', (_, answer, named, expected) => {
	expect(findToken(typeof answer === 'string' ? answer : JSON.stringify(answer), named)).toEqual(expected);
});
