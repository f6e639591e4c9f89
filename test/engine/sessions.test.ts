import { startPlatform, type StandIn } from '../platform/index.ts';
import { credentialFor, runNode, type RunOptions } from './harness.ts';

let platform: StandIn;

beforeAll(async () => {
	platform = await startPlatform({ sessions: 1000, stations: 30 });
});
afterAll(async () => await platform.close());
beforeEach(() => platform.reset());

const run = async (options: Partial<RunOptions> = {}) =>
	await runNode({ type: 'chargingSessions', credential: credentialFor(platform), ...options });

it('lists sessions', async () => {
	const { status, json, error } = await run({ parameters: { operation: 'getAll', returnAll: true } });
	expect(error).toBeUndefined();
	expect(status).toBe('success');
	expect(json).toHaveLength(1000);
});
