/** Ids that came as integers that a number cannot hold exactly, and the objects they came in. They are read as texts. */
const large = new WeakMap<object, string>();

export function noteLargeId(row: object, id: string): void {
	large.set(row, id);
}

/** A copy has the same Id. */
export function copyLargeId(from: object, to: object): void {
	const id = large.get(from);
	if (id !== undefined) noteLargeId(to, id);
}

/** The Id of a row if it came as an integer that a number cannot hold exactly. Undefined for one that came as text. */
export function largeId(row: { Id?: unknown }): string | undefined {
	const { Id: id } = row;
	// Where a host has already parsed the answer, it is rounded.
	if (typeof id === 'number') return Number.isInteger(id) && !Number.isSafeInteger(id) ? String(id) : undefined;
	return typeof id === 'string' && id === large.get(row) ? id : undefined;
}
