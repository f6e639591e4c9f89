import isEmpty from 'lodash/isEmpty';

import { isBlank } from '../text';
import { isNoteChoice, parseFieldChoice } from '../dsquery/fieldValue';
import type { Dropdown } from './dropdown';
import { made, orNone, type Declaration, type Own, type Parameter, type Refuse, type Source } from './parameter';
import { readTexts } from './simple';

/** A parameter whose entries are loaded from the platform. */
export interface FromDropdown extends Declaration {
	dropdown: Dropdown;
	/** The paths of what its entries depend on. */
	dependsOn?: readonly string[];
}

const EXPRESSION = '<a href="https://docs.n8n.io/code/expressions/">expression</a>';
export const NOTHING_CHOSEN = 'nothing is chosen. Choose at least one entry.';

/** What n8n says of every dropdown that loads its entries, after a description of its own, if it has one. */
export function chooseOne(description?: string): string {
	return choose('an ID', description);
}

/** The same for several entries. */
export function chooseSome(description?: string): string {
	return choose('IDs', description);
}

function choose(what: string, description: string | undefined): string {
	const advice = `Choose from the list, or specify ${what} using an ${EXPRESSION}`;
	return description === undefined ? advice : `${description}. ${advice}.`;
}

/** One entry. */
export function chosenOne<Value>(
	{ default: usual = '', ...declared }: FromDropdown & { default?: string },
	read: (value: unknown, name: string, source: Source) => Value,
): Parameter<Value, undefined> {
	const described = { ...declared, description: chooseOne(declared.description) };
	return loaded({ type: 'options', default: usual }, described, (value, _, source, name) => read(value, name, source));
}

/** Any number of entries. */
export function chosenSome<Value>(
	{ default: usual = [], ...declared }: FromDropdown & { default?: readonly string[] },
	read: (texts: string[], refuse: Refuse) => Value,
): Parameter<Value, undefined> {
	const described = { ...declared, description: chooseSome(declared.description) };
	return loaded({ type: 'multiOptions', default: [...usual] }, described, (value, refuse) =>
		read(readTexts(value, refuse), refuse),
	);
}

function loaded<Value>(
	own: Own,
	{ dropdown, dependsOn, ...declared }: FromDropdown,
	read: Parameters<typeof made<Value>>[2],
): Parameter<Value, undefined> {
	return { ...made(declared, { typeOptions: loadedBy(dropdown, dependsOn), ...own }, read), dropdowns: [dropdown] };
}

/** What a property says of the dropdown that loads its entries. */
export function loadedBy({ method, dependsOn }: Dropdown, more: readonly string[] = []) {
	const depends = [...(dependsOn === undefined ? [] : [dependsOn]), ...more];
	return { loadOptionsMethod: method, ...(depends.length > 0 && { loadOptionsDependsOn: depends }) };
}

/** The names of fields, each once; at least one. */
export function fields(declared: FromDropdown): Parameter<string[], undefined> {
	return chosenSome(declared, fieldNames);
}

/** The names of fields, each once, or none where none is chosen. An expression that comes out empty is refused. */
export function fieldsOrNone(declared: FromDropdown): Parameter<string[], undefined> {
	const some = fields(declared);
	return {
		...some,
		read(name, source) {
			const { value, isComputed } = source.given(name, []);
			return !isComputed && isEmpty(value) ? [] : some.read(name, source);
		},
	};
}

/** The name of one field. */
export function field(declared: FromDropdown): Parameter<string, undefined> {
	return chosenOne(declared, (value, name, source) => {
		const refuse: Refuse = (message) => source.refuse(name, message);
		const [first = '', ...more] = fieldNames(readTexts(value, refuse), refuse);
		if (more.length > 0) refuse('one field is needed here, but these are several.');
		return first;
	});
}

/** The name of one field, or none. */
export function fieldOrNone(declared: FromDropdown): Parameter<string | undefined, undefined> {
	return orNone(field(declared));
}

/** The type within `Name|type` is left out. */
function fieldNames(texts: readonly string[], refuse: Refuse): string[] {
	const names = texts.filter((each) => !isNoteChoice(each)).map((each) => parseFieldChoice(each).name);
	const chosen = [...new Set(names.filter((name) => !isBlank(name)))];
	if (chosen.length === 0) refuse(NOTHING_CHOSEN);
	return chosen;
}
