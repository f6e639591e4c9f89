import type { Database } from './database.ts';
import { Refusal } from './errors.ts';
import { fieldsOf, rowId } from './tables.ts';
import type { Behaviour } from './types.ts';

/** Reads `{ "Ids": [integer, ...] }`. Text Ids are accepted if sessions have text Ids. */
function readIds(body: unknown, isText: boolean): string[] {
	const ids: unknown = typeof body === 'object' && body !== null && 'Ids' in body ? body.Ids : undefined;
	if (!Array.isArray(ids)) throw new Refusal(400, 'The body must be { "Ids": [integer, ...] }.');
	return ids.map((id: unknown, index) => {
		if (isText ? typeof id !== 'string' : !Number.isSafeInteger(id)) {
			throw new Refusal(400, `Ids[${index}] must be ${isText ? 'a session id' : 'an integer'}.`);
		}
		return String(id);
	});
}

function cell(text: string | null, delimiter: string): string {
	if (text === null) return '';
	return text.includes(delimiter) || /["\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The sessions whose Ids are in the request body as CSV: one record for each that there is, unless `sends` has others. */
export function exportCsv(
	db: Database,
	body: unknown,
	behaviour: Behaviour,
	sends: (ids: number[]) => number[] = (ids) => ids,
): Buffer {
	const { bom, newline, finalNewline, delimiter, idColumn, encoding } = behaviour.csv;
	const fields = fieldsOf('sessions', behaviour).filter(({ name }) => idColumn !== undefined || name !== 'Id');
	const columns = fields.map(({ sql, type }) =>
		type === 'boolean' ? `CASE ${sql} WHEN 0 THEN 'false' WHEN 1 THEN 'true' END` : `CAST(${sql} AS TEXT)`,
	);
	const statement = db.prepare(`SELECT json_array(${columns.join(', ')}) AS cells FROM sessions WHERE Id = ?`);
	const ids = new Set(readIds(body, behaviour.ids.sessions !== 'integer'));
	const asked = [...ids].flatMap((id) => rowId('sessions', id, behaviour) ?? []);
	const line = (cells: Array<string | null>) => cells.map((text) => cell(text, delimiter)).join(delimiter);
	const lines = [line(fields.map(({ name }) => (name === 'Id' ? (idColumn ?? '') : name)))];
	for (const id of sends(asked.map(Number))) {
		const row = statement.get(id);
		if (row) lines.push(line(JSON.parse(String(row.cells)) as Array<string | null>));
	}
	const text = `${bom ? '\uFEFF' : ''}${lines.join(newline)}${finalNewline ? newline : ''}`;
	return encoding === 'utf8' ? Buffer.from(text) : Buffer.from(text.replace(/[^\t\r\n -\xff]/g, '?'), 'latin1');
}
