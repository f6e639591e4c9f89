import type { FailureKind, PlatformError } from '../../shared/platform';

/** What messages of these kinds say, without the values and titles that they quote: reports are for public issues. */
const WITHOUT_QUOTES: Partial<Record<FailureKind, string>> = {
	'query-refused': 'The platform refuses this query',
	'not-found': 'There is nothing at its path',
	'not-the-platform': 'Something other than the platform answers',
};

/** What happened, as the beginning of a sentence. */
export function describeFailure({ kind, status, message }: PlatformError): string {
	const isNothing = kind === 'not-the-platform' && (status ?? 0) >= 400;
	const what = WITHOUT_QUOTES[isNothing ? 'not-found' : kind];
	if (what === undefined) return message;
	return status === undefined ? what : `${what} (status ${status})`;
}

/** What shows it: the status of the answer, or what came in place of one. */
export function failureEvidence({ kind, status }: PlatformError): string {
	return String(status ?? kind);
}
