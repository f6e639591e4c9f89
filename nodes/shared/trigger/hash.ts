import { createHash } from 'crypto';

/** A short hash of anything that can be written as JSON. See `canonicalizeValue`. */
export function shortHash(value: unknown): string {
	return createHash('sha256')
		.update(JSON.stringify(canonicalizeValue(value)))
		.digest('hex')
		.slice(0, 24);
}

/** The value with the properties of objects in the order of their names, and without those that are null: as if left out. */
export function canonicalizeValue(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(canonicalizeValue);
	if (typeof value !== 'object' || value === null) return value;
	return Object.fromEntries(
		Object.entries(value)
			.filter(([, entry]) => entry !== null)
			.sort(([a], [b]) => (a < b ? -1 : 1))
			.map(([name, entry]) => [name, canonicalizeValue(entry)]),
	);
}
