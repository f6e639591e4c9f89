import type { Refuse } from './validationIssues';
import { quote } from '../text';
import type { ListSchema, KnownCode, KnownField } from './types';

/** Far longer than any name in the specification; limits the work on invalid input. */
export const LONGEST_NAME = 200;
/** Longer texts are no Ids: they are refused, or not remembered. */
export const LONGEST_ID = 500;

/** The field with that name, ignoring case, or undefined if the specification does not show it. */
export function findKnownField(schema: ListSchema, name: string): KnownField | undefined {
	if (name.length > LONGEST_NAME) return undefined;
	const wanted = name.trim().toLowerCase();
	return schema.fields.find((field) => field.name.toLowerCase() === wanted);
}

/** A field name as the platform spells it: a known field as in the specification, any other as typed. */
export function canonicalFieldName(schema: ListSchema, name: string): string {
	return findKnownField(schema, name)?.name ?? name.trim();
}

/** What the form and its messages call a field that is not in the catalogue. */
export function otherFieldLabel({ fields }: ListSchema): string {
	return fields.length > 0 ? 'Any Other Field' : 'Field';
}

/** The name of a code: its label if the specification states one, otherwise "Code 2". A meaning is never guessed. */
export function codeLabel(codes: readonly KnownCode[] | undefined, code: number): string {
	return codes?.find((known) => known.code === code)?.label ?? `Code ${code}`;
}

/** The code of a status that came as an object, such as `{"Id": 4, "Name": "Finished"}`; any other value as it is. */
export function unwrapStatus(status: unknown): unknown {
	if (typeof status !== 'object' || status === null || Array.isArray(status)) return status;
	const entries = Object.entries(status);
	const codes = CODE_NAMES.flatMap((wanted) => entries.filter(([name]) => name.toLowerCase() === wanted));
	return codes[0]?.[1] as unknown;
}

const CODE_NAMES = ['id', 'code', 'value'];

/** A status: a numeric code, any other text as sent, or null if the row has none. */
export type StatusValue = number | string | null;

/** Whether two statuses are the same. Names are compared without case. */
export function isSameStatus(one: StatusValue, other: StatusValue): boolean {
	if (typeof one !== 'string' || typeof other !== 'string') return one === other;
	return one.toLowerCase() === other.toLowerCase();
}

/** A status in a form to compare: a code as text, or in an object with its name, becomes the number. */
export function comparableStatus(shown: unknown): StatusValue {
	const status = unwrapStatus(shown);
	if (typeof status === 'string') return /^-?\d{1,15}$/.test(status) ? Number(status) : status;
	if (typeof status === 'number') return status;
	return typeof status === 'boolean' ? String(status) : null;
}

/**
 * A status in a form to count: as `comparableStatus`, and the name of a code, or `Code 5` as dropdowns write it,
 * becomes the number, too.
 */
export function resolveStatusCode(codes: readonly KnownCode[] | undefined, shown: unknown): number | string | null {
	const status = comparableStatus(shown);
	if (typeof status !== 'string') return status;
	const name = status.trim();
	const [, code = name] = /^code (-?\d+)$/i.exec(name) ?? [];
	return codes?.find(({ label }) => label?.toLowerCase() === name.toLowerCase())?.code ?? comparableStatus(code);
}

/** A number in another form than a code: `1.000`, `+5`, and `003`, which a list makes of `1,003`. */
const NO_CODE = /^(?:[+-]?0\d|\+\d|-?\d+[.,])[\d.,]*$/;

/**
 * Refuses what would be another status than what is meant, or its name: `5;6`, `1.000`, `1,003`, `Status=5`.
 *
 * @param codes where the status is a number: those with a name. Any other name is refused. Left out where it may be a word
 */
export function refuseInvalidStatuses(entered: readonly string[], refuse: Refuse, codes?: readonly KnownCode[]): void {
	for (const text of entered) {
		const what = `${quote(text)} is no status`;
		if (/^-?\d+([;\s]+-?\d+)+$/.test(text.trim())) refuse(`${what}: put a comma between two codes, such as 4, 6.`);
		else if (text.includes('=') || NO_CODE.test(text.trim()))
			refuse(`${what}: enter its code or name alone, such as 4.`);
		else if (codes && typeof resolveStatusCode(codes, text) !== 'number') refuse(noStatusCodeMessage(text));
	}
}

export function noStatusCodeMessage(entered: unknown): string {
	return `${quote(entered)} is not a status code. Choose one from the list, or enter a whole number such as 4.`;
}

/** The `StatusName` of a status from the platform: the label of a code, or text unchanged. Null if there is none. */
export function statusName(codes: readonly KnownCode[] | undefined, shown: unknown): string | null {
	const status = comparableStatus(shown);
	return typeof status === 'number' ? codeLabel(codes, status) : status;
}

/** The name of the field derived from a field: `StatusName` from `Status`, `StartedAtLocal` from `StartedAtUtc`. */
export function derivedName(schema: ListSchema, name: string): string | undefined {
	if (findKnownField(schema, name)?.type === 'code') return `${name}Name`;
	return /.utc$/i.test(name) ? `${name.slice(0, -'Utc'.length)}Local` : undefined;
}

/** The field that a derived one is made from, both in any case: `Status` for `StatusName`. Undefined for others. */
export function sourceOf(schema: ListSchema, derived: string): string | undefined {
	const [, local, named = ''] = /^(?:(.+)Local|(.+)Name)$/i.exec(derived) ?? [];
	if (local !== undefined) return `${local}Utc`;
	return findKnownField(schema, named)?.type === 'code' ? named : undefined;
}
