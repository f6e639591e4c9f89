import type { Behaviour } from './behaviour.ts';
import type { Database } from './database.ts';
import { Refusal } from './errors.ts';
import { fieldsOf, rowId } from './tables.ts';

/** The body of an export request. */
export interface WantedSessions {
	Ids: Array<number | string>;
}

function cell(text: string | null, delimiter: string): string {
	if (text === null) return '';
	return text.includes(delimiter) || /["\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The sessions that are wanted as CSV: one record for each that there is, unless `sends` has others, or the whole text. */
export function exportCsv(
	db: Database,
	{ Ids }: WantedSessions,
	behaviour: Behaviour,
	sends: (ids: number[]) => number[] | string = (ids) => ids,
): Buffer {
	const { bom, newline, finalNewline, delimiter, idColumn, encoding } = behaviour.csv;
	const type = behaviour.ids.sessions === 'integer' ? 'number' : 'string';
	if (Ids.some((id) => typeof id !== type)) throw new Refusal(400, `Each of Ids must be a ${type}.`);
	const fields = fieldsOf('sessions', behaviour).filter(({ name }) => idColumn !== undefined || name !== 'Id');
	const columns = fields.map(({ sql, type }) =>
		type === 'boolean' ? `CASE ${sql} WHEN 0 THEN 'false' WHEN 1 THEN 'true' END` : `CAST(${sql} AS TEXT)`,
	);
	const statement = db.prepare(`SELECT json_array(${columns.join(', ')}) AS cells FROM sessions WHERE Id = ?`);
	const asked = [...new Set(Ids)].flatMap((id) => rowId('sessions', String(id), behaviour) ?? []);
	const sent = sends(asked.map(Number));
	if (typeof sent === 'string') return Buffer.from(sent);
	const line = (cells: Array<string | null>) => cells.map((text) => cell(text, delimiter)).join(delimiter);
	const lines = [line(fields.map(({ name }) => (name === 'Id' ? (idColumn ?? '') : name)))];
	for (const id of sent) {
		const row = statement.get(id);
		if (row) lines.push(line(JSON.parse(String(row.cells)) as Array<string | null>));
	}
	const text = `${bom ? '\uFEFF' : ''}${lines.join(newline)}${finalNewline ? newline : ''}`;
	return encoding === 'utf8' ? Buffer.from(text) : Buffer.from(text.replace(/[^\t\r\n -\xff]/g, '?'), 'latin1');
}
