import { factsOf } from '../../../../../nodes/shared/platform/answers/answerFacts';
import type { Answer } from '../../../../../nodes/shared/platform/answers/unusable';
import { SESSIONS } from '../../../../../nodes/shared/resources';

const facts = (body: unknown) => factsOf({ body } as Answer, SESSIONS);

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
])('says how %j is written', (body, expected) => {
	expect(facts(body)).toMatchObject(expected);
});
