import { createHash, type Hash } from 'crypto';
import chunk from 'lodash/chunk';
import countBy from 'lodash/countBy';
import mapValues from 'lodash/mapValues';
import max from 'lodash/max';
import min from 'lodash/min';
import type { IBinaryData, IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { coveredDays } from '../shared/dsquery/values/coveredDays';
import type { DaySpan } from '../shared/dsquery/values/periods';
import type { Query } from '../shared/dsquery/types';
import { CsvMerger, mergeParts } from './csv/merge';
import type { CsvPart } from '../shared/csv/part';
import type { Outcome } from '../shared/operation/panel';
import type { Where } from '../shared/operation/operation';
import { pagingOf } from '../shared/parameters/options';
import type { ValuesOf } from '../shared/parameters/parameter';
import { ByteStream } from './csv/storeStream';
import { PlatformError, Turns, type Connection } from '../shared/platform';
import { Asking } from './asking';
import { defaultFileName, numberedFileName } from './fileName';
import { Completeness, MISSING_REASONS } from './completeness';
import { listSessionIds } from './listIds';
import type { byIds } from './parameters';
import { SessionExport } from './sessionExport';

type Sessions = { ids: readonly number[] } | { query: Query };

/** What both operations let the user choose. */
type Choices = Pick<ValuesOf<typeof byIds>, 'fileName' | 'binaryPropertyName' | 'options'>;

/** What to export and how. */
interface ExportRequest extends Choices {
	sessions: Sessions;
	/** Local days that the filter covers, first and last included. */
	period?: DaySpan;
}

/**
 * Exports the requested sessions into one file, or several if the user wants that. Files are streamed to n8n's binary
 * store: in filesystem mode no more than one request's answer is held in memory.
 *
 * @throws PlatformError; files stored before that must not become items
 */
export async function exportFiles(
	{ execution: context, connection, zone, now }: Where,
	sessions: Sessions,
	choices: Choices,
): Promise<Outcome> {
	const { stats } = connection;
	let counted = stats.requests;
	const { options } = choices;
	const period = 'query' in sessions ? coveredDays(sessions.query.filter, zone, 'StartedAtUtc') : undefined;
	const request: ExportRequest = { ...choices, sessions, period };
	const { ids, notes } = await idsToExport(connection, request);
	const signal =
		typeof context.getExecutionCancelSignal === 'function' ? context.getExecutionCancelSignal() : undefined;
	const turns = new Turns(signal);
	const parted = new SessionExport(
		new Asking(connection, turns, options.sessionIdColumn),
		options.idsPerRequest,
		turns,
	);

	const fileName = choices.fileName ?? defaultFileName(period, now, zone);
	const groups = chunk(ids, options.sessionsPerFile ?? Math.max(1, ids.length));
	const files = groups.map((group, index): FileInTheMaking => {
		const name = groups.length > 1 ? numberedFileName(fileName, index + 1, groups.length) : fileName;
		return { name, ids: group, completeness: new Completeness() };
	});
	let records = 0;
	let misfit: CsvMerger['misfit'];
	const store = async (file: FileInTheMaking, parts: AsyncIterable<CsvPart>) => {
		const merger = new CsvMerger(options.byteOrderMark, options.escapeFormulas);
		const hash = createHash('sha256');
		file.binary = await storeFile(context, hashed(mergeParts(parts, merger, turns), hash), file.name);
		file.content = { rowCount: merger.records, sha256: hash.digest('hex') };
		records += merger.records;
		misfit ??= merger.misfit;
	};
	for (const file of files) {
		const parts = parted.parts(file.ids, file.completeness);
		const first = await parts.next();
		if (!first.done) await store(file, startingWith(first.value, parts));
		file.completeness.requests = stats.requests - counted;
		counted = stats.requests;
	}
	parted.check();
	const all = together(files);
	all.requests += stats.requests - counted;
	notes.push(...completenessNotes(all, ids.length, records));
	const isNothing = ids.every((id) => all.missing.get(id) === 'notFound');
	if (isNothing || !parted.empty) {
		const json = { fileName: null, ...countsOf(ids, all, request), ...NO_CONTENT };
		return withoutFile(request, ids.length, { json }, notes);
	}
	// Files for which the platform sent nothing get only the header.
	for (const file of files) if (!file.binary) await store(file, startingWith(parted.empty));
	if (misfit) notes.push(MISFIT_NOTES[misfit]);
	return { files: files.map((file, index) => itemOf(file, request, { index, count: files.length })), notes };
}

/** A file, its sessions, and where n8n has stored it. */
interface FileInTheMaking {
	name: string;
	ids: readonly number[];
	completeness: Completeness;
	binary?: IBinaryData;
	content?: Content;
}

/** What a receiver can compare an arrived file with. */
interface Content {
	rowCount: number;
	sha256: string | null;
}

const NO_CONTENT: Content = { rowCount: 0, sha256: null };

function itemOf(
	{ name, ids, completeness, binary, content }: FileInTheMaking,
	request: ExportRequest,
	{ index, count }: { index: number; count: number },
): INodeExecutionData {
	const number = request.options.sessionsPerFile !== undefined && { fileNumber: index + 1, fileCount: count };
	return {
		json: { fileName: name, ...countsOf(ids, completeness, request), ...content, ...number },
		...(binary && { binary: { [request.binaryPropertyName]: binary } }),
	};
}

/** What was found out about the sessions of all files. */
function together(files: readonly FileInTheMaking[]): Completeness {
	const all = new Completeness();
	for (const { missing, foreign, unchecked, requests } of files.map(({ completeness }) => completeness)) {
		for (const [id, reason] of missing) all.missing.set(id, reason);
		all.foreign += foreign;
		all.unchecked += unchecked;
		all.requests += requests;
	}
	return all;
}

function withoutFile(request: ExportRequest, asked: number, item: INodeExecutionData, notes: string[]): Outcome {
	const nothing = nothingSentence(request, asked);
	switch (request.options.whenNothingMatches) {
		case 'fail':
			throw new PlatformError('configuration', `${nothing}, so there is nothing to export`, {
				description: 'The option When Nothing Matches decides whether the workflow stops here.',
			});
		case 'noItem':
			return { files: [], notes: [...notes, `${nothing}, so there is no file and no item.`] };
		case 'itemWithoutFile':
			return { files: [item], notes };
	}
}

async function idsToExport(connection: Connection, { sessions, options }: ExportRequest) {
	if ('ids' in sessions) return { ids: sessions.ids, notes: [] as string[] };
	return await listSessionIds(connection, { query: sessions.query, paging: pagingOf(options) });
}

async function* startingWith(first: CsvPart, rest: AsyncIterable<CsvPart> | [] = []): AsyncGenerator<CsvPart, void> {
	yield first;
	yield* rest;
}

async function* hashed(bytes: AsyncIterable<Buffer>, hash: Hash): AsyncGenerator<Buffer, void> {
	for await (const piece of bytes) {
		hash.update(piece);
		yield piece;
	}
}

async function storeFile(
	context: IExecuteFunctions,
	bytes: AsyncGenerator<Buffer, void>,
	fileName: string,
): Promise<IBinaryData> {
	const stream = new ByteStream(bytes);
	try {
		return await context.helpers.prepareBinaryData(stream.asStoreInput(), fileName, 'text/csv');
	} catch (thrown) {
		throw stream.broken ? stream.broken.thrown : notStored(thrown, stream.abandoned);
	}
}

function notStored(thrown: unknown, gaveUp: boolean): PlatformError {
	const reason = thrown instanceof Error ? thrown.message : String(thrown);
	return new PlatformError('configuration', 'n8n could not store the file', {
		description: gaveUp
			? 'The platform made the export wait for longer than n8n waits for a file. Export fewer sessions at once, or let n8n keep files in the file system (N8N_DEFAULT_BINARY_DATA_MODE=filesystem).'
			: `n8n says: ${reason}. Where the file is too large for n8n's binary store, the option Sessions per File makes several smaller ones.`,
	});
}

/** How many of these sessions are in their file, which are not, and why. */
function countsOf(
	group: readonly number[],
	{ missing, foreign, unchecked, requests }: Completeness,
	{ sessions, period }: ExportRequest,
): IDataObject {
	const missingIds = group.filter((id) => missing.has(id));
	const inFile = group.filter((id) => !missing.has(id));
	return {
		sessionCount: inFile.length,
		requestedCount: group.length,
		lowestId: min(inFile) ?? null,
		highestId: max(inFile) ?? null,
		missingCount: missingIds.length,
		missingIds,
		missingReasons: mapValues(MISSING_REASONS, (_, reason) => missingIds.filter((id) => missing.get(id) === reason)),
		foreignCount: foreign,
		identityChecked: unchecked === 0,
		...('query' in sessions && { period: period ? { ...period } : null }),
		requests,
	};
}

const MISFIT_NOTES: Record<NonNullable<CsvMerger['misfit']>, string> = {
	'left out':
		'The CSV of the platform is not written in UTF-8, so Excel Umlauts did not add its mark, which would make Excel read it as UTF-8. If Excel shows wrong letters, open the file there with Data → From Text/CSV, and choose another File Origin, such as 1252.',
	written:
		'The file begins with the mark of Excel Umlauts, but some of its text is not written in UTF-8, which showed only after the mark was stored. For Excel to show these letters, set Excel Umlauts to As the Platform Sends It, run the node again, and open the file in Excel with Data → From Text/CSV.',
};

function completenessNotes({ missing, foreign, unchecked }: Completeness, asked: number, records: number): string[] {
	const counts = countBy([...missing.values()]);
	const { notFound = 0, leftOut = 0, notConfirmed = 0 } = counts;
	const surplus = records - (asked - notFound - leftOut);
	return [
		...Object.entries(MISSING_REASONS).flatMap(([reason, why]) => {
			const how =
				reason === 'notConfirmed' ? `Of ${notConfirmed} sessions, some` : `${counts[reason]} of ${asked} sessions`;
			return counts[reason] ? [`${how} are not in the file, because ${why}`] : [];
		}),
		...(foreign > 0
			? [
					`The platform sent ${foreign} records that belong to none of the sessions asked for, such as those of other sessions or a line with totals. They are not in the file. If their session IDs are in another column than Id or Session ID, enter it in the option Session ID Column.`,
				]
			: []),
		...(unchecked > 0
			? [
					'No column of the CSV shows which session a record belongs to. So the records could only be counted: whether they are those of the sessions asked for, and in their order, could not be checked. If one holds the session IDs under another name, enter it in the option Session ID Column.',
				]
			: []),
		...(surplus > 0 ? [`The platform sent ${surplus} more records than sessions. All of them are in the file.`] : []),
	];
}

function nothingSentence({ sessions }: ExportRequest, asked: number): string {
	if ('query' in sessions && asked === 0) return 'No charging session matches the filter';
	return asked === 0 ? 'There are no session IDs' : `The platform has none of the ${asked} sessions (any more)`;
}
