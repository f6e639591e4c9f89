import { isRecord } from '../text';

/** The name under which a row has a field, ignoring case. Undefined if it does not have it. */
export function fieldNameIn(row: object, name: string): string | undefined {
	if (Object.hasOwn(row, name)) return name;
	const wanted = name.toLowerCase();
	return Object.keys(row).find((other) => other.toLowerCase() === wanted);
}

/** The value of a field, whatever its case. Undefined if there is none. */
export function valueNamed(row: object, name: string): unknown {
	return fieldAt(row, name)?.value;
}

/**
 * A field as the row spells it, whatever its case, and its value: a field of that very name or, for `Cost.InclVat`, the
 * field inside an object. Undefined if the row has neither.
 */
export function fieldAt(row: object, path: string): { name: string; value: unknown } | undefined {
	const name = fieldNameIn(row, path);
	if (name !== undefined) return { name, value: Reflect.get(row, name) };
	const dot = path.indexOf('.');
	const outer = dot < 0 ? undefined : fieldNameIn(row, path.slice(0, dot));
	if (outer === undefined) return undefined;
	const object: unknown = Reflect.get(row, outer);
	if (object === null) return { name: path, value: null };
	const inner = isRecord(object) ? fieldAt(object, path.slice(dot + 1)) : undefined;
	return inner && { name: `${outer}.${inner.name}`, value: inner.value };
}
