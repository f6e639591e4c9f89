import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import { QueryError } from '../../../../nodes/shared/dsquery/faults';
import { toNodeError } from '../../../../nodes/shared/operation/nodeError';
import { canceled, PlatformError } from '../../../../nodes/shared/platform/answers/errors';
import { NODE } from '../../../support/scriptedServer';

describe('the error a node throws', () => {
	it('keeps message and next step, names the item and tells n8n why', () => {
		const error = new PlatformError('rate-limited', 'EPERM, says the platform', {
			description: 'Wait.',
			status: 429,
			retryAfterMs: 9_000,
		});
		error.rowsRead = 300;
		const shown = toNodeError(NODE, error, 3);
		expect(shown).toBeInstanceOf(NodeApiError);
		expect(shown).toMatchObject({
			message: 'EPERM, says the platform',
			description: 'Wait. Rows read so far: 300.',
			httpCode: '429',
			failure: { cause: 'rate-limited', retryAfterMs: 9_000 },
		});
		expect(shown.context.itemIndex).toBe(3);
	});

	it.each([
		['unauthorized', 'credential-invalid'],
		['scope-missing', 'configuration-invalid'],
		['license-inactive', 'configuration-invalid'],
		['server-failure', 'temporarily-unavailable'],
		['network-failure', 'temporarily-unavailable'],
		['configuration', 'configuration-invalid'],
	] as const)('reports %s to n8n as %s', (kind, cause) => {
		expect(toNodeError(NODE, new PlatformError(kind, 'x')).failure).toEqual({ cause });
	});

	it('lists every fault of a query', () => {
		const error = new QueryError([
			{ place: 'Filters > Status', message: 'The value is empty' },
			{ place: '', message: 'Low is above high' },
		]);
		const shown = toNodeError(NODE, error, 0);
		expect(shown).toBeInstanceOf(NodeOperationError);
		expect(shown.message).toBe('Filters > Status: The value is empty');
		expect(shown.description).toMatch(/^2 places need a change\. The other: Low is above high Nothing was sent/);
	});

	it('contains the word canceled after a cancellation, which n8n looks for', () => {
		expect(toNodeError(NODE, canceled()).message).toContain('canceled');
	});

	it('passes n8n’s own errors on, with the item', () => {
		const own = new NodeOperationError(NODE, 'Could not get parameter');
		expect(toNodeError(NODE, own, 2)).toBe(own);
		expect(own.context.itemIndex).toBe(2);
	});

	it('calls anything else a fault of this package', () => {
		expect(toNodeError(NODE, new TypeError('x is not a function')).failure).toEqual({ cause: 'node-defect' });
	});
});
