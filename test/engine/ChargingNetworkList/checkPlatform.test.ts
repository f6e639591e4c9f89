import { defaultBehaviour } from '../../platform/behaviour.ts';
import type { Fault } from '../../platform/index.ts';
import { credentialFor, runNode } from '../../support/harness.ts';
import { installFastClock } from '../../support/clock.ts';
import { CheckBench, claimsIn, found, type Found } from '../../support/checkPlatform/support.ts';
import { namesIn, SET_ELSEWHERE, SWITCHES } from '../../support/checkPlatform/switches.ts';

const bench = new CheckBench();

describe('the platform as specified', () => {
	it('every check says so, with at most 60 requests, one after another', async () => {
		const { findings, requests } = await bench.check();
		expect(findings.filter(({ result }) => result !== 'as specified')).toEqual([]);
expect(findings.length).toBeGreaterThan(30);
		expect(requests.length).toBeLessThanOrEqual(60);
		for (const [index, { at }] of requests.entries()) {
			expect(at).toBeGreaterThanOrEqual(requests[index - 1]?.doneAt ?? 0);
		}
		expect(findings.at(-1)).toMatchObject({
			check: 'What to do',
			text: expect.stringMatching(/^Nothing needs/) as string,
		});
	});

	it('findings come in the same order each time', async () => {
		const order = async () => (await bench.check()).findings.map(({ list, check }) => `${list} ${check}`);
		expect(await order()).toEqual(await order());
	});

	const others = ({ result }: Found) => result !== 'as specified';

	it.each(['sessions', 'stations', 'locations'])('checks the %s alone', async (checkedLists) => {
		const { findings, requests } = await bench.check(
			{ locations: { acceptsKeys: true, scope: 'charging-stations:read' } },
			{ checkedLists },
		);
		expect(findings.filter(others)).toEqual([]);
		expect(findings.length).toBeGreaterThan(15);
		expect(requests.length).toBeLessThanOrEqual(30);
	});

	it('a list whose rows have no Id: what is odd about its pages is found all the same', async () => {
		const billing = { checkedLists: 'other', list: at('/api/billing/v1') };
		const oddOf = async (behaviour: object) => {
			bench.platform.reset();
			return claimsIn((await bench.check(behaviour, billing)).findings).map(({ check }) => check);
		};
		expect(await oddOf({})).toEqual(['Ids']);
		expect(await oddOf({ takeClamp: 7 })).toEqual(['Ids', 'Page size']);
		expect(await oddOf({ lists: { maxSkip: 10, skipOverMax: 'ignore' } })).toEqual(['Ids', 'Skip']);
	});

	it('checks any other list by its path, and takes a known path for its list', async () => {
		const { findings } = await bench.check({}, { checkedLists: 'other', list: at('/api/tariffs/v1') });
		expect(findings.filter(others)).toEqual([]);
		expect(findings.map(({ list }) => list)).toContain('rows of "tariffs"');
		const known = await bench.check({}, { checkedLists: 'other', list: at('/api/charging-stations/v1') });
		expect(known.findings.map(({ check }) => check)).toContain('EVSEs');
	});
});

const at = (value: string) => ({ __rl: true, mode: 'path', value });

describe('each switch of the stand-in alone', () => {
	const all = Object.values(SWITCHES).flat();

	it('no switch is left out', () => {
		const tried = new Set(all.flatMap(({ behaviour }) => namesIn(behaviour)));
		const missing = namesIn(defaultBehaviour()).filter((name) => !tried.has(name) && !SET_ELSEWHERE.test(name));
		expect(
			missing.map((name) => `test/support/checkPlatform/switches.ts: say what Check Platform finds with ${name}.`),
		).toEqual([]);
	});

	it.each(all.map((one) => [JSON.stringify(one.behaviour), one] as const))(
		'%s',
		async (_, { behaviour, finds, says, affects = [] }) => {
			const { findings, requests } = await bench.check(behaviour);
			const claims = claimsIn(findings);
			const names = new Set(claims.map(({ check }) => check));
			for (const check of finds) expect([...names]).toContain(check);
			expect(claims.filter(({ check }) => !finds.includes(check) && !affects.includes(check))).toEqual([]);
			const [first] = finds;
			if (says) expect(claims.filter(({ check }) => check === first).some(({ text }) => says.test(text))).toBe(true);
			if (finds.length === 0) expect(findings.filter(({ result }) => result !== 'as specified')).toEqual([]);
			expect(requests.length).toBeLessThanOrEqual(60);
		},
	);
});

