import type { DIRECTIONS, FieldType, LOGICS, OperatorName } from './operators';

/*
 * The query model: what a list request asks for, before it is written as the platform's `dsquery` parameter.
 * There is one filter type. The form, its JSON conditions, the periods, the station search, the export and the trigger
 * all produce it; only `write.ts` turns it into text.
 */

export type LogicName = (typeof LOGICS)[number];
export type DirectionName = (typeof DIRECTIONS)[number];

/**
 * Compares one field with a value. The value is text whatever the field's type (specification, list query rule 4).
 * The platform also takes operators, logic and directions as numbers; which number means what is not public.
 */
export interface Condition {
	field: string;
	operator: OperatorName;
	value: string;
	/** Set for a period that was asked for as so many last days. It is not sent. */
	isLastDays?: true;
}

/** Conditions and groups of which all (And) or at least one (Or) must match. Never empty. */
export interface FilterGroup {
	logic: LogicName;
	filters: FilterNode[];
}

export type FilterNode = Condition | FilterGroup;

/** One field to sort by. */
export interface SortEntry {
	field: string;
	direction: DirectionName;
}

/** A window of rows: skip `skip` rows, return at most `take`. */
export interface Pager {
	skip: number;
	take: number;
}

/** A whole list query. `sorts` apply in the order given. */
export interface Query {
	filter?: FilterGroup;
	sorts: SortEntry[];
	pager?: Pager;
}

/** Tells a group from a condition. */
export function isFilterGroup(node: FilterNode): node is FilterGroup {
	return 'filters' in node;
}

/** What a form of the panel holds: by the name of a kind its entries. Not yet validated. */
export type FormEntries = Readonly<Record<string, readonly FixedCollectionEntry[]>>;

/** An entry of a form. */
export interface FixedCollectionEntry {
	/** All of its parts, with expressions resolved. */
	readonly values: Readonly<Record<string, unknown>>;
	/** The values that an expression made, by name. */
	readonly expressions: ReadonlyMap<string, ExpressionResult>;
}

/** A value that an expression made. */
export interface ExpressionResult {
	/** Why it cannot be what is meant, if so. */
	readonly whyUnusable?: string;
}

/** A numeric code whose meaning the specification states. All others are shown as "Code n". */
export interface KnownCode {
	code: number;
	label: string;
}

/** A field the specification names. `kind` is the stored name of its section in the filter form. */
export interface KnownField {
	kind: string;
	name: string;
	type: Exclude<FieldType, 'boolean' | 'any'>;
	/** Title Case, for the form. */
	label: string;
	description: string;
	codes?: readonly KnownCode[];
}

/** The fields of one list that the specification shows, in the order the form offers them. */
export interface ListSchema {
	/** What one row is called in messages: "session". */
	noun: string;
	fields: readonly KnownField[];
	/** A field people look for that the specification does not show: "Station Name". */
	otherExample?: string;
}
