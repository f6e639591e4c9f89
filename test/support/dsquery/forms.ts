import fc from 'fast-check';
import { DateTime } from 'luxon';

import type { SessionRow } from './evaluate.ts';

/** A condition as the form stores it, and what it means. */
export interface MeantCondition {
	kind: 'status' | 'startedAtUtc' | 'energyConsumed' | 'id' | 'other' | 'json';
	heading: string;
	entry: Record<string, unknown>;
	/** The stored values that the operator uses, each with its name in messages. */
	used: Record<string, string>;
	means: (row: SessionRow) => boolean;
}

export interface MeantGroup {
	logic: 'And' | 'Or';
	conditions: MeantCondition[];
	groups: MeantGroup[];
}

type Pick<T> = (a: T, low: T, high: T) => boolean;

const SINGLE: Record<string, (cell: number, value: number) => boolean> = {
	Eq: (cell, value) => cell === value,
	Neq: (cell, value) => cell !== value,
	Lt: (cell, value) => cell < value,
	Lte: (cell, value) => cell <= value,
	Gt: (cell, value) => cell > value,
	Gte: (cell, value) => cell >= value,
};
const RANGE: Record<string, Pick<number>> = {
	GtLt: (cell, low, high) => cell > low && cell < high,
	GteLt: (cell, low, high) => cell >= low && cell < high,
	GtLte: (cell, low, high) => cell > low && cell <= high,
	GteLte: (cell, low, high) => cell >= low && cell <= high,
};

/** What a form may hold in fields that the operator does not use. */
const stale = fc.record(
	{
		value: fc.constantFrom('', null, 'old'),
		values: fc.constantFrom([], ''),
		from: fc.constant(''),
		period: fc.constant('x'),
	},
	{ requiredKeys: [] },
);

const typed = (number: fc.Arbitrary<number>) =>
	fc.tuple(number, fc.constantFrom('number', 'text', 'blanks')).map(([value, form]) => ({
		value,
		stored: form === 'number' ? value : form === 'text' ? String(value) : ` ${value} `,
	}));

/** A pair that makes sense as a range whatever its ends mean. */
const ascending = (number: fc.Arbitrary<number>) =>
	fc
		.uniqueArray(number, { minLength: 2, maxLength: 2 })
		.map(([a = 0, b = 0]) => (a < b ? [a, b] : [b, a]) as [number, number]);

function numberCondition(kind: 'energyConsumed' | 'id'): fc.Arbitrary<MeantCondition> {
	const heading = kind === 'id' ? 'Session ID' : 'Energy Consumed';
	const cellOf = (row: SessionRow) => (kind === 'id' ? row.Id : row.EnergyConsumed);
	const number =
		kind === 'id' ? fc.integer({ min: 1, max: 12 }) : fc.integer({ min: 0, max: 24 }).map((half) => half / 2);
	const single = fc.tuple(fc.constantFrom(...Object.keys(SINGLE)), typed(number), stale).map(
		([operator, { value, stored }, rest]): MeantCondition => ({
			kind,
			heading,
			entry: { ...rest, operator, value: stored },
			used: { value: 'Value' },
			means: (row) => SINGLE[operator]?.(cellOf(row), value) ?? false,
		}),
	);
	const range = fc.tuple(fc.constantFrom(...Object.keys(RANGE)), ascending(number), stale).map(
		([operator, [low, high], rest]): MeantCondition => ({
			kind,
			heading,
			entry: { ...rest, operator, from: low, to: String(high) },
			used: { from: 'From', to: 'To' },
			means: (row) => RANGE[operator]?.(cellOf(row), low, high) ?? false,
		}),
	);
	const list = fc.tuple(fc.array(number, { minLength: 1, maxLength: 4 }), fc.boolean(), stale).map(
		([values, text, rest]): MeantCondition => ({
			kind,
			heading,
			entry: { ...rest, operator: 'In', values: text ? values.join(', ') : values },
			used: { values: 'Values' },
			means: (row) => values.includes(cellOf(row)),
		}),
	);
	return fc.oneof(single, range, list);
}

const code = fc.integer({ min: 0, max: 7 });
const statusCondition: fc.Arbitrary<MeantCondition> = fc.oneof(
	fc.tuple(fc.constantFrom('Eq', 'Neq'), typed(code)).map(
		([operator, { value, stored }]): MeantCondition => ({
			kind: 'status',
			heading: 'Status',
			entry: { operator, value: stored },
			used: { value: 'Value' },
			means: (row) => SINGLE[operator]?.(row.Status, value) ?? false,
		}),
	),
	fc.tuple(fc.constantFrom('In', 'NotIn'), fc.array(code, { minLength: 1, maxLength: 3 })).map(
		([operator, codes]): MeantCondition => ({
			kind: 'status',
			heading: 'Status',
			entry: { operator, values: codes.map(String) },
			used: { values: 'Values' },
			means: (row) => codes.includes(row.Status) === (operator === 'In'),
		}),
	),
);

