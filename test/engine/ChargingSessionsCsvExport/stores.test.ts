import { startPlatform, type StandIn } from '../../platform/index.ts';
import { allIds, binaryStore, byIds, runExport, single } from '../../support/export.ts';

let platform: StandIn;

beforeAll(async () => {
	platform = await startPlatform({ sessions: 200, stations: 5 });
});
afterAll(async () => await platform.close());
beforeEach(() => platform.reset());

const exported = async () =>
	await runExport(platform, byIds(allIds(platform).slice(0, 40).join(','), { idsPerRequest: 10 }));

// The stores for database, S3 and Azure also collect all bytes before they store them.
describe('where n8n keeps binary data in memory', () => {
	test('the file is the same', async () => {
		const { items, file } = await exported();
		expect(items[0]?.binary?.data?.id).toBeUndefined();
		expect(file).toBe(await single(platform, allIds(platform).slice(0, 40)));
	});
});

describe('a store that fails', () => {
	const useStore = (store: () => Promise<never>) =>
		binaryStore().setManager('filesystem-v2', { store, init: async () => await Promise.resolve() } as never);
	afterEach(() => binaryStore().setManager('filesystem-v2', undefined as never));

	test("passes on n8n's reason and says what to do", async () => {
		useStore(async () => await Promise.reject(new Error('ENOSPC: no space left on device')));
		expect((await exported()).refusal).toMatch(
			/^n8n could not store the file .*ENOSPC: no space left on device.*Sessions per File/,
		);
	});
});
