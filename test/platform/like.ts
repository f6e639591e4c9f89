import type { ListFacts, PlatformFacts } from '../../nodes/ChargingNetworkList/check/facts.ts';
import type { Behaviour, CsvBehaviour } from './behaviour.ts';
import { type ListName, pathOf, TABLES } from './tables.ts';
import type { BehaviourChanges, IdKind, PlatformOptions } from './types.ts';

const LISTS = ['sessions', 'stations', 'locations'] as const;

/**
 * What starts a stand-in like the platform of a report of Check Platform: its fields, codes, casing, page size, kinds
 * of Ids and counts.
 *
 * @param text the report, the item of One Report as JSON, or the JSON at the end of the report
 */
export function likeReport(text: string): PlatformOptions {
	const { lists, chargePoints, export: csv } = factsIn(text);
	const found = LISTS.flatMap((name) => {
		const facts = lists.find(({ path }) => path === pathOf(name));
		return facts ? [{ name, facts }] : [];
	});
	const each = <Value>(value: (facts: ListFacts) => Value) =>
		Object.fromEntries(found.map(({ name, facts }) => [name, value(facts)]));
	const has = (test: (facts: ListFacts) => boolean) => lists.some(test);
	const behaviour: BehaviourChanges = {
		fields: each(({ fields }) => fields),
		takeClamp: Math.min(...found.map(({ facts }) => clampOf(facts))),
		codes: codesForm(found.map(({ facts }) => facts)),
		...(has(({ count, isArray }) => count === null && !isArray) && { totalCount: 'missing' }),
		ids: each(({ ids }): IdKind => (ids === 'texts' ? 'text' : ids === 'none' ? 'none' : 'integer')),
		arrays: found.filter(({ facts }) => facts.isArray).map(({ name }) => name),
		camelCase: has(({ casing }) => casing === 'camelCase'),
		omitsEmpty: has(({ leftOut }) => leftOut.some((name) => name !== 'HardwareStatus')),
		timestampFractions: has(({ fields }) => Object.values(fields).some((kind) => kind.includes('fractions'))),
		...(found.some(({ name }) => name === 'locations') && { locationsScope: 'charging-stations:read' }),
		...(csv && { csv: csvOf(csv) }),
	};
	const rows = found.map(({ name, facts }) => codesSql(name, facts.codes));
	if (chargePoints?.ids === 'none') rows.push(WITHOUT_IDS);
	return {
		...each(({ count, pageSize }) => count ?? (pageSize === 100 ? 250 : pageSize)),
		behaviour,
		rows: rows.join(''),
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

/** A bare array may be the whole list: its rows are no page. */
const clampOf = ({ pageSize, count, isArray }: ListFacts) =>
	pageSize < 100 && pageSize !== count && !isArray ? pageSize : Infinity;

/** How codes are written, by the kinds of their fields. */
function codesForm(lists: readonly ListFacts[]): Behaviour['codes'] {
	const kinds = lists.flatMap(({ codes, fields }) =>
		Object.keys(codes).flatMap((name) => ('no code' in (codes[name] ?? {}) ? [] : (fields[name] ?? []))),
	);
	if (kinds.some((kind) => kind.includes('object'))) return 'object';
	return kinds.some((kind) => kind.includes('text')) ? 'text' : 'number';
}

function csvOf({ columns, delimiter, lineEnd, hasBom, isClosed }: NonNullable<PlatformFacts['export']>): CsvBehaviour {
	return {
		bom: hasBom,
		newline: lineEnd === '\n' ? '\n' : '\r\n',
		finalNewline: isClosed,
		delimiter: delimiter === ';' ? ';' : ',',
		idColumn: columns.find((name) => /^(?:.*session.*)?id$/i.test(name)),
		encoding: 'utf8',
	};
}

/** SQL that gives rows these codes, in these shares. */
function codesSql(list: ListName, codes: ListFacts['codes']): string {
	const known = Object.entries(codes).filter(([field]) => field in TABLES[list].fields);
	const statements = known.map(([field, counts]) => {
		const values = Object.entries(counts).flatMap(([code, rows]) =>
			Array<string>(rows).fill(/^-?\d+$/.test(code) ? code : 'NULL'),
		);
		const cases = values.map((value, place) => `WHEN ${place} THEN ${value}`).join(' ');
		return values.length > 0 ? `UPDATE ${list} SET ${field} = CASE Id % ${values.length} ${cases} END;` : '';
	});
	return statements.join('');
}

/** SQL that takes the Ids from all charge points. */
export const WITHOUT_IDS = `UPDATE stations SET EVSEs =
	(SELECT json_group_array(json_remove(value, '$.Id', '$.EvseId')) FROM json_each(EVSEs));`;
