import { isExpression } from 'n8n-workflow';
import type { INodeProperties, INodePropertyCollection } from 'n8n-workflow';

import type { ValidationIssues } from '../dsquery/validationIssues';
import type { ExpressionResult, FormEntries, FixedCollectionEntry } from '../dsquery/types';
import { CAME_OUT_EMPTY, type ExpressionEvaluator } from '../dsquery/values/unusableText';
import { isEmptyValue } from '../dsquery/values/values';
import { isRecord, kindOf, joinWithAnd, quote } from '../text';
import { inspectExpressions } from './expressions';

/**
 * The properties of a form (a fixedCollection with several entries), and a hidden one of the same name.
 *
 * Before a node runs, n8n drops what a form does not know: a filter that an import or an AI model wrote in another shape
 * would ask for all rows. With a hidden parameter of the same name behind the form, n8n keeps all that is stored. It is
 * there only while the form has no entry of a known kind: beside such entries, n8n would not fill in their defaults, and the
 * editor would show them empty. The condition for that begins with a slash, as n8n 1 takes any other name with a point for
 * a parameter that it has not read yet; and it asks for entry 0, as a list that is stored in place of the form has a method
 * `values`, which would count as a kind of that name.
 */
export function fixedCollectionProperties(form: INodeProperties): INodeProperties[] {
	const { displayName, name, options = [] } = form;
	const hide = Object.fromEntries(
		options.map((kind) => [`/${name}.${kind.name}.0`, [{ _cnd: { exists: true as const } }]]),
	);
	return [form, { displayName, name, type: 'hidden', default: {}, displayOptions: { hide } }];
}

/** A form as it is stored, and with its expressions resolved. */
export interface StoredFixedCollection {
	readonly stored: unknown;
	readonly value: unknown;
	readonly evaluate: ExpressionEvaluator;
}

/** What is stored in a form, with the defaults that n8n does not store. Adds a fault for what the form does not know. */
export function readFixedCollection(
	form: INodeProperties,
	given: StoredFixedCollection,
	issues: ValidationIssues,
	place = form.displayName,
): FormEntries {
	if (!isRecord(given.value)) {
		issues.add(place, `an object is needed here, but this is ${kindOf(given.value)}.`);
		return {};
	}
	if (isExpression(given.stored) && Object.values(given.value).every(isEmptyValue)) {
		issues.add(place, CAME_OUT_EMPTY);
		return {};
	}
	const kinds = (form.options ?? []).filter((option): option is INodePropertyCollection => 'values' in option);
	const read: Record<string, FixedCollectionEntry[]> = {};
	for (const name of Object.keys(given.value)) {
		const kind = kinds.find((each) => each.name === name);
		if (kind) read[name] = entriesOf(kind, within(given, name), issues, place);
		else issues.add(place, unknownPart(name, kinds));
	}
	return read;
}

/** A part of a form. If the form itself is an expression, so is every part of it. */
function within({ stored, value, evaluate }: StoredFixedCollection, name: string | number): StoredFixedCollection {
	const at = (whole: unknown): unknown => Reflect.get(Object(whole) as object, name);
	return { stored: isExpression(stored) ? stored : at(stored), value: at(value), evaluate };
}

function entriesOf(
	kind: INodePropertyCollection,
	given: StoredFixedCollection,
	issues: ValidationIssues,
	place: string,
): FixedCollectionEntry[] {
	const label = `${place} > ${kind.displayName.split(' (')[0]}`;
	if (!Array.isArray(given.value)) {
		issues.add(label, `a list is needed here, but this is ${kindOf(given.value)}.`);
		return [];
	}
	return given.value.flatMap((entry: unknown, index) => {
		const at = `${label} ${index + 1}`;
		if (isRecord(entry)) return [entryOf(kind, within(given, index), issues, at)];
		issues.add(at, `an object is needed here, but this is ${kindOf(entry)}.`);
		return [];
	});
}

function entryOf(
	{ values: parts }: INodePropertyCollection,
	given: StoredFixedCollection,
	issues: ValidationIssues,
	place: string,
) {
	const entry = given.value as Readonly<Record<string, unknown>>;
	for (const name of Object.keys(entry)) {
		if (!parts.some((part) => part.name === name)) issues.add(place, unknownPart(name, parts));
	}
	const values: Record<string, unknown> = {};
	const expressions = new Map<string, ExpressionResult>();
	for (const part of parts) {
		// An expression that came out empty is there, and must not become the default.
		const isStored = Object.hasOwn(entry, part.name);
		const own = isStored ? within(given, part.name) : { ...given, stored: undefined, value: part.default };
		const isForm = part.type === 'fixedCollection';
		values[part.name] = isForm ? readFixedCollection(part, own, issues, `${place} > ${part.displayName}`) : own.value;
		// JSON is text in which `null` is no mistake: its values are checked one by one where it is read.
		const made = isForm
			? undefined
			: inspectExpressions(own.stored, part.type === 'json' ? '' : own.value, own.evaluate);
		if (made) expressions.set(part.name, made);
	}
	return { values, expressions };
}

function unknownPart(name: string, parts: ReadonlyArray<{ name: string }>): string {
	const names = joinWithAnd([...new Set(parts.map((part) => part.name))]);
	return `${quote(name)} is not a part of this form, which has ${names}. The form does not show it: correct the workflow as text (its JSON), or take a new node and fill in its form.`;
}
