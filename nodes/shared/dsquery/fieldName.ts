/** The name under which a row has a field, ignoring case. Undefined if it does not have it. */
export function fieldNameIn(row: object, name: string): string | undefined {
	if (Object.hasOwn(row, name)) return name;
	const wanted = name.toLowerCase();
	return Object.keys(row).find((other) => other.toLowerCase() === wanted);
}

/** The value of a field, whatever its case. Undefined if there is none. */
export function valueNamed(row: object, name: string): unknown {
	const found = fieldNameIn(row, name);
	return found === undefined ? undefined : Reflect.get(row, found);
}