export const ZONE = 'Europe/Berlin';
const START = Date.UTC(2026, 9, 20);
const HOUR = 3_600_000;
/** Moments around the end of summer time, some with a fraction of a second. */
const moment = fc
	.tuple(fc.integer({ min: 0, max: 24 * 14 }), fc.constantFrom(0, 0, 0, 1, 500, 999))
	.map(([hours, fraction]) => START + hours * HOUR + fraction);

/** All the forms in which a moment may arrive. */
function dateForms(instant: number): unknown[] {
	const local = DateTime.fromMillis(instant, { zone: ZONE });
	const forms: unknown[] = [
		new Date(instant),
		local,
		local.setZone('Asia/Tokyo'),
		local.toISO(),
		new Date(instant).toISOString(),
		{ isLuxonDateTime: true, toMillis: () => instant },
	];
	// A local time that occurs twice would mean the first of the two.
	if (local.getPossibleOffsets().length === 1) {
		forms.push(local.toFormat("yyyy-MM-dd'T'HH:mm:ss.SSS"), local.toFormat('yyyy-MM-dd HH:mm:ss.SSS'));
	}
	return forms;
}

const storedMoment = moment.chain((instant) =>
	fc.constantFrom(...dateForms(instant)).map((stored) => ({ instant, stored })),
);
const cellTime = (row: SessionRow) => Date.parse(`${row.StartedAtUtc}Z`);

/** A date condition, of the known kind or as Other Field. */
function placed(
	other: boolean,
	operator: string,
	values: { value?: unknown; from?: unknown; to?: unknown },
	means: MeantCondition['means'],
): MeantCondition {
	const names = other ? { value: 'date', from: 'fromDate', to: 'toDate' } : { value: 'value', from: 'from', to: 'to' };
	const labels = { value: 'Date', from: 'From', to: 'To' };
	const entry: Record<string, unknown> = other
		? { field: 'startedAtUtc|date', dateOperator: operator, textOperator: 'Contains', value: 'old', from: 'x' }
		: { operator };
	const used: Record<string, string> = {};
	for (const key of ['value', 'from', 'to'] as const) {
		if (!(key in values)) continue;
		entry[names[key]] = values[key];
		used[names[key]] = labels[key];
	}
	return {
		kind: other ? 'other' : 'startedAtUtc',
		heading: other ? 'Any Other Field' : 'Started At',
		entry,
		used,
		means,
	};
}

const dateCondition: fc.Arbitrary<MeantCondition> = fc.oneof(
	fc
		.tuple(fc.boolean(), fc.constantFrom('Lt', 'Lte', 'Gt', 'Gte'), storedMoment)
		.map(([other, operator, { instant, stored }]) =>
			placed(other, operator, { value: stored }, (row) => SINGLE[operator]?.(cellTime(row), instant) ?? false),
		),
	fc
		.tuple(fc.boolean(), fc.constantFrom(...Object.keys(RANGE)), storedMoment, storedMoment)
		.filter(([, , a, b]) => Math.abs(a.instant - b.instant) > 2000)
		.map(([other, operator, a, b]) => {
			const [low, high] = a.instant < b.instant ? [a, b] : [b, a];
			const values = { from: low.stored, to: high.stored };
			return placed(
				other,
				operator,
				values,
				(row) => RANGE[operator]?.(cellTime(row), low.instant, high.instant) ?? false,
			);
		}),
	fc.tuple(fc.boolean(), storedMoment).map(([other, { instant, stored }]) => {
		const local = (time: number) => DateTime.fromMillis(time, { zone: ZONE }).toISODate();
		return placed(other, 'LocalDay', { value: stored }, (row) => local(cellTime(row)) === local(instant));
	}),
);

const word = fc.string({ unit: 'binary', minLength: 1, maxLength: 6 });
const ODD_TEXT = [' north', 'a"b', 'a\\b', 'ü–', 'x,y', 'null', '%20&', '{{ 1 }}', 'north side'];
const text = fc
	.oneof(word, fc.constantFrom(...ODD_TEXT))
	.filter((value) => /[^\s\u200b-\u200d\u2060\ufeff]/.test(value));

