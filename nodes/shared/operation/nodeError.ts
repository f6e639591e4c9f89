import { NodeApiError, NodeError, NodeOperationError, type Failure, type INode } from 'n8n-workflow';

import { InvalidParametersError } from '../dsquery/validationIssues';
import { PlatformError, type FailureKind } from '../platform';

/**
 * The error to throw from a node: a NodeOperationError for what the user can correct in the node or its credential, a
 * NodeApiError for the platform's refusals. It names the item, tells n8n why (`failure`, ignored by older n8n versions)
 * and does not contain the HTTP request.
 *
 * @param itemIndex the input item concerned; left out when it concerns the whole node
 */
export function toNodeError(node: INode, error: unknown, itemIndex?: number): NodeApiError | NodeOperationError {
	if (error instanceof PlatformError) return fromPlatformError(node, error, itemIndex);
	if (error instanceof InvalidParametersError) return fromPlatformError(node, fromQueryError(error), itemIndex);
	if (error instanceof NodeApiError || error instanceof NodeOperationError) {
		if (itemIndex !== undefined) error.context.itemIndex ??= itemIndex;
		return error;
	}
	const cause = error instanceof Error ? error : new Error(String(error));
	const wrapped = new NodeOperationError(node, cause, { itemIndex });
	// n8n's own errors about fields and parameters set their own cause; anything else is a bug in this package.
	if (!(cause instanceof NodeError) && wrapped.failure === undefined) wrapped.failure = { cause: 'node-defect' };
	return wrapped;
}

function fromPlatformError(node: INode, error: PlatformError, itemIndex?: number): NodeApiError | NodeOperationError {
	const description = describe(error);
	const failure = failureOf(error);
	if (error.kind === 'canceled' || error.kind === 'configuration') {
		return worded(new NodeOperationError(node, error.message, { description, itemIndex, failure }), error);
	}
	const { message, status } = error;
	const httpCode = status === undefined ? undefined : String(status);
	return worded(new NodeApiError(node, { message }, { message, description, httpCode, itemIndex, failure }), error);
}

/** n8n replaces a message that happens to contain the name of a network code by its own text. */
function worded<Wrapped extends NodeError>(wrapped: Wrapped, { message }: PlatformError): Wrapped {
	return Object.assign(wrapped, { message, messages: [] });
}

/** What is wrong with a query. */
function fromQueryError({ lines, count }: InvalidParametersError): PlatformError {
	const [message = 'The query cannot be used', ...others] = lines;
	const which = count === 2 ? 'The other' : 'The others';
	const all = count > 1 ? `${count} places need a change. ${which}: ${others.join(' • ')} ` : '';
	return new PlatformError('configuration', message, { description: `${all}Nothing was sent to the platform.` });
}

function describe(error: PlatformError): string {
	const rows = error.rowsRead;
	const read = !rows || error.kind === 'canceled' ? '' : `Rows read so far: ${rows}.`;
	// Without a description, n8n looks for one itself.
	return [error.description, read].filter(Boolean).join(' ') || error.message;
}

const CAUSES: Readonly<Partial<Record<FailureKind, Failure['cause']>>> = {
	'rate-limited': 'rate-limited',
	'server-failure': 'temporarily-unavailable',
	'network-failure': 'temporarily-unavailable',
	unauthorized: 'credential-invalid',
};

const PASSING: ReadonlySet<Failure['cause']> = new Set(['rate-limited', 'temporarily-unavailable']);

function failureOf({ kind, retryAfterMs }: PlatformError): Failure | undefined {
	if (kind === 'canceled') return undefined;
	const cause = CAUSES[kind] ?? 'configuration-invalid';
	return { cause, ...(PASSING.has(cause) && retryAfterMs !== undefined && { retryAfterMs }) } as Failure;
}
