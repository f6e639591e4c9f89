import chunk from 'lodash/chunk';
import type { IBinaryData, INodeExecutionData } from 'n8n-workflow';

import type { SessionId } from '../shared/csv/sessions';
import type { Query } from '../shared/dsquery/types';
import { coveredDays } from '../shared/dsquery/values/coveredDays';
import type { NodeExecutionState, OperationResult, RunContext } from '../shared/operation/operation';
import { toPagingOptions } from '../shared/parameters/options';
import type { ValuesOf } from '../shared/parameters/parameter';
import { PlatformError } from '../shared/platform';
import { quote } from '../shared/text';
import { LongWork } from '../shared/longWork';
import { toolResultFields } from './asTool';
import { SessionRecordFetcher, type FilePart } from './sessionRecordFetcher';
import { CsvMerger, storeFile } from './csvMerger';
import { defaultFileName, uniqueFileNames, partFileNames } from './fileName';
import { ExportFindings, exportNotes } from './findings';
import type { byIds } from './parameters';
import { fetchSessionIds } from './sessionList';

/** The sessions to export: these, or those that a query finds. */
type SessionSource = { ids: readonly SessionId[] } | { query: Query };

/** What both operations let the user choose. */
type FileChoices = Pick<ValuesOf<typeof byIds>, 'fileName' | 'binaryPropertyName' | 'options'>;

/** A file, what is found out about it, and where n8n has stored it. */
interface OutputFile {
	name: string;
	findings: ExportFindings;
	stored?: IBinaryData;
	sha256?: string;
	misfit?: CsvMerger['misfit'];
}

/**
 * Exports the sessions into one file, or several if the user wants that. A file is written while its parts come, so
 * where n8n keeps files on disk, no more than one part is held in memory.
 *
 * @throws PlatformError; files stored before that must not become items
 */
export async function exportFiles(
	where: RunContext,
	sessions: SessionSource,
	choices: FileChoices,
): Promise<OperationResult> {
	const { connection, nodeRun, zone, now } = where;
	const { options } = choices;
	const requestsBefore = connection.stats.requests;
	const period = 'query' in sessions ? coveredDays(sessions.query.filter, zone, 'StartedAtUtc') : undefined;
	const { ids, notes: listNotes } =
		'ids' in sessions
			? { ids: sessions.ids, notes: [] }
			: await fetchSessionIds(connection, { query: sessions.query, paging: toPagingOptions(options) });
	const { fileName: chosen } = choices;
	const groups = chunk(ids, options.sessionsPerFile ?? Math.max(1, ids.length));
	const names = chosen
		? partFileNames(chosen, groups.length)
		: uniqueFileNames(defaultFileName(period, now, zone), groups.length, nodeRun.fileNames);
	const files = groups.map(
		(group, index): OutputFile => ({ name: names[index] ?? '', findings: new ExportFindings(group) }),
	);
	const hasRecords = await storeFiles(files, where, options, requestsBefore);
	const about = 'query' in sessions && { period: period ? { ...period } : null };
	const all = ExportFindings.of(files.map(({ findings }) => findings));
	const notes = [...listNotes, ...exportNotes(all)];
	if (!hasRecords) {
		const json = { fileName: null, ...all.toJson(listNotes), ...about, sha256: null };
		const none = 'query' in sessions ? 'No charging session matches the filter' : 'There are no session IDs';
		const why = ids.length === 0 ? none : `The platform has none of the ${ids.length} sessions (any more)`;
		return withoutFile(why, options.whenNothingMatches, { json }, notes);
	}
	notes.push(...repeatedNameNotes(names, nodeRun));
	const misfit = files.find((file) => file.misfit)?.misfit;
	if (misfit) notes.push(MISFIT_NOTES[misfit]);
	const told = toolResultFields(where.execution.getNode());
	const items = files.map((file, index): INodeExecutionData => {
		const number = options.sessionsPerFile !== undefined && { fileNumber: index + 1, fileCount: files.length };
		return {
			json: {
				fileName: file.name,
				...told,
				...file.findings.toJson(listNotes),
				...about,
				sha256: file.sha256,
				...number,
			},
			binary: { [choices.binaryPropertyName]: file.stored as IBinaryData },
		};
	});
	return { files: items, notes };
}

/** Notes that these files are made. Returns a sentence if one of the names is that of an earlier file of the run. */
function repeatedNameNotes(names: readonly string[], { fileNames }: NodeExecutionState): string[] {
	const repeated = names.find((name) => fileNames.has(name.toLowerCase()));
	for (const name of names) fileNames.add(name.toLowerCase());
	if (repeated === undefined) return [];
	return [
		`More than one file of this run has the name ${quote(repeated)}: where they are stored by their names, the last one replaces the others. In File Name, enter an expression that differs for each, such as =sessions-{{ $json.depot }}`,
	];
}

/** Makes the files. Returns false, with none of them stored, if the platform has none of the sessions. */
async function storeFiles(
	files: readonly OutputFile[],
	{ execution, connection }: RunContext,
	options: FileChoices['options'],
	requestsBefore: number,
): Promise<boolean> {
	const longWork = new LongWork(execution.getExecutionCancelSignal?.());
	const collector = new SessionRecordFetcher(connection, longWork, options.idsPerRequest, options.sessionIdColumn);
	const store = async (file: OutputFile, parts: AsyncIterable<FilePart> | Iterable<FilePart>) => {
		const writer = new CsvMerger(options, longWork);
		file.stored = await storeFile(writer.write(parts), file.name, execution.helpers.prepareBinaryData);
		file.sha256 = writer.sha256;
		file.misfit = writer.misfit;
		file.findings.rowCount = writer.rowCount;
	};
	let counted = requestsBefore;
	for (const file of files) {
		const parts = collector.parts(file.findings);
		const first = await parts.next();
		if (!first.done) await store(file, startingWith(first.value, parts));
		file.findings.requests = connection.stats.requests - counted;
		counted = connection.stats.requests;
	}
	collector.check();
	const { first } = collector;
	if (!first || files.every(({ findings }) => findings.hasNone)) return false;
	// Files for which nothing came get only the header.
	for (const file of files) if (!file.stored) await store(file, [{ file: first, records: [] }]);
	return true;
}

async function* startingWith(first: FilePart, rest: AsyncIterable<FilePart>): AsyncGenerator<FilePart, void> {
	yield first;
	yield* rest;
}

/** What comes out where there is no session to export, and a sentence that says so. */
function withoutFile(
	why: string,
	then: FileChoices['options']['whenNothingMatches'],
	item: INodeExecutionData,
	notes: readonly string[],
): OperationResult {
	switch (then) {
		case 'fail':
			throw new PlatformError('configuration', `${why}, so there is nothing to export`, {
				description: [...notes, 'The option When Nothing Matches decides whether the workflow stops here.'].join(' '),
			});
		case 'noItem':
			return { files: [], notes: [...notes, `${why}, so there is no file and no item.`] };
		case 'itemWithoutFile':
			return { files: [item], notes: [...notes] };
	}
}

const MISFIT_NOTES: Record<NonNullable<CsvMerger['misfit']>, string> = {
	'left out':
		'The CSV of the platform is not written in UTF-8, so Excel Umlauts did not add its mark, which would make Excel read it as UTF-8. If Excel shows wrong letters, open the file there with Data → From Text/CSV, and choose another File Origin, such as 1252.',
	written:
		'The file begins with the mark of Excel Umlauts, but some of its text is not written in UTF-8, which showed only after the mark was stored. For Excel to show these letters, set Excel Umlauts to As the Platform Sends It, run the node again, and open the file in Excel with Data → From Text/CSV.',
};
