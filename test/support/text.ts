/** An Id as text, whether the platform sends numbers or text. */
export function idText(id: unknown): string {
	return typeof id === 'number' || typeof id === 'string' ? String(id) : '';
}

/** Everything a user or a log could see of a run, as text. */
export function visibleText(...parts: unknown[]): string {
	const seen = new WeakSet<object>();
	return JSON.stringify(parts, (_, value: unknown) => {
		if (typeof value !== 'object' || value === null) return value;
		if (seen.has(value)) return '(again)';
		seen.add(value);
		if (!(value instanceof Error) && !('stack' in value)) return value;
		// JSON leaves out an error's properties that are not enumerable.
		const all: Record<string, unknown> = {};
		for (const name of Object.getOwnPropertyNames(value)) all[name] = (value as Record<string, unknown>)[name];
		return all;
	});
}