describe('what can be reached', () => {
	it('a wrong key is one finding, not an error of the node', async () => {
		const { findings, requests } = await bench.check({}, {}, 'wrong-key');
		expect(found(findings, 'Address')).toMatchObject({
			result: 'limits',
			text: expect.stringContaining('does not accept this API key') as string,
		});
		expect(requests.length).toBeLessThanOrEqual(5);
		// The advice that the other nodes give.
		const { error } = await runNode({
			type: 'chargingSessions',
			credential: { ...credentialFor(bench.platform), apiKey: 'wrong-key' },
			parameters: { operation: 'getAll' },
		});
		expect(error?.description).toMatch(/^It may be mistyped, revoked/);
		expect(findings.at(-1)).toMatchObject({ check: 'What to do', result: 'limits', text: error?.description });
	});

	it('an inactive license is named, without asking again and again', async () => {
		bench.platform.license.active = false;
		const { findings, requests } = await bench.check();
		expect(found(findings, 'License')).toMatchObject({ result: 'limits' });
		expect(requests.length).toBeLessThanOrEqual(3);
	});

	it('a role that may not read sessions is named', async () => {
		const { secret } = bench.platform.createKey({
			role: 'Accountant',
			scopes: ['charging-sessions:read', 'charging-stations:read'],
		});
		const roleRules = { accountantRefused: ['charging-sessions'], code: undefined };
		const { findings } = await bench.check({ roleRules }, {}, secret);
		expect(claimsIn(findings)).toMatchObject([{ check: 'Access', list: 'charging sessions' }]);
	});

	it('an address that leads elsewhere is named', async () => {
		const { findings } = await bench.check({ redirectTo: 'https://elsewhere.example/' });
		expect(claimsIn(findings)).toMatchObject([
			{ check: 'Address', text: expect.stringContaining('redirects') as string },
		]);
	});

	it('a signed-in user can run it, too', async () => {
		const { findings } = await bench.check({}, { authentication: 'signedInUser' });
		expect(claimsIn(findings)).toEqual([]);
		expect(found(findings, 'EVSEs')).toMatchObject({ result: 'as specified' });
	});

	it('a missing scope is named, and the other lists are checked', async () => {
		const { secret } = bench.platform.createKey({ scopes: ['charging-stations:read', 'tariffs:read'] });
		const { findings } = await bench.check({}, {}, secret);
		expect(claimsIn(findings)).toMatchObject([
			{ check: 'Access', list: 'charging sessions', text: expect.stringContaining('charging-sessions:read') as string },
		]);
		expect(found(findings, 'Other lists')?.text).toMatch(/^Can be read, too: \/api\/tariffs\/v1\..*teams:read/);
		expect(findings.some(({ list, check }) => list === 'charging stations' && check === 'EVSEs')).toBe(true);
	});

	it('what fails for a while cannot be told, and the rest is checked', async () => {
		bench.platform.faults.add({ kind: 'status', status: 500, match: { path: '/api/charging-stations/v1/' }, times: 3 });
		const { findings, requests } = await bench.check();
		expect(findings.filter(({ result }) => result !== 'as specified')).toMatchObject([
			{ check: 'EVSEs', result: 'cannot tell', evidence: expect.stringContaining('500') as string },
			{ check: 'What to do', result: 'cannot tell' },
		]);
		expect(requests.length).toBeLessThanOrEqual(60);
	});

	it.each<Fault>([
		{ kind: 'html', status: 200 },
		{ kind: 'drop' },
		{ kind: 'truncate' },
		{ kind: 'reply', status: 302, headers: { location: 'https://elsewhere.example/' }, body: {} },
	])('no finding names a host once the platform was reached: %j', async (fault) => {
		bench.platform.faults.add({ ...fault, match: { path: '/api/charging-stations/v1/' }, times: Infinity });
		const { findings } = await bench.check();
		expect(found(findings, 'EVSEs')?.text).toMatch(/the platform/i);
		const { host } = new URL(bench.platform.baseUrl);
		expect(JSON.stringify(findings)).not.toContain(host);
		expect(JSON.stringify(findings)).not.toContain('elsewhere');
	});

	it.each([
		['from the beginning', 0],
		['after some answers', 12],
	])('a platform that goes silent %s costs five minutes, not more, and what was found is said', async (_, answered) => {
		// A hundred times faster: five minutes are 3 s, and the time limit of a request 0.6 s.
		const timeout = AbortSignal.timeout.bind(AbortSignal);
		const faster = jest.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => timeout(ms / 100));
		const clock = installFastClock(100);
		for (let nth = answered + 1; nth <= 60; nth++) bench.platform.faults.add({ kind: 'stall', match: { nth } });
		const { findings, requests } = await bench.check();
		clock.restore();
		faster.mockRestore();
		expect(requests.length).toBeLessThan(answered + 12);
		expect(findings.at(-1)).toMatchObject({ check: 'What to do' });
		if (answered === 0) expect(found(findings, 'Address')).toMatchObject({ result: 'limits' });
		else
			expect(findings.filter(({ text }) => /^Not finished: .* in 5 minutes\./.test(text)).length).toBeGreaterThan(10);
	});

	it('a rate limit is waited for', async () => {
		const rateLimit = { limit: 15, windowMs: 1000, window: 'fixed', retryAfter: 'seconds' };
		const { findings } = await bench.check({ rateLimit });
		expect(claimsIn(findings)).toEqual([]);
		expect(findings.some(({ check }) => check === 'EVSEs')).toBe(true);
	});

	it('lists without rows: what cannot be told is said, and nothing is claimed', async () => {
		const { findings } = await bench.check({}, {}, undefined, () => {
			for (const list of ['sessions', 'stations']) bench.platform.db.exec(`DELETE FROM ${list}`);
		});
		expect(claimsIn(findings)).toEqual([]);
		expect(found(findings, 'Filter')).toMatchObject({ result: 'cannot tell' });
	});

	it('lists of one, two and a few rows: nothing is claimed that is not so', async () => {
		for (const rows of [1, 2, 5, 60]) {
			const { findings } = await bench.check({}, {}, undefined, () => {
				for (const list of ['sessions', 'stations'])
					bench.platform.db.exec(`DELETE FROM ${list} WHERE Id NOT IN (SELECT Id FROM ${list} LIMIT ${rows})`);
			});
			expect(claimsIn(findings)).toEqual([]);
		}
	});
});

describe('One Report', () => {
	it('is Markdown to paste into an issue', async () => {
		const { json } = await bench.run({}, { result: 'oneReport' });
		expect(json).toHaveLength(1);
		const report = (json as Array<{ report: string }>)[0]?.report ?? '';
		const lines = report.split('\n').filter((line) => line.startsWith('|'));
		expect(lines.length).toBeGreaterThan(30);
		for (const line of lines) expect(line.replaceAll('\\|', '').split('|')).toHaveLength(7);
	});
});
