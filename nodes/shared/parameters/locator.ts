import type { Refuse } from '../dsquery/validationIssues';
import { LONGEST_ID } from '../dsquery/listSchema';
import { mayHaveThousands, noIdMessage } from '../dsquery/values/wholeNumber';
import { isBlank, quote } from '../text';
import type { Dropdown } from './dropdown';
import { createParameter, type ParameterDeclaration, type Parameter } from './parameter';

/** How a row is chosen: from a list that is searched, or as it is typed. */
interface Locator extends ParameterDeclaration {
	search: Dropdown;
	/** "Select a station..." */
	select: string;
	typed: { label: string; name: string; placeholder: string };
}

/**
 * The identifier of a row that is chosen from a list, or typed. Accepts numbers and text: the specification shows
 * integers for sessions and only "identifier" for stations.
 */
export function locator({ search, select, typed, ...declared }: Locator): Parameter<string, undefined> {
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
	const own = { type: 'resourceLocator' as const, default: { mode: 'list', value: '' }, modes };
	return { ...createParameter({ required: true, ...declared }, own, readIdentifier), dropdowns: [search] };
}

function readIdentifier(value: unknown, refuse: Refuse): string {
	const fault = faultOf(value);
	if (fault !== undefined) refuse(fault);
	return String(value).trim();
}

function faultOf(value: unknown): string | undefined {
	if (isBlank(value)) return 'nothing is filled in. Enter an ID.';
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
	return mayHaveThousands(value) ? noIdMessage(value) : undefined;
}
