import { createHash } from 'crypto';

/** A short hash of anything that can be written as JSON. Property order does not matter. */
export function shortHash(value: unknown): string {
	return createHash('sha256')
		.update(JSON.stringify(sorted(value)))
		.digest('hex')
		.slice(0, 24);
}

/** The same, with the properties of objects in the order of their names. */
export function sorted(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(sorted);
	if (typeof value !== 'object' || value === null) return value;
	return Object.fromEntries(
		Object.entries(value)
			.sort(([a], [b]) => (a < b ? -1 : 1))
			.map(([name, entry]) => [name, sorted(entry)]),
	);
}

/**
 * The fingerprint of a configuration, in two parts.
 *
 * @param watched what is watched, and of which platform: event, base URL and environment
 * @param settings everything else that gives the state its meaning
 */
export function configOf(watched: unknown, settings: unknown): string {
	return `${shortHash(watched)}.${shortHash(settings)}`;
}

/** Whether two fingerprints watch the same thing of the same platform. */
export function watchesTheSame(config: string | undefined, other: string): boolean {
	return config?.split('.')[0] === other.split('.')[0];
}
