import { startPlatform } from '../../platform/index.ts';
import { measureMemory } from '../../support/memoryReport.ts';

it('100,000 sessions take less than three times the memory of their items', async () => {
	const platform = await startPlatform({ sessions: 100_000 });
	const { rows, error, growth, itemsAlone } = await measureMemory(platform, { operation: 'getAll', returnAll: true });
	await platform.close();
	expect({ rows, error }).toEqual({ rows: 100_000 });
	expect(growth).toBeLessThan(3 * itemsAlone);
}, 400_000);
