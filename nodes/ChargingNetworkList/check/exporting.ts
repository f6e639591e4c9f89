import isEqual from 'lodash/isEqual';

import { identifyRecords } from '../../shared/csv/identify';
import { readPart } from '../../shared/csv/part';
import type { CsvPart } from '../../shared/csv/part';
import { cellsOf, namesSessionId } from '../../shared/csv/records';

import { isQueryRefused, PlatformError, settle, Turns } from '../../shared/platform';
import { counted, fine, handled, limited, unclear } from './findings';
import type { ListCheck, Verdict } from './findings';
import { PAGE } from './listProbe';
import type { ListProbe } from './listProbe';

/** The file of some sessions. */
interface Exported {
	part: CsvPart;
	/** The Ids asked for, the greatest first: an order that platforms do not have by themselves. */
	ids: number[];
	/** Whether the platform refused more. */
	isHalved: boolean;
}

/** How often the export is asked for fewer sessions. */
const MOST_HALVINGS = 3;

const exported = new WeakMap<ListProbe, Promise<Exported | undefined>>();

/** Exports up to 100 sessions, or as many as the platform accepts. Undefined if there are none to ask for. */
async function exportSome(list: ListProbe): Promise<Exported | undefined> {
	const known = exported.get(list) ?? exportAgain(list);
	exported.set(list, known);
	return await known;
}

async function exportAgain(list: ListProbe): Promise<Exported | undefined> {
	const all = (await list.sample()).map(({ Id: id }) => id).filter((id) => Number.isSafeInteger(id)) as number[];
	let ids = [...new Set(all)].sort((a, b) => b - a).slice(0, PAGE);
	if (ids.length === 0) return undefined;
	const turns = new Turns();
	for (let halvings = 0; ; halvings++) {
		const read = async (stream: AsyncIterable<Buffer>) =>
			await readPart(stream, { sessions: ids.length, turns, hideSecrets: () => '' });
		const answer = await settle(list.export(ids, read));
		if (answer.ok) return { part: answer.value, ids, isHalved: halvings > 0 };
		if (!isQueryRefused(answer.error) || ids.length < 2 || halvings === MOST_HALVINGS) throw answer.error;
		ids = ids.slice(0, ids.length >> 1);
	}
}

const NONE = unclear('There is no session whose Id is a whole number.', 'not tried');

/** How the file is written. */
async function file(list: ListProbe): Promise<Verdict> {
	const answer = await settle(exportSome(list));
	if (!answer.ok) {
		if (!(answer.error instanceof PlatformError) || answer.error.transient) throw answer.error;
		return limited(`Sessions cannot be exported: ${answer.error.message}.`, `${answer.error.status ?? 'no file'}`);
	}
	if (!answer.value) return NONE;
	const { hasBom, header, dialect, lineEnd } = answer.value.part;
	const columns = cellsOf(header, dialect);
	const marks = [dialect.delimiter === '\t' ? 'tab' : dialect.delimiter, JSON.stringify(lineEnd)].join(' and ');
	const evidence = `${counted(columns.length, 'column')}; delimiter and line end: ${marks}; byte order mark: ${hasBom ? 'yes' : 'no'}`;
	return fine('Sessions can be exported. The file keeps the delimiter of the platform.', evidence);
}

/** Whether each session asked for is in the file, once and in order. */
async function records(list: ListProbe): Promise<Verdict> {
	const answer = await exportSome(list);
	if (!answer) return NONE;
	const { part, ids } = answer;
	const found = await identifyRecords(part, part.records, ids, new Turns());
	const asked = `${ids.length} asked for, ${counted(part.records.length, 'record')} came`;
	if (part.records.length === 0)
		return handled('The file has no records. The node asks again in smaller parts.', asked);
	if (!found) {
		const text = 'No column says which session a record is of: the node can only count them, and says so.';
		return limited(text, asked);
	}
	const { column, bySession, foreign } = found;
	const twice = part.records.length - foreign - bySession.size;
	const missing = ids.length - bySession.size;
	const name = cellsOf(part.header, part.dialect)[column] ?? '';
	// A file without a header has values there.
	const place = namesSessionId(name) ? name : `column ${column + 1}`;
	const evidence = `${asked}; identified by ${place}; missing: ${missing}, twice: ${twice}, not asked for: ${foreign}`;
	if (missing > 0)
		return handled(
			'Sessions are missing in the file. The node asks for them again, and names those that stay missing.',
			evidence,
		);
	if (twice > 0 || foreign > 0)
		return handled('There are other records than asked for. The node keeps them out.', evidence);
	const inOrder = isEqual([...bySession.keys()], ids);
	if (!inOrder) return handled('Records come in another order than asked for. The node restores it.', evidence);
	return fine('Each session asked for is in the file, once and in order.', evidence);
}

/** How many sessions can be exported at once, as far as it was tried. */
async function size(list: ListProbe): Promise<Verdict> {
	const answer = await exportSome(list);
	if (!answer) return NONE;
	const evidence = `${answer.ids.length} sessions in one request`;
	if (!answer.isHalved) return fine('As many sessions as were tried can be exported at once.', evidence);
	return handled('Fewer sessions can be exported at once. The node asks for smaller parts by itself.', evidence);
}

export const EXPORT_CHECKS: readonly ListCheck[] = [
	{ name: 'Export', mostRequests: 6, find: file },
	{ name: 'Export records', mostRequests: 6, find: records },
	{ name: 'Export size', mostRequests: 6, find: size },
];
