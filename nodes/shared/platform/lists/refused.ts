import { PlatformError } from '../answers/errors';

// What a refusal means for a reading that can go on in another way.

/** The platform's Ids turned out not to be integers in order, so the list cannot be walked by Id. */
export class IdOrderLost extends Error {
	constructor() {
		super('The Ids of this list are not integers in order');
		this.name = 'IdOrderLost';
	}
}

/** Whether the platform refused this one query. Another query may be answered. */
export function isQueryRefused(error: unknown): boolean {
	return error instanceof PlatformError && (error.kind === 'query-refused' || error.kind === 'too-large');
}

/** What the platform answers; undefined where it refuses this one query. */
export async function unlessRefused<Answer>(asked: Promise<Answer>): Promise<Answer | undefined> {
	return await asked.catch((error: unknown) => {
		if (!isQueryRefused(error)) throw error;
		return undefined;
	});
}
