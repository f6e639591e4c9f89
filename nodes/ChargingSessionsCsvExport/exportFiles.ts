import chunk from 'lodash/chunk';
import countBy from 'lodash/countBy';
import type { IBinaryData, IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { CsvMerger, mergeParts } from './csv/merge';
import type { CsvPart } from '../shared/csv/part';
import { ByteStream } from './csv/storeStream';
import { Turns } from '../shared/csv/turns';
import { PlatformError } from '../shared/platform';
import type { Connection } from '../shared/platform';
import { numberedFileName } from './fileName';
import { ALWAYS_RESOLVED, type ExportFindings, type MissingReason } from './group';
import { listSessionIds } from './listIds';
import type { ExportRequest } from './request';
import { SessionExport } from './sessionExport';

export interface ExportOutcome {
	files: INodeExecutionData[];
	/** Hints for the user, one sentence each. */
	hints: string[];
}

/**
 * Exports the requested sessions into one file, or several if the user wants that. Files are streamed to n8n's binary
 * store: in filesystem mode no more than one request's answer is held in memory.
 *
 * @throws PlatformError; files stored before that must not become items
 */
export async function exportFiles(
	context: IExecuteFunctions,
	connection: Connection,
	request: ExportRequest,
): Promise<ExportOutcome> {
	const requestsBefore = connection.stats.requests;
	const { ids, hints } = await idsToExport(connection, request);
	const signal =
		typeof context.getExecutionCancelSignal === 'function' ? context.getExecutionCancelSignal() : undefined;
	const turns = new Turns(signal);
	const sessions = new SessionExport(connection, request.idsPerRequest, signal);
	const { findings } = sessions;
	const before = { requests: requestsBefore, foreign: 0, unchecked: 0 };
	/** What the item of this group says; each request and record counts in one item. */
	const about = (group: readonly number[]): IDataObject => {
		const now = { requests: connection.stats.requests, foreign: findings.foreign, unchecked: findings.unchecked };
		const json = {
			...countsOf(group, findings.missing),
			foreignCount: now.foreign - before.foreign,
			identityChecked: now.unchecked === before.unchecked,
			...('query' in request.sessions && { period: request.period ? { ...request.period } : null }),
			requests: now.requests - before.requests,
		};
		Object.assign(before, now);
		return json;
	};

	const groups = chunk(ids, request.sessionsPerFile ?? Math.max(1, ids.length));
	const files: INodeExecutionData[] = [];
	let records = 0;
	let headerOnly: CsvPart | undefined;
	const storeGroup = async (index: number, group: readonly number[], parts: AsyncIterable<CsvPart>) => {
		const fileName =
			groups.length > 1 ? numberedFileName(request.fileName, index + 1, groups.length) : request.fileName;
		const merger = new CsvMerger(request.csv);
		const binary = await storeFile(context, mergeParts(parts, merger, turns), fileName);
		const number = request.sessionsPerFile !== undefined && { fileNumber: index + 1, fileCount: groups.length };
		files[index] = {
			json: { fileName, ...about(group), ...number },
			binary: { [request.binaryPropertyName]: binary },
		};
		records += merger.records;
	};
	for (const [index, group] of groups.entries()) {
		const parts = sessions.parts(group);
		const first = await parts.next();
		if (first.done) continue;
		headerOnly ??= { ...first.value, records: [] };
		await storeGroup(index, group, startingWith(first.value, parts));
	}
	sessions.check();
	if (headerOnly) {
		// Groups for which the platform sent nothing get a file with only the header.
		for (const [index, group] of groups.entries()) {
			if (!files[index]) await storeGroup(index, group, startingWith(headerOnly));
		}
	}

	hints.push(...completenessHints(findings, ids.length, records));
	if (files.length > 0) return { files, hints };
	return withoutFile(request, ids.length, { json: { fileName: null, ...about(ids) } }, hints);
}

function withoutFile(request: ExportRequest, asked: number, item: INodeExecutionData, hints: string[]): ExportOutcome {
	const nothing = nothingSentence(request, asked);
	switch (request.whenNothing) {
		case 'fail':
			throw new PlatformError('configuration', `${nothing}, so there is nothing to export`, {
				description: 'The option When Nothing Matches decides whether the workflow stops here.',
			});
		case 'noItem':
			return { files: [], hints: [...hints, `${nothing}, so there is no file and no item.`] };
		case 'itemWithoutFile':
			return { files: [item], hints };
	}
}

async function idsToExport(connection: Connection, { sessions, pageSize, parallel, onContradiction }: ExportRequest) {
	if ('ids' in sessions) return { ids: sessions.ids, hints: [] as string[] };
	return await listSessionIds(connection, { query: sessions.query, paging: { pageSize, parallel, onContradiction } });
}

async function* startingWith(first: CsvPart, rest: AsyncIterable<CsvPart> | [] = []): AsyncGenerator<CsvPart, void> {
	yield first;
	yield* rest;
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
function countsOf(group: readonly number[], missing: ExportFindings['missing']): IDataObject {
	const missingIds = group.filter((id) => missing.has(id));
	const because = (reason: MissingReason) => missingIds.filter((id) => missing.get(id) === reason);
	return {
		sessionCount: group.length - missingIds.length,
		requestedCount: group.length,
		missingCount: missingIds.length,
		missingIds,
		missingReasons: {
			notFound: because('notFound'),
			leftOut: because('leftOut'),
			notConfirmed: because('notConfirmed'),
		} satisfies Record<MissingReason, number[]>,
	};
}

function completenessHints({ missing, foreign, unchecked }: ExportFindings, asked: number, records: number): string[] {
	const counts = countBy([...missing.values()]) as Partial<Record<MissingReason, number>>;
	const sentence = (reason: MissingReason, why: string) =>
		counts[reason] ? [`${counts[reason]} of ${asked} sessions are not in the file, because ${why}`] : [];
	const surplus = records - (asked - missing.size);
	return [
		...sentence('notFound', 'the platform does not have them (any more). Their IDs are in missingIds.'),
		...sentence(
			'leftOut',
			'the platform leaves them out of its CSV, although they are in its list. Their IDs are in missingIds.',
		),
		...sentence(
			'notConfirmed',
			`the platform leaves some of them out of its CSV, and it could not be found out which. Their IDs are in missingIds. Set the option IDs per Request to ${ALWAYS_RESOLVED} to get all that there are.`,
		),
		...(foreign > 0
			? [
					`The platform sent ${foreign} records that belong to none of the sessions asked for, such as those of other sessions or a line with totals. They are not in the file.`,
				]
			: []),
		...(unchecked > 0
			? [
					'No column of the CSV shows which session a record belongs to. So the records could only be counted: whether they are those of the sessions asked for, and in their order, could not be checked.',
				]
			: []),
		...(surplus > 0 ? [`The platform sent ${surplus} more records than sessions. All of them are in the file.`] : []),
	];
}

function nothingSentence({ sessions }: ExportRequest, asked: number): string {
	if ('query' in sessions && asked === 0) return 'No charging session matches the filter';
	return asked === 0 ? 'There are no session IDs' : `The platform has none of the ${asked} sessions (any more)`;
}
