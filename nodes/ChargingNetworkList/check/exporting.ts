import isEqual from 'lodash/isEqual';
import sortBy from 'lodash/sortBy';
import uniq from 'lodash/uniq';

import { type CsvFile, readCsv, sessionColumn } from '../../shared/csv/read';
import { bySession } from '../../shared/csv/sessions';
import { counted } from '../../shared/text';
import { isQueryRefused, PlatformError, settle, Turns } from '../../shared/platform';
import { fine, handled, limited, type ListCheck, unclear, type Verdict } from './findings';
import { type ListProbe, PAGE } from './listProbe';

/** How often the export is asked for fewer sessions. */
const MOST_HALVINGS = 3;

/** The file of some sessions. */
interface Exported {
	part: CsvFile;
	/** The Ids asked for, the greatest first: an order that platforms do not have by themselves. */
	ids: number[];
	/** Whether the platform refused more. */
	isHalved: boolean;
}

const exported = new WeakMap<ListProbe, Promise<Exported>>();

/** The export of up to 100 sessions, or as many as the platform accepts, asked for once. */
function ofExport(find: (file: Exported) => Verdict | Promise<Verdict>): ListCheck['find'] {
	return async (list) => {
		const ids = (await list.sample()).map(({ Id: id }) => id).filter((id) => Number.isSafeInteger(id)) as number[];
		if (ids.length === 0) return unclear('There is no session whose Id is a whole number.');
		const file = exported.get(list) ?? exportSome(list, sortBy(uniq(ids), (id) => -id).slice(0, PAGE));
		exported.set(list, file);
		return await find(await file);
	};
}

async function exportSome(list: ListProbe, wanted: number[]): Promise<Exported> {
	const turns = new Turns();
	let ids = wanted;
	for (let halvings = 0; ; halvings++) {
		const read = async (stream: AsyncIterable<Buffer>) => await readCsv(stream, turns, () => '');
		const answer = await settle(list.export(ids, read));
		if (answer.ok) return { part: answer.value, ids, isHalved: halvings > 0 };
		if (!isQueryRefused(answer.error) || ids.length < 2 || halvings === MOST_HALVINGS) throw answer.error;
		ids = ids.slice(0, ids.length >> 1);
	}
}

/** How the file is written. */
const form = ofExport(({ part: { hasBom, columns, delimiter, lineEnd } }) => {
	const marks = [delimiter === '\t' ? 'tab' : delimiter, JSON.stringify(lineEnd)].join(' and ');
	const evidence = `${counted(columns.length, 'column')}; delimiter and line end: ${marks}; byte order mark: ${hasBom ? 'yes' : 'no'}`;
	return fine('Sessions can be exported. The file keeps the delimiter of the platform.', evidence);
});

async function file(list: ListProbe): Promise<Verdict> {
	return await form(list).catch((error: unknown) => {
		if (!(error instanceof PlatformError) || error.transient) throw error;
		return limited(`Sessions cannot be exported: ${error.message}.`, `${error.status ?? 'no file'}`);
	});
}

/** Whether each session asked for is in the file, once and in order. */
const records = ofExport(async ({ part, ids }) => {
	const found = await bySession(part, ids, new Turns());
	const asked = `${counted(part.records.length, 'record')} came`;
	if (part.records.length === 0)
		return handled('The file has no records. The node asks again in smaller parts.', asked);
	if (!found) {
		const text =
			'No column says by its name which session a record is of: the node can only count them, and says so. If one does, enter its name in the option Session ID Column.';
		return limited(text, asked);
	}
	const { records: own, foreign } = found;
	const more = part.records.length - foreign - own.size;
	const missing = ids.length - own.size;
	const identifiedBy = part.columns[sessionColumn(part) ?? 0];
	const evidence = `${asked}; identified by ${identifiedBy}; missing: ${missing}, more of the same session: ${more}, not asked for: ${foreign}`;
	if (missing > 0) {
		const text = 'Sessions are missing in the file. The node asks for them again, and names those that stay missing.';
		return handled(text, evidence);
	}
	if (foreign > 0) return handled('There are other records than asked for. The node keeps them out.', evidence);
	const inOrder = isEqual([...own.keys()], ids);
	if (!inOrder) return handled('Records come in another order than asked for. The node restores it.', evidence);
	if (more > 0) return handled('Some sessions have several records. The node keeps them all.', evidence);
	return fine('Each session asked for is in the file, once and in order.', evidence);
});

/** How many sessions can be exported at once, as far as it was tried. */
const size = ofExport(({ ids, isHalved }) => {
	const evidence = `${ids.length} sessions in one request`;
	if (!isHalved) return fine('As many sessions as were tried can be exported at once.', evidence);
	return handled('Fewer sessions can be exported at once. The node asks for smaller parts by itself.', evidence);
});

export const EXPORT_CHECKS: readonly ListCheck[] = [
	{ name: 'Export', mostRequests: 6, find: file },
	{ name: 'Export records', mostRequests: 6, find: records },
	{ name: 'Export size', mostRequests: 6, find: size },
];
