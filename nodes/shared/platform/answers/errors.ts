import { NodeApiError, NodeError, NodeOperationError } from 'n8n-workflow';
import type { Failure, INode } from 'n8n-workflow';

import { QueryError } from '../../dsquery/types';
import type { FailureKind } from '../types';

export interface PlatformErrorDetails {
	/** What the user should do next. */
	description?: string;
	/** HTTP status of the refusal, when there was an answer. */
	status?: number;
	/** The scope that the key lacks: "charging-sessions:read". */
	scope?: string;
	/** The field that the platform does not know. */
	property?: string;
	/** How long to wait before asking again, in milliseconds from now. */
	retryAfterMs?: number;
	/** Time before which asking again is pointless, in milliseconds since 1970. */
	retryAt?: number;
	/** Whether the same request may succeed later. Follows from the kind when left out. */
	transient?: boolean;
}

const TRANSIENT_KINDS: ReadonlySet<FailureKind> = new Set(['rate-limited', 'server-fault', 'network-fault']);

/**
 * Why the platform could not give what was asked for. `message` says what happened, `description` what to do next; both
 * are for users and contain neither secrets nor the HTTP request.
 */
export class PlatformError extends Error {
	readonly kind: FailureKind;
	readonly description: string;
	readonly status?: number;
	readonly scope?: string;
	readonly property?: string;
	readonly retryAfterMs?: number;
	readonly retryAt?: number;
	readonly transient: boolean;
	/** Rows received before the failure. Set by the caller that counts them. */
	rowsRead?: number;

	constructor(kind: FailureKind, message: string, details: PlatformErrorDetails = {}) {
		super(message);
		this.name = 'PlatformError';
		this.kind = kind;
		this.description = details.description ?? '';
		this.status = details.status;
		this.scope = details.scope;
		this.property = details.property;
		this.retryAfterMs = details.retryAfterMs;
		this.retryAt = details.retryAt;
		this.transient = details.transient ?? TRANSIENT_KINDS.has(kind);
	}
}

/** n8n ends an execution with status "canceled" only when the message contains this very word. */
const CANCELED = 'The execution was canceled';

/** The execution was stopped or ran into its time limit, so no request was sent or no answer awaited. */
export function canceled(): PlatformError {
	return new PlatformError('canceled', CANCELED);
}

/** True for the one error that Continue On Fail must not turn into an item: the user stopped the execution. */
export function isCanceled(error: unknown): boolean {
	return error instanceof PlatformError && error.kind === 'canceled';
}

/**
 * The error to throw from a node: a NodeOperationError for what the user can correct in the node or its credential, a
 * NodeApiError for the platform's refusals. It names the item, tells n8n why (`failure`, ignored by older n8n versions)
 * and does not contain the HTTP request.
 *
 * @param itemIndex the input item concerned; left out when it concerns the whole node
 */
export function toNodeError(node: INode, error: unknown, itemIndex?: number): NodeApiError | NodeOperationError {
	if (error instanceof PlatformError) return fromPlatformError(node, error, itemIndex);
	if (error instanceof QueryError) return fromPlatformError(node, fromQueryError(error), itemIndex);
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
		const wrapped = new NodeOperationError(node, error.message, { description, itemIndex, failure });
		wrapped.message = error.message;
		wrapped.messages = [];
		return wrapped;
	}
	const { message, status } = error;
	const httpCode = status === undefined ? undefined : String(status);
	const wrapped = new NodeApiError(node, { message }, { message, description, httpCode, itemIndex, failure });
	// n8n replaces a message that happens to contain the name of a network code by its own text.
	wrapped.message = error.message;
	wrapped.messages = [];
	return wrapped;
}

/** What is wrong with a query. */
function fromQueryError({ lines, count }: QueryError): PlatformError {
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
	'server-fault': 'temporarily-unavailable',
	'network-fault': 'temporarily-unavailable',
	unauthorized: 'credential-invalid',
};

function failureOf({ kind, retryAfterMs }: PlatformError): Failure | undefined {
	if (kind === 'canceled') return undefined;
	const cause = CAUSES[kind] ?? 'configuration-invalid';
	return { cause, ...(TRANSIENT_KINDS.has(kind) && retryAfterMs !== undefined && { retryAfterMs }) } as Failure;
}
