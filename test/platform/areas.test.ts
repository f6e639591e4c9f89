import { ask, type Envelope, SESSIONS } from './client.ts';
import { startPlatform, type StandIn } from './index.ts';

let platform: StandIn;
beforeAll(async () => (platform = await startPlatform({ sessions: 30, stations: 2 })));
afterAll(async () => await platform.close());
beforeEach(() => platform.reset());

const readers = () => {
	const scopes = ['tariffs', 'users', 'teams', 'billing', 'audit-trail', 'energy-assets'].map((area) => `${area}:read`);
	return platform.createKey({ name: 'reader', scopes }).secret;
};
const itemsOf = async (area: string, dsquery: unknown = {}) => {
	const { status, json } = await ask(platform, `/api/${area}/v1`, { key: readers(), dsquery });
	expect(status).toBe(200);
	return (json as Envelope).Items;
};

test('energy assets refuse every key, team Ids are text, billing rows have no Id', async () => {
	expect((await ask(platform, '/api/energy-assets/v1', { key: readers() })).status).toBe(401);
	expect((await itemsOf('teams'))[0]?.Id).toBe('team-000001');
	expect((await itemsOf('billing'))[0]).not.toHaveProperty('Id');
});

test('the audit trail lists requests of keys and price corrections, but not requests to itself', async () => {
	const { secret: key } = platform.createKey({ name: 'exporter', scopes: ['charging-sessions:read'] });
	await ask(platform, SESSIONS, { key });
	platform.correctPrice(7, 12.5);
	await itemsOf('audit-trail');
	const actions = (await itemsOf('audit-trail', { Pager: { Skip: 0, Take: 100 } })).map(
		({ Actor, Action, SessionId }) => [Actor, Action, SessionId],
	);
	expect(actions).toContainEqual(['exporter', `GET ${SESSIONS}`, null]);
	expect(actions).toContainEqual(['operator portal', 'corrected the price of session 7 to 12.5', 7]);
	expect(JSON.stringify(actions)).not.toContain('/api/audit-trail');
	expect(platform.db.prepare('SELECT Price FROM sessions WHERE Id = 7').get()).toEqual({ Price: 12.5 });
	expect(() => platform.correctPrice(999, 1)).toThrow(RangeError);
});
