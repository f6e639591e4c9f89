import type { ListFacts, PlatformFacts } from '../../nodes/ChargingNetworkList/check/facts.ts';
import type { Database } from './database.ts';
import type { Field } from './resources.ts';
import type { PlatformOptions } from './types.ts';

/** Kinds of the values of each field, and how many rows have which code, by list. */
export type LikeFields = Partial<Record<string, Record<string, string>>>;
export type LikeCodes = Partial<Record<string, Record<string, Record<string, number>>>>;

const PATHS = {
	sessions: '/api/charging-sessions/v1',
	stations: '/api/charging-stations/v1',
	locations: '/api/locations/v1',
} as const;

/**
 * What starts a stand-in like the platform of a report of Check Platform: its fields, codes, casing, page size, kinds
 * of Ids and counts.
 *
 * @param text the report, the item of One Report as JSON, or the JSON at the end of the report
 */
export function likeReport(text: string): PlatformOptions {
	const facts = factsIn(text);
	const of = (list: keyof typeof PATHS) => facts.lists.find(({ path }) => path === PATHS[list]);
	const [sessions, stations, locations] = [of('sessions'), of('stations'), of('locations')];
	const each = <Value>(value: (list: ListFacts) => Value) =>
		Object.fromEntries(
			Object.entries({ sessions, stations, locations }).flatMap(([name, list]) => (list ? [[name, value(list)]] : [])),
		) as Partial<Record<string, Value>>;
	const has = (test: (list: ListFacts) => boolean) => facts.lists.some(test);
	const behaviour = {
		fields: each((list) => list.fields),
		codes: each((list) => list.codes),
		takeClamp: smallest([sessions, stations].flatMap((list) => (list && clampOf(list)) ?? [])),
		idType: sessions?.ids === 'texts' ? 'text' : 'integer',
		stationIdType: stations?.ids === 'texts' ? 'text' : 'integer',
		missingHardwareStatus: stations?.leftOut.includes('HardwareStatus') ? 'omitted' : 'null',
		totalCount: has(({ count, isArray }) => count === null && !isArray) ? 'missing' : 'number',
		timestampFractions: has(({ fields }) => Object.values(fields).some((kind) => kind.includes('fractions'))),
		...(facts.chargePoints && { chargePoints: { ids: facts.chargePoints.ids, status: 'code' } }),
		...(facts.export && { csv: csvOf(facts.export) }),
		...(locations && {
			locations: {
				acceptsKeys: true,
				scope: 'charging-stations:read',
				shape: locations.isArray ? 'array' : 'envelope',
				idName: locations.ids === 'none' ? null : 'Id',
				textIds: locations.ids === 'texts',
			},
		}),
		lists: {
			names: has(({ casing }) => casing === 'camelCase') ? 'camel' : 'pascal',
			emptyProperties: has(({ leftOut }) => leftOut.some((name) => name !== 'HardwareStatus')) ? 'omitted' : 'null',
		},
	};
	return {
		...each(({ count, pageSize }) => count ?? (pageSize === 100 ? 250 : pageSize)),
		behaviour: behaviour as PlatformOptions['behaviour'],
	};
}

function factsIn(text: string): PlatformFacts {
	const fenced = /^```json\n(\{.*?\})\n```/ms.exec(text)?.[1];
	if (fenced !== undefined) return JSON.parse(fenced) as PlatformFacts;
	const value = [JSON.parse(text) as unknown].flat()[0] as { json?: { report: string }; report?: string; lists?: [] };
	const report = value.json?.report ?? value.report;
	if (report !== undefined) return factsIn(report);
	if (value.lists === undefined)
		throw new Error('The file is no report of Check Platform: set its Result to One Report.');
	return value as PlatformFacts;
}

const clampOf = ({ pageSize, count }: ListFacts) => (pageSize < 100 && pageSize !== count ? pageSize : undefined);

const smallest = (sizes: readonly number[]) => (sizes.length > 0 ? Math.min(...sizes) : undefined);

function csvOf({ columns, delimiter, lineEnd, hasBom, isClosed }: NonNullable<PlatformFacts['export']>) {
	return {
		bom: hasBom,
		newline: lineEnd,
		finalNewline: isClosed,
		delimiter: delimiter === ';' ? ';' : ',',
		idColumn: columns.find((name) => /^(?:.*session.*)?id$/i.test(name)) ?? null,
	};
}

/** The fields of a list, of these kinds: those that the stand-in has, and others made up. */
export function likeFields(fields: Field[], wanted: Record<string, string> | undefined): Field[] {
	if (!wanted) return fields;
	return Object.entries(wanted).map(
		([name, kind]) =>
			fields.find((field) => field.name.toLowerCase() === name.toLowerCase()) ??
			madeUp(name.charAt(0).toUpperCase() + name.slice(1), kind),
	);
}

const MADE_UP: Partial<Record<string, Omit<Field, 'name'>>> = {
	integer: { type: 'integer', sql: '(Id % 10)' },
	decimal: { type: 'number', sql: '(Id % 10 + 0.5)' },
	'decimal or integer': { type: 'number', sql: '(Id % 10 / 2.0)' },
	text: { type: 'text', sql: "('text ' || Id)" },
	boolean: { type: 'boolean', sql: '(Id % 2)', json: "json(CASE Id % 2 WHEN 0 THEN 'false' ELSE 'true' END)" },
	time: { type: 'date', sql: "'2026-11-01T08:00:00'" },
	'time with fractions': { type: 'date', sql: "'2026-11-01T08:00:00.123'" },
	'time with zone': { type: 'text', sql: "'2026-11-01T08:00:00Z'" },
	'time with fractions with zone': { type: 'text', sql: "'2026-11-01T08:00:00.123Z'" },
	list: { type: 'text', sql: "'[]'", json: "json('[]')" },
	object: { type: 'text', sql: "'{}'", json: "json('{}')" },
};

const madeUp = (name: string, kind: string): Field => ({ name, ...(MADE_UP[kind] ?? { type: 'text', sql: 'NULL' }) });

/** Gives the rows these codes, in these shares. */
export function setCodes(db: Database, codes: LikeCodes): void {
	for (const [list, fields] of Object.entries(codes)) {
		for (const [field, counts] of Object.entries(fields ?? {})) {
			const values = Object.entries(counts).flatMap(([code, rows]) =>
				Array<number | null>(rows).fill(/^-?\d+$/.test(code) ? Number(code) : null),
			);
			const cases = values.map((value, place) => `WHEN ${place} THEN ${value ?? 'NULL'}`).join(' ');
			if (values.length > 0) db.exec(`UPDATE ${list} SET ${field} = CASE Id % ${values.length} ${cases} END`);
		}
	}
}
