import fc from 'fast-check';

import { networkList, pathFault } from '../../../../nodes/shared/list/networkList';

const BASE = 'https://platform.example/gateway';

/** Text built from pieces of paths and of attacks on them. */
const pathLike = fc
	.array(
		fc.constantFrom(
			...[
				'/',
				'//',
				'/api',
				'/api/',
				'api',
				'v1',
				'/v1',
				'/v22',
				'tariffs',
				'.',
				'..',
				'%2f',
				'%2e',
				'\\',
				'?',
				'#',
				'@',
			],
			...[':', 'https:', 'evil.example', ' ', '\t', '\u0000', '\u200b', 'ä', '~', '-', '_', ';', '{id}'],
		),
		{ maxLength: 9 },
	)
	.map((parts) => parts.join(''));

it('an accepted path always leads unchanged to the platform of the credential', () => {
	let accepted = 0;
	const check = (path: string) => {
		if (pathFault(path) !== undefined) return;
		accepted++;
		const url = new URL(BASE + path);
		expect(url.href).toBe(BASE + path);
		expect([url.search, url.hash, url.username]).toEqual(['', '', '']);
		expect(path).toMatch(/^\/api\/.+\/v\d+$/);
	};
	fc.assert(fc.property(pathLike, check), { numRuns: 20_000 });
	fc.assert(
		fc.property(fc.string({ unit: 'binary' }), (text) => check(`/api/${text}/v1`)),
		{ numRuns: 5_000 },
	);
	expect(accepted).toBeGreaterThan(0);
});

it('paths of lists are accepted, and rows named after them', () => {
	for (const [path, plural] of [
		['/api/tariffs/v1', 'rows of "tariffs"'],
		['/api/energy-assets/v12', 'rows of "energy-assets"'],
		['/api/billing/invoices/v2', 'rows of "billing/invoices"'],
	] as const) {
		expect(pathFault(path)).toBeUndefined();
		expect(networkList(path)).toMatchObject({ path, plural, unknownShape: true });
	}
});
