import type { Refuse } from '../dsquery/validationIssues';
import { isEmptyValue } from '../dsquery/values/values';
import { isBlank } from '../text';
import { isNoteChoice, parseFieldChoice } from '../dsquery/fieldChoice';
import type { Dropdown } from './dropdown';
import {
	createParameter,
	optional,
	type ParameterDeclaration,
	type PropertyShape,
	type Parameter,
	type ParameterSource,
} from './parameter';
import { readTextList } from './simple';

/** A parameter whose entries are loaded from the platform. */
export interface DropdownDeclaration extends ParameterDeclaration {
	dropdown: Dropdown;
	/** The paths of what its entries depend on, besides that of `dropdown` itself. */
	dependsOn?: readonly string[];
}

const EXPRESSION = '<a href="https://docs.n8n.io/code/expressions/">expression</a>';
export const NOTHING_CHOSEN = 'nothing is chosen. Choose at least one entry.';

/** What n8n says of every dropdown that loads its entries, after a description of its own, if it has one. */
export function dropdownDescription(description?: string): string {
	return choose('an ID', description);
}

/** What n8n says of a dropdown for several entries, after a description of its own, if it has one. */
export function multiDropdownDescription(description?: string): string {
	return choose('IDs', description);
}

function choose(what: string, description: string | undefined): string {
	const advice = `Choose from the list, or specify ${what} using an ${EXPRESSION}`;
	return description === undefined ? advice : `${description}. ${advice}.`;
}

/** A dropdown for one entry. */
export function dropdownParameter<Value>(
	{ default: usual = '', ...declared }: DropdownDeclaration & { default?: string },
	read: (value: unknown, name: string, source: ParameterSource) => Value,
): Parameter<Value, undefined> {
	const described = { ...declared, description: dropdownDescription(declared.description) };
	return loaded({ type: 'options', default: usual }, described, (value, _, source, name) => read(value, name, source));
}

/** A dropdown for any number of entries. */
export function multiDropdownParameter<Value>(
	{ default: usual = [], ...declared }: DropdownDeclaration & { default?: readonly string[] },
	read: (texts: string[], refuse: Refuse) => Value,
): Parameter<Value, undefined> {
	const described = { ...declared, description: multiDropdownDescription(declared.description) };
	return loaded({ type: 'multiOptions', default: [...usual] }, described, (value, refuse) =>
		read(readTextList(value, refuse), refuse),
	);
}

function loaded<Value>(
	own: PropertyShape,
	{ dropdown, dependsOn, ...declared }: DropdownDeclaration,
	read: Parameters<typeof createParameter<Value>>[2],
): Parameter<Value, undefined> {
	return {
		...createParameter(declared, { typeOptions: loadOptionsProperties(dropdown, dependsOn), ...own }, read),
		dropdowns: [dropdown],
	};
}

/** What a property says of the dropdown that loads its entries. */
export function loadOptionsProperties({ method, dependsOn }: Dropdown, more: readonly string[] = []) {
	const depends = [...(dependsOn === undefined ? [] : [dependsOn]), ...more];
	return { loadOptionsMethod: method, ...(depends.length > 0 && { loadOptionsDependsOn: depends }) };
}

/** The names of fields, each once; at least one. */
export function fieldNamesParameter(declared: DropdownDeclaration): Parameter<string[], undefined> {
	return multiDropdownParameter(declared, fieldNames);
}

/** The names of fields, each once, or none where none is chosen. An expression that comes out empty is refused. */
export function optionalFieldNamesParameter(declared: DropdownDeclaration): Parameter<string[], undefined> {
	const some = fieldNamesParameter(declared);
	return {
		...some,
		read(name, source) {
			const { value, isFromExpression } = source.given(name, []);
			return !isFromExpression && isEmptyValue(value) ? [] : some.read(name, source);
		},
	};
}

/** The name of one field. */
export function fieldNameParameter(declared: DropdownDeclaration): Parameter<string, undefined> {
	return dropdownParameter(declared, (value, name, source) => {
		const refuse: Refuse = (message) => source.refuse(name, message);
		const [first = '', ...more] = fieldNames(readTextList(value, refuse), refuse);
		if (more.length > 0) refuse('one field is needed here, but these are several.');
		return first;
	});
}

/** The name of one field, or none. */
export function optionalFieldNameParameter(declared: DropdownDeclaration): Parameter<string | undefined, undefined> {
	return optional(fieldNameParameter(declared));
}

/** The names of `Name|type` choices, each once. Refuses an empty list. */
function fieldNames(texts: readonly string[], refuse: Refuse): string[] {
	const names = texts.filter((each) => !isNoteChoice(each)).map((each) => parseFieldChoice(each).name);
	const chosen = [...new Set(names.filter((name) => !isBlank(name)))];
	if (chosen.length === 0) refuse(NOTHING_CHOSEN);
	return chosen;
}
