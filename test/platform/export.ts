import type { Database, SqlValue } from './database.ts';
import { Refusal } from './errors.ts';
import { rowId } from './resources.ts';
import type { Resource } from './resources.ts';
import type { Behaviour } from './types.ts';

/** Reads `{ "Ids": [integer, ...] }`. Text ids are accepted if sessions have text ids. */
function readIds(body: unknown, resource: Resource): string[] {
	const ids: unknown = typeof body === 'object' && body !== null && 'Ids' in body ? body.Ids : undefined;
	if (!Array.isArray(ids)) throw new Refusal(400, 'The body must be { "Ids": [integer, ...] }.');
	const isText = resource.idPrefix !== undefined;
	return ids.map((id: unknown, index) => {
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

/** The sessions whose ids are in the request body as CSV: one record for each that there is, unless `sends` has others. */
export function exportCsv(
	db: Database,
	resource: Resource,
	body: unknown,
	behaviour: Behaviour,
	sends: (ids: number[]) => number[] = (ids) => ids,
): string {
	const { bom, newline, finalNewline, delimiter, idColumn } = behaviour.csv;
	const fields = resource.fields.filter(({ name }) => idColumn !== undefined || name !== 'Id');
	const columns = fields.map(({ sql, type }) =>
		type === 'boolean' ? `CASE ${sql} WHEN 0 THEN 'false' WHEN 1 THEN 'true' END` : `CAST(${sql} AS TEXT)`,
	);
	const statement = db.prepare(`SELECT json_array(${columns.join(', ')}) AS cells FROM sessions WHERE Id = ?`);
	const asked = [...new Set(readIds(body, resource))].flatMap((id) => rowId(resource, id, behaviour) ?? []);
	const line = (cells: Array<string | null>) => cells.map((value) => cell(value, delimiter)).join(delimiter);
	const lines = [line(fields.map(({ name }) => (name === 'Id' && idColumn !== undefined ? idColumn : name)))];
	for (const id of sends(asked.map(Number))) {
		const row = statement.get(id);
		if (row) lines.push(line(JSON.parse(String(row.cells)) as Array<string | null>));
	}
	return `${bom ? '\uFEFF' : ''}${lines.join(newline)}${finalNewline ? newline : ''}`;
}
