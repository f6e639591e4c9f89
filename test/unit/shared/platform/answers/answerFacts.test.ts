import { factsOf } from '../../../../../nodes/shared/platform/answers/answerFacts';
import type { Answer } from '../../../../../nodes/shared/platform/answers/refusals';
import { SESSIONS } from '../../../../../nodes/shared/resources';

const facts = async (body: unknown, headers: Record<string, unknown> = {}) =>
	await factsOf({ body, asRefusal: { headers, body: JSON.stringify(body) } } as Answer<unknown>, SESSIONS);

it.each([
	[
		{ Items: [], TotalCount: 0 },
		{ form: 'envelope', items: 'list', total: 'number' },
	],
	[
		{ items: null, totalcount: '7' },
		{ form: 'envelope', items: 'null', total: 'text', otherCases: ['items', 'totalcount'] },
	],
	[
		{ Items: {}, TotalCount: null },
		{ form: 'envelope', items: 'other', total: 'null' },
	],
	[[{ Id: 1 }], { form: 'array', items: 'missing', total: 'missing' }],
	[{ data: { Items: [] } }, { form: 'wrapped', items: 'missing' }],
	[null, { form: 'nothing' }],
	[
		{ Items: [{ id: 1, Status: 4, startedAtUtc: 'x', note: 'n' }], TotalCount: 1 },
		{ otherCases: ['id', 'startedAtUtc'] },
	],
])('says how %j is written', async (body, expected) => {
	expect(await facts(body)).toMatchObject(expected);
});

it('an answer that is longer than what was sent came compressed', async () => {
	const body = { Items: Array.from({ length: 50 }, (_, id) => ({ Id: id, Status: 4 })), TotalCount: 50 };
	expect((await facts(body, { 'content-length': '200' })).isCompressed).toBe(true);
	expect((await facts(body, { 'content-length': String(JSON.stringify(body).length) })).isCompressed).toBe(false);
	expect((await facts(body, { 'content-encoding': 'gzip' })).isCompressed).toBe(true);
	expect((await facts(body)).isCompressed).toBeUndefined();
});

it('shows numbers of the rate limit, and no other text', async () => {
	const headers = {
		'x-ratelimit-limit': '100',
		'ratelimit-policy': '100;w=60',
		'x-rate-limit-client': 'Jane 7 Doe',
		'retry-after': '5',
	};
	expect((await facts({}, headers)).rateLimitHeaders).toEqual([
		'x-ratelimit-limit: 100',
		'ratelimit-policy: 100;w=60',
		'x-rate-limit-client',
	]);
});