const TEXT: Record<string, (cell: string, value: string) => boolean> = {
	Eq: (cell, value) => cell === value,
	Neq: (cell, value) => cell !== value,
	Contains: (cell, value) => cell.includes(value),
	StartsWith: (cell, value) => cell.startsWith(value),
	EndsWith: (cell, value) => cell.endsWith(value),
};
const textCondition: fc.Arbitrary<MeantCondition> = fc.oneof(
	fc.tuple(fc.constantFrom(...Object.keys(TEXT)), text).map(
		([operator, value]): MeantCondition => ({
			kind: 'other',
			heading: 'Any Other Field',
			entry: { field: 'Driver|text', textOperator: operator, numberOperator: 'Gte', dateOperator: 'GteLt', value },
			used: { value: 'Value' },
			means: (row) => TEXT[operator]?.(row.Driver, value) ?? false,
		}),
	),
	fc
		.array(
			text.filter((value) => !value.includes(',')),
			{ minLength: 1, maxLength: 3 },
		)
		.map(
			(values): MeantCondition => ({
				kind: 'other',
				heading: 'Any Other Field',
				entry: { field: 'Driver|text', textOperator: 'In', value: values },
				used: { value: 'Values' },
				means: (row) => values.includes(row.Driver),
			}),
		),
);

/** A JSON condition on the id, in any spelling, as object or text. */
const jsonCondition: fc.Arbitrary<MeantCondition> = fc
	.tuple(fc.constantFrom(...Object.keys(SINGLE)), fc.integer({ min: 1, max: 12 }), fc.boolean(), fc.boolean())
	.map(([operator, value, upper, asText]): MeantCondition => {
		const spell = (name: string) => (upper ? name.toUpperCase() : name);
		const condition = {
			[spell('Field')]: spell('id'),
			[spell('Operator')]: spell(operator),
			[spell('Value')]: String(value),
		};
		const json = { [spell('Logic')]: spell('And'), [spell('Filters')]: [condition] };
		return {
			kind: 'json',
			heading: 'Filter as JSON',
			entry: { json: asText ? JSON.stringify(json) : json },
			used: { json: '' },
			means: (row) => SINGLE[operator]?.(row.Id, value) ?? false,
		};
	});

export const meantCondition = fc.oneof(
	numberCondition('energyConsumed'),
	numberCondition('id'),
	statusCondition,
	dateCondition,
	textCondition,
	jsonCondition,
);

export function meantGroup(levels: number): fc.Arbitrary<MeantGroup> {
	const groups: fc.Arbitrary<MeantGroup[]> =
		levels === 0 ? fc.constant([]) : fc.array(meantGroup(levels - 1), { maxLength: 2 });
	return fc
		.record({
			logic: fc.constantFrom('And' as const, 'Or' as const),
			conditions: fc.array(meantCondition, { maxLength: 4 }),
			groups,
		})
		.filter(({ conditions, groups: inner }) => conditions.length + inner.length > 0);
}

/** The form as n8n stores it. */
export function stored(group: MeantGroup): Record<string, unknown> {
	const filters: Record<string, unknown[]> = {};
	for (const { kind, entry } of group.conditions) (filters[kind] ??= []).push(entry);
	if (group.groups.length > 0) {
		filters.groups = group.groups.map((inner) => ({ logic: inner.logic, filters: stored(inner) }));
	}
	return filters;
}

/** All conditions with their place in messages. */
export function places(group: MeantGroup, place = 'Filters'): Array<{ condition: MeantCondition; place: string }> {
	const counts = new Map<string, number>();
	const found = group.conditions.map((condition) => {
		const count = (counts.get(condition.kind) ?? 0) + 1;
		counts.set(condition.kind, count);
		return { condition, place: `${place} > ${condition.heading} ${count}` };
	});
	return [...found, ...group.groups.flatMap((inner, index) => places(inner, `${place} > Group ${index + 1}`))];
}

export function means(group: MeantGroup, row: SessionRow): boolean {
	const parts = [
		...group.conditions.map((condition) => condition.means(row)),
		...group.groups.map((inner) => means(inner, row)),
	];
	return group.logic === 'And' ? parts.every(Boolean) : parts.some(Boolean);
}

export const sessionRow: fc.Arbitrary<SessionRow> = fc.record({
	Id: fc.integer({ min: 1, max: 12 }),
	Status: code,
	StartedAtUtc: fc
		.tuple(fc.integer({ min: -2, max: 24 * 14 + 2 }), fc.constantFrom(0, 0, 1, -1, 1800))
		.map(([hours, seconds]) => new Date(START + hours * HOUR + seconds * 1000).toISOString().slice(0, 19)),
	EnergyConsumed: fc.integer({ min: 0, max: 24 }).map((half) => half / 2),
	Driver: fc.oneof(text, fc.constantFrom(...ODD_TEXT)),
});
