import { request } from 'undici';

import { ask, SESSIONS, STATIONS } from './client.ts';
import { startPlatform } from './index.ts';
import type { StandIn } from './index.ts';

let platform: StandIn;

beforeAll(async () => {
	platform = await startPlatform({ sessions: 50, stations: 3 });
});
beforeEach(() => platform.reset());
afterAll(() => platform.close());

/** Reads a body: its text, the number of chunks, and whether it was complete. */
async function pieces(signal: AbortSignal): Promise<{ text: string; count: number; whole: boolean }> {
	const { body } = await request(`${platform.baseUrl}${SESSIONS}`, { headers: { 'api-key': platform.key }, signal });
	const chunks: Buffer[] = [];
	let whole = true;
	try {
		for await (const chunk of body) chunks.push(chunk as Buffer);
	} catch {
		whole = false;
	}
	return { text: Buffer.concat(chunks).toString(), count: chunks.length, whole };
}
const soon = () => AbortSignal.timeout(300);
const later = () => AbortSignal.timeout(20_000);

test('drop ends the connection without an answer, once', async () => {
	platform.faults.add({ kind: 'drop' });
	await expect(ask(platform, SESSIONS)).rejects.toThrow(/other side closed/);
	expect((await ask(platform, SESSIONS)).status).toBe(200);
	expect(platform.requests).toMatchObject([
		{ fault: 'drop', status: undefined, aborted: false, keyName: 'n8n' },
		{ fault: undefined, status: 200 },
	]);
});

test('dropMidBody ends the connection partway through the body', async () => {
	platform.faults.add({ kind: 'dropMidBody' });
	const cut = await pieces(later());
	const { text } = await ask(platform, SESSIONS);
	expect(cut.whole).toBe(false);
	expect(cut.text.length).toBeGreaterThan(text.length / 3);
	expect(text.startsWith(cut.text)).toBe(true);
	expect(cut.text.length).toBeLessThan(text.length);
});

test('a client that disconnects before a late answer is recorded, and the next request is answered', async () => {
	platform.faults.add({ kind: 'stall', delayMs: 60_000 });
	await expect(ask(platform, SESSIONS, { signal: soon() })).rejects.toThrow();
	expect((await ask(platform, SESSIONS)).status).toBe(200);
	expect(platform.requests[0]).toMatchObject({ aborted: true });
});

test('stallMidBody sends part of the body, then nothing or the rest', async () => {
	const { text } = await ask(platform, SESSIONS);
	platform.faults.add({ kind: 'stallMidBody' });
	const half = await pieces(soon());
	expect(half).toMatchObject({ whole: false });
	expect(half.text.length).toBeGreaterThan(0);
	expect(text.startsWith(half.text)).toBe(true);
	platform.faults.add({ kind: 'stallMidBody', delayMs: 30 });
	expect(await pieces(later())).toMatchObject({ whole: true, text });
});

test('truncate sends a complete answer that is not valid JSON', async () => {
	platform.faults.add({ kind: 'truncate' });
	const { status, text, json } = await ask(platform, SESSIONS);
	expect([status, json]).toEqual([200, undefined]);
	expect(text).toMatch(/^{"Items":\[/);
});

test('status answers in the shape of errorBody, with headers of its own', async () => {
	platform.behaviour.errorBody = 'problem';
	platform.faults.add({ kind: 'status', status: 503, headers: { 'retry-after': '7' } });
	const reply = await ask(platform, SESSIONS);
	expect(reply).toMatchObject({ status: 503, json: { status: 503 }, headers: { 'retry-after': '7' } });
});

test('stall can answer late', async () => {
	platform.faults.add({ kind: 'stall', delayMs: 30 });
	expect((await ask(platform, SESSIONS)).json).toMatchObject({ TotalCount: 50 });
});

test('a failing gateway repeats the key when told to', async () => {
	platform.behaviour.echoKey = true;
	for (const kind of ['status', 'html'] as const) {
		platform.faults.add({ kind });
		expect((await ask(platform, SESSIONS)).text).toContain(platform.key);
	}
});

test('faults apply in order, as often as told, to the requests they match', async () => {
	platform.faults.add({ kind: 'status', status: 503, times: 2, match: { path: SESSIONS } });
	platform.faults.add({ kind: 'status', status: 504, match: { method: 'get' } });
	platform.faults.add({ kind: 'status', status: 500, match: ({ dsquery }) => dsquery !== undefined });
	const seen: number[] = [];
	for (const path of [SESSIONS, STATIONS, SESSIONS, SESSIONS]) seen.push((await ask(platform, path)).status);
	expect(seen).toEqual([503, 504, 503, 200]);
	expect((await ask(platform, SESSIONS, { dsquery: {} })).status).toBe(500);
	expect((await ask(platform, SESSIONS, { dsquery: {} })).status).toBe(200);
});

test('closing does not wait for stalled answers', async () => {
	const other = await startPlatform({ sessions: 1 });
	other.faults.add({ kind: 'stall' });
	other.faults.add({ kind: 'stall', delayMs: 3_600_000 });
	const asked = [ask(other, SESSIONS), ask(other, SESSIONS)];
	while (other.requests.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
	await other.close();
	for (const { status } of await Promise.allSettled(asked)) expect(status).toBe('rejected');
});
