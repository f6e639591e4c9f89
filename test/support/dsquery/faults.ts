import { QueryError } from '../../../nodes/shared/dsquery/faults';

/** The faults that a reader reports, one line each; empty if it accepts. */
export function faultsOf(read: () => unknown): string[] {
	try {
		read();
	} catch (thrown) {
		if (!(thrown instanceof QueryError)) throw thrown;
		return thrown.faults.map(({ place, message }) => `${place}: ${message}`);
	}
	return [];
}
