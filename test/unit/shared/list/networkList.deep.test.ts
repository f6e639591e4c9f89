import fc from 'fast-check';

import { networkList, explainInvalidPath } from '../../../../nodes/shared/list/networkList';
import { draws } from '../../../support/draws.ts';

const BASE = 'https://platform.example/gateway';

/** Pieces of paths and of attacks on them. */
const PIECES = [
	...'/ // /api /api/ api v1 /v1 /v22 tariffs . .. %2f %2e \\ ? # @ : https: evil.example ä ~ - _ ; {id}'.split(' '),
	' ',
	'\t',
	'\u0000',
	'\u200b',
];
const pathLike = fc.array(fc.constantFrom(...PIECES), { maxLength: 9 }).map((parts) => parts.join(''));

it('an accepted path always leads unchanged to the platform of the credential', () => {
	const check = (path: string) => {
		if (explainInvalidPath(path) !== undefined) return;
		const url = new URL(BASE + path);
		expect(url.href).toBe(BASE + path);
		expect([url.search, url.hash, url.username]).toEqual(['', '', '']);
		expect(path).toMatch(/^\/api\/.+\/v\d+$/);
	};
	const examples: Array<[string]> = [['/api/../token/v1'], ['/api/./x/v1'], ['/api/x%2f..%2fy/v1'], ['/api/x/v1#a']];
	fc.assert(fc.property(pathLike, check), { numRuns: draws(20_000), examples });
	fc.assert(
		fc.property(fc.string({ unit: 'binary' }), (text) => check(`/api/${text}/v1`)),
		{ numRuns: draws() },
	);
});

it.each([
	['/api/energy-assets/v12', 'rows of "energy-assets"'],
	['/api/billing/invoices/v2', 'rows of "billing/invoices"'],
])('%s is a list of %s', (path, plural) => {
	expect(explainInvalidPath(path)).toBeUndefined();
	expect(networkList(path)).toMatchObject({ path, plural, unknownShape: true });
});
