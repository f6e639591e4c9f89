/**
 * The state as n8n stores it: a few top-level entries, each written anew as a whole when it changes, because n8n does not
 * notice a write inside one. The two large ones are flat maps or one text: n8n wraps every nested object it loads.
 */
export interface StoredState {
	[name: string]: unknown;
}

/** Whether the node has run before: what follows then must not be told as a first activation. */
export function hasState(stored: StoredState): boolean {
	return typeof stored.version === 'number';
}

/** Writes one entry where it differs; undefined takes it away. */
export function putInto(stored: StoredState): (name: string, value: unknown) => void {
	return (name, value) => {
		if (value === undefined) {
			if (name in stored) delete stored[name];
		} else if (stored[name] !== value) {
			stored[name] = value;
		}
	};
}

export function numberOf(value: unknown): number | undefined {
	return typeof value === 'number' ? value : undefined;
}

/** How far a list was read: an Id, or its start. */
export function positionOf(value: unknown): number | undefined {
	return value === 'start' ? Number.NEGATIVE_INFINITY : numberOf(value);
}

export function writePosition(position: number | undefined): number | string | undefined {
	return position === Number.NEGATIVE_INFINITY ? 'start' : position;
}
