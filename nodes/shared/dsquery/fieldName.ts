import { isRecord } from '../text';

/** The name under which a row has a field, ignoring case. Undefined if it does not have it. */
export function findFieldName(row: object, name: string): string | undefined {
	if (Object.hasOwn(row, name)) return name;
	const wanted = name.toLowerCase();
	return Object.keys(row).find((other) => other.toLowerCase() === wanted);
}

/** The value of a field, whatever its case. Undefined if there is none. */
export function findFieldValue(row: object, name: string): unknown {
	return findFieldByPath(row, name)?.value;
}

/** What a row has at a path. */
interface FieldMatch {
	value: unknown;
	/** The path as the row spells it. Undefined where an object on the way is null, so that the row does not tell. */
	name?: string;
}

/**
 * A field of a row, whatever its case: a field of that very name or, for `Cost.InclVat`, the field inside an object.
 * Undefined if the row has neither.
 */
export function findFieldByPath(row: object, path: string): FieldMatch | undefined {
	const name = findFieldName(row, path);
	if (name !== undefined) return { name, value: Reflect.get(row, name) };
	const dot = path.indexOf('.');
	const outer = dot < 0 ? undefined : findFieldName(row, path.slice(0, dot));
	if (outer === undefined) return undefined;
	const object: unknown = Reflect.get(row, outer);
	if (object === null) return { value: null };
	const inner = isRecord(object) ? findFieldByPath(object, path.slice(dot + 1)) : undefined;
	return inner && { ...inner, name: inner.name === undefined ? undefined : `${outer}.${inner.name}` };
}

/** Reads fields of many rows, and learns how they are spelled: the first row that tells decides for all. */
export class FieldReader {
	private readonly names = new Map<string, string | undefined>();

	/** A field of a row. Undefined if the row does not have it. */
	read(row: object, path: string): FieldMatch | undefined {
		const known = this.names.get(path);
		const found = findFieldByPath(row, known ?? path);
		if (found && known === undefined) this.names.set(path, found.name);
		return found;
	}

	/** Whether a row that was read has the field. */
	hasSeen(path: string): boolean {
		return this.names.has(path);
	}

	/** The field as the rows spell it. Undefined as long as none has told. */
	nameOf(path: string): string | undefined {
		return this.names.get(path);
	}
}
