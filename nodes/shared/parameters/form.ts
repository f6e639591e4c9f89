import type { INodeProperties, INodePropertyCollection } from 'n8n-workflow';

import type { Faults } from '../dsquery/faults';
import type { FormEntries } from '../dsquery/types';
import { isRecord, kindOf, listed, quote } from '../text';

/**
 * The properties of a form (a fixedCollection with several entries). n8n drops what a form does not know before a node
 * runs: a filter that an import or an AI model wrote in another shape would ask for all rows. It keeps all that is
 * stored if a hidden parameter behind the form has the same name. That one is there only while no entry is of a known
 * kind: n8n would not fill in the defaults of these, and the editor would show them empty. n8n 1 takes a name with a
 * point for a parameter that it has not read yet, unless it begins at the root.
 */
export function formProperties(form: INodeProperties): INodeProperties[] {
	const { displayName, name, options = [] } = form;
	const hide = Object.fromEntries(
		options.map((kind) => [`/${name}.${kind.name}`, [{ _cnd: { exists: true as const } }]]),
	);
	return [form, { displayName, name, type: 'hidden', default: {}, displayOptions: { hide } }];
}

/** What is stored in a form, with the defaults that n8n does not store. Adds a fault for what the form does not know. */
export function readForm(
	form: INodeProperties,
	stored: unknown,
	faults: Faults,
	place = form.displayName,
): FormEntries {
	if (!isRecord(stored)) {
		faults.add(place, `an object is needed here, but this is ${kindOf(stored)}.`);
		return {};
	}
	const kinds = (form.options ?? []).filter((option): option is INodePropertyCollection => 'values' in option);
	const read: Record<string, Array<Record<string, unknown>>> = {};
	for (const [name, entries] of Object.entries(stored)) {
		const kind = kinds.find((each) => each.name === name);
		if (kind) read[name] = entriesOf(kind, entries, faults, place);
		else faults.add(place, unknownPart(name, kinds));
	}
	return read;
}

function entriesOf(kind: INodePropertyCollection, stored: unknown, faults: Faults, place: string) {
	const label = `${place} > ${kind.displayName.split(' (')[0]}`;
	if (!Array.isArray(stored)) {
		faults.add(label, `a list is needed here, but this is ${kindOf(stored)}.`);
		return [];
	}
	return stored.flatMap((entry: unknown, index) => {
		const at = `${label} ${index + 1}`;
		if (isRecord(entry)) return [entryOf(kind, entry, faults, at)];
		faults.add(at, `an object is needed here, but this is ${kindOf(entry)}.`);
		return [];
	});
}

function entryOf({ values }: INodePropertyCollection, entry: Record<string, unknown>, faults: Faults, place: string) {
	const read: Record<string, unknown> = {};
	for (const name of Object.keys(entry)) {
		if (!values.some((part) => part.name === name)) faults.add(place, unknownPart(name, values));
	}
	for (const part of values) {
		// An expression that came out empty is there, and must not become the default.
		const value = Object.hasOwn(entry, part.name) ? entry[part.name] : part.default;
		const isForm = part.type === 'fixedCollection';
		read[part.name] = isForm ? readForm(part, value, faults, `${place} > ${part.displayName}`) : value;
	}
	return read;
}

function unknownPart(name: string, parts: ReadonlyArray<{ name: string }>): string {
	const names = listed([...new Set(parts.map((part) => part.name))]);
	return `${quote(name)} is not a part of this form, which has ${names}. The form does not show it: correct the workflow as text (its JSON), or take a new node and fill in its form.`;
}
