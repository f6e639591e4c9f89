import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { startPlatform } from '../platform/index.ts';

it('100,000 sessions take less than three times the memory of their items', async () => {
	const platform = await startPlatform({ sessions: 100_000 });
	const { stdout } = await promisify(execFile)(process.execPath, [
		'--expose-gc',
		'--require',
		'./test/support/register.cjs',
		'--eval',
		'require("./test/engine/memory.ts")',
		platform.baseUrl,
		platform.key,
	]);
	await platform.close();
	const { rows, error, growth, itemsAlone } = JSON.parse(stdout) as Record<string, number>;
	expect({ rows, error }).toEqual({ rows: 100_000 });
	expect(growth).toBeLessThan(3 * Number(itemsAlone));
}, 120_000);
