import { LONGEST_ID } from '../dsquery/catalogue';
import { isBlank, quote } from '../text';
import type { Dropdown } from './dropdown';
import { property, type Declaration, type Parameter, type Source } from './parameter';

/**
 * The identifier of one session or station. Accepts numbers and text: the specification shows integers for sessions and
 * only "identifier" for stations.
 */
export function identifier(declared: Declaration): Parameter<string, undefined> {
	return {
		properties: (name) => [property(name, { required: true, ...declared }, { type: 'string', default: '' })],
		read: (name, source) => readIdentifier(source.value(name, ''), name, source),
	};
}

/** How a row is chosen: from a list that is searched, or as it is typed. */
interface Locator extends Declaration {
	search: Dropdown;
	/** "Select a station..." */
	select: string;
	typed: { label: string; name: string; placeholder: string };
}

/** Something of the platform, chosen from a list or typed. */
export function locator<Value>(
	{ search, select, typed, ...declared }: Locator,
	read: (value: unknown, name: string, source: Source) => Value,
): Parameter<Value, undefined> {
	const usual = { mode: 'list', value: '' };
	const modes = [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list' as const,
			placeholder: select,
			typeOptions: { searchListMethod: search.method, searchable: true },
		},
		{ displayName: typed.label, name: typed.name, type: 'string' as const, placeholder: typed.placeholder },
	];
	return {
		dropdowns: [search],
		properties: (name) => [
			property(name, { required: true, ...declared }, { type: 'resourceLocator', default: usual, modes }),
		],
		read: (name, source) => read(source.value(name, usual, { extractValue: true }), name, source),
	};
}

/** An ID as text. Adds a fault if it cannot be used. */
export function readIdentifier(value: unknown, name: string, source: Source): string {
	const fault = faultOf(value);
	if (fault !== undefined) source.refuse(name, fault);
	return String(value).trim();
}

function faultOf(value: unknown): string | undefined {
	if (isBlank(value)) return 'nothing is filled in. Enter an ID; if this is an expression, it came out empty.';
	if (typeof value === 'number' && !Number.isSafeInteger(value)) {
		return `${value} is not a whole number up to 9007199254740991, so it may not be the ID that was meant.`;
	}
	if (typeof value !== 'string' && typeof value !== 'number') {
		return 'an ID is text or a number, but this is something else. Pick the Id property of one row.';
	}
	if (typeof value === 'string' && value.length > LONGEST_ID) return `${quote(value)} is too long for an ID.`;
	// In the path of a URL these point elsewhere, however they are encoded.
	if (typeof value === 'string' && ['.', '..'].includes(value.trim())) {
		return `${quote(value)} cannot be an ID. Use the Id of a row that Get Many returns.`;
	}
	return undefined;
}
