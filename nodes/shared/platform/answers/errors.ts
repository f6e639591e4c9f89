import type { FailureKind } from '../types';

interface PlatformErrorDetails {
	/** What the user should do next. */
	description?: string;
	/** The same without what the platform said: names and values may be in its words. */
	advice?: string;
	/** Whether a web page came: a gateway or a proxy answered in place of the platform. */
	isWebPage?: boolean;
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

const TRANSIENT_KINDS: ReadonlySet<FailureKind> = new Set(['rate-limited', 'server-failure', 'network-failure']);

/**
 * Why the platform could not give what was asked for. `message` says what happened, `description` what to do next; both
 * are for users and contain neither secrets nor the HTTP request.
 */
export class PlatformError extends Error {
	readonly kind: FailureKind;
	readonly description: string;
	readonly advice: string;
	readonly isWebPage: boolean;
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
		this.advice = details.advice ?? this.description;
		this.isWebPage = details.isWebPage ?? false;
		this.status = details.status;
		this.scope = details.scope;
		this.property = details.property;
		this.retryAfterMs = details.retryAfterMs;
		this.retryAt = details.retryAt;
		this.transient = details.transient ?? TRANSIENT_KINDS.has(kind);
	}
}

/** Whether the platform refuses all requests for now: they wait until it may be asked again. */
export function asksToWait({ kind, retryAfterMs }: PlatformError): boolean {
	return kind === 'rate-limited' || (kind === 'server-failure' && retryAfterMs !== undefined);
}

/** The same error for a further request. A copy, because callers set `rowsRead` on it. */
export function copyError(error: PlatformError): PlatformError {
	return new PlatformError(error.kind, error.message, error);
}

/** n8n ends an execution with status "canceled" only when the message contains this very word. */
const CANCELED = 'The execution was canceled';

/** The execution was stopped or ran into its time limit, so no request was sent or no answer awaited. */
export function canceledError(): PlatformError {
	return new PlatformError('canceled', CANCELED);
}

/** True for the one error that Continue On Fail must not turn into an item: the user stopped the execution. */
export function isCanceled(error: unknown): boolean {
	return error instanceof PlatformError && error.kind === 'canceled';
}
