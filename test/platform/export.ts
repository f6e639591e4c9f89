import type { Database, SqlValue } from './database.ts';
import { Refusal } from './errors.ts';
import { rowId } from './resources.ts';
import type { Resource } from './resources.ts';
import type { Behaviour, CsvBehaviour } from './types.ts';

/** Reads `{ "Ids": [integer, ...] }`. Text ids are accepted if sessions have text ids. */
function readIds(body: unknown, resource: Resource, behaviour: Behaviour): string[] {
	const ids: unknown = typeof body === 'object' && body !== null && 'Ids' in body ? body.Ids : undefined;
	if (!Array.isArray(ids)) throw new Refusal(400, 'The body must be { "Ids": [integer, ...] }.');
	const { maxExportIds, exportRefusal } = behaviour;
	if (maxExportIds !== undefined && ids.length > maxExportIds) {
		throw new Refusal(
			exportRefusal,
			`At most ${maxExportIds} Ids may be exported at once, ${ids.length} were asked for.`,
		);
	}
	return ids.map((id: unknown, index) => {
		const isText = resource.idPrefix !== undefined;
		if (isText ? typeof id !== 'string' : !Number.isSafeInteger(id)) {
			throw new Refusal(400, `Ids[${index}] must be ${isText ? 'a session id' : 'an integer'}.`);
		}
		return String(id);
	});
}

function cell(value: SqlValue | undefined, delimiter: string): string {
	const text = value === null || value === undefined ? '' : String(value);
	return text.includes(delimiter) || /["\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** True for the given share of all calls. */
function chance(csv: CsvBehaviour, share: number): boolean {
	if (share === 0) return false;
	csv.seed = (csv.seed * 1_664_525 + 1_013_904_223) % 2 ** 32;
	return csv.seed / 2 ** 32 < share;
}

/** Silently drops and duplicates records, as the switches say. */
function spoil<Entry extends { rowKey?: SqlValue }>(rows: Entry[], asked: number, csv: CsvBehaviour): Entry[] {
	const { noneAboveIds = Infinity, leaveOutEvery, leaveOutShare, doubleShare, maxRecords } = csv;
	if (asked > noneAboveIds) return [];
	return rows
		.filter(({ rowKey }) => leaveOutEvery === undefined || Number(rowKey) % leaveOutEvery !== 0)
		.filter(() => !chance(csv, leaveOutShare))
		.flatMap((row) => (chance(csv, doubleShare) ? [row, row] : [row]))
		.slice(0, maxRecords);
}

function shuffle(rows: unknown[], csv: CsvBehaviour): void {
	for (let index = rows.length - 1; index > 0; index--) {
		let other = index;
		while (other > 0 && chance(csv, 0.5)) other--;
		[rows[index], rows[other]] = [rows[other], rows[index]];
	}
}

/** Puts records of other sessions after some. */
function mixIn<Entry>(rows: Entry[], other: () => Entry | undefined, csv: CsvBehaviour): void {
	for (let index = rows.length - 1; index >= 0; index--) {
		const row = chance(csv, csv.foreignShare) ? other() : undefined;
		if (row) rows.splice(index + 1, 0, row);
	}
}

/** The key of some session that was not asked for. */
function foreignKey(db: Database, resource: Resource, asked: readonly string[], csv: CsvBehaviour): SqlValue {
	chance(csv, 1);
	const statement = db.prepare(`SELECT Id FROM ${resource.table} ORDER BY (Id * ?) % 1009 LIMIT ?`);
	const rows = statement.all((csv.seed % 1000) + 1, asked.length + 1);
	return rows.find(({ Id: id }) => !asked.includes(String(id)))?.Id ?? null;
}

/** Writes the sessions whose ids are in the request body as CSV. A repeated id gives one record. */
export function exportCsv(db: Database, resource: Resource, body: unknown, behaviour: Behaviour): string {
	const { csv } = behaviour;
	const fields = resource.fields.filter(({ name }) => csv.idColumn || name !== 'Id');
	const columns = fields.map(({ name, sql, type }) =>
		type === 'boolean'
			? `'${name}', CASE ${sql} WHEN 0 THEN 'false' WHEN 1 THEN 'true' END`
			: `'${name}', CAST(${sql} AS TEXT)`,
	);
	const object = `json_object('rowKey', CAST(Id AS TEXT), ${columns.join(', ')})`;
	const statement = db.prepare(`SELECT ${object} AS json FROM ${resource.table} WHERE Id = ?`);
	const rowOf = (key: SqlValue) => {
		const json = statement.get(key)?.json;
		return json === undefined ? undefined : (JSON.parse(String(json)) as Record<string, string | null>);
	};
	const found: Array<Record<string, string | null>> = [];
	const unknown: string[] = [];
	const asked = [...new Set(readIds(body, resource, behaviour))];
	for (const id of asked.slice(0, csv.maxIds)) {
		const key = rowId(resource, id, behaviour);
		const row = key === undefined ? undefined : rowOf(key);
		if (row) found.push(row);
		else unknown.push(id);
	}
	if (unknown.length && !csv.omitUnknownIds) {
		throw new Refusal(404, `There is no charging session with the id ${unknown.join(', ')}.`);
	}
	if (csv.order === 'id') found.sort((a, b) => Number(a.rowKey) - Number(b.rowKey));
	const rows = spoil(found, asked.length, csv);
	if (csv.order === 'random') shuffle(rows, csv);
	if (csv.foreignShare > 0) mixIn(rows, () => rowOf(foreignKey(db, resource, asked, csv)), csv);
	const names = fields.map(({ name }) => name);
	const line = (cells: Array<SqlValue | undefined>) =>
		cells.map((value) => cell(value, csv.delimiter)).join(csv.delimiter);
	const records = rows.map((row) => line(names.map((name) => row[name])));
	if (csv.header) records.unshift(line(names.map((name) => (name === 'Id' ? csv.idColumnName : name))));
	const end = csv.finalNewline && records.length ? csv.newline : '';
	return `${csv.bom ? '\uFEFF' : ''}${records.join(csv.newline)}${end}`;
}
