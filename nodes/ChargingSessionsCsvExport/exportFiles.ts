import chunk from 'lodash/chunk';
import type { IBinaryData, IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { CsvMerger, mergeParts } from './csv/merge';
import { ByteStream } from './csv/storeStream';
import { CsvFault, type CsvPart } from './csv/types';
import { PlatformError } from '../shared/platform';
import type { Platform } from '../shared/platform';
import { numberedFileName } from './fileName';
import { findUnknownIds, listSessionIds } from './listIds';
import type { ExportRequest } from './request';
import { invalidAnswer, SessionExport } from './sessionExport';

/** One output item before it is known which input items it belongs to. */
export type ExportedFile = {
	json: IDataObject;
	binary?: Record<string, IBinaryData>;
};

export interface ExportOutcome {
	files: ExportedFile[];
	/** What the user should know, one sentence each. */
	hints: string[];
}

export interface ExportTools {
	/** Puts a file into n8n's binary store. */
	store: IExecuteFunctions['helpers']['prepareBinaryData'];
	pauseBeforeRetry: (n: number) => Promise<void>;
}

/**
 * Exports what was asked for into one file, or several where the user wants it. The files go to n8n's binary store piece
 * by piece: in filesystem mode no more than two requests' answers are held in memory.
 *
 * @throws PlatformError; no item must be made of the files stored until then
 */
export async function exportFiles(
	platform: Platform,
	request: ExportRequest,
	tools: ExportTools,
): Promise<ExportOutcome> {
	let requestsBefore = platform.stats.requests;
	const requests = () => {
		const sent = platform.stats.requests - requestsBefore;
		requestsBefore += sent;
		return sent;
	};
	const { ids, hints } = await idsToExport(platform, request);
	const sessions = new SessionExport(platform, {
		idsPerRequest: request.idsPerRequest,
		findUnknown: async (some) => await findUnknownIds(platform, some),
		pauseBeforeRetry: tools.pauseBeforeRetry,
	});
	const about = (asked: number, count: number, unknown: readonly number[]): IDataObject => ({
		sessionCount: count,
		requestedCount: asked,
		missingCount: Math.max(0, asked - count),
		missingIds: [...unknown],
		period: request.period ? { ...request.period } : null,
		requests: requests(),
	});

	const groups = chunk(ids, request.sessionsPerFile ?? Math.max(1, ids.length));
	const files: ExportedFile[] = [];
	let header: Buffer | undefined;
	for (const [index, group] of groups.entries()) {
		const unknownBefore = sessions.unknownIds.length;
		const parts = sessions.parts(group);
		const first = await parts.next();
		if (first.done) continue;
		const fileName =
			groups.length > 1 ? numberedFileName(request.fileName, index + 1, groups.length) : request.fileName;
		const merger = new CsvMerger(request.bom, header);
		const binary = await storeFile(tools.store, mergeParts(startingWith(first.value, parts), merger), fileName);
		header = merger.header;
		files.push({
			json: {
				fileName,
				...about(group.length, merger.records, sessions.unknownIds.slice(unknownBefore)),
				...(request.sessionsPerFile !== undefined && { fileNumber: index + 1, fileCount: groups.length }),
			},
			binary: { [request.binaryPropertyName]: binary },
		});
	}

	hints.push(...completenessHints(sessions, ids.length));
	if (files.length > 0) return { files, hints };
	if (request.whenNothing === 'fail') throw nothingToExport(request, ids.length);
	if (request.whenNothing === 'noItem') {
		return { files, hints: [...hints, `${nothingSentence(request, ids.length)}, so there is no file and no item.`] };
	}
	return { files: [{ json: { fileName: null, ...about(ids.length, 0, sessions.unknownIds) } }], hints };
}

async function idsToExport(platform: Platform, { sessions, pageSize, parallel }: ExportRequest) {
	if ('ids' in sessions) return { ids: sessions.ids, hints: [] as string[] };
	return await listSessionIds(platform, { query: sessions.query, pageSize, parallel });
}

async function* startingWith(first: CsvPart, rest: AsyncIterable<CsvPart>): AsyncGenerator<CsvPart, void> {
	yield first;
	yield* rest;
}

async function storeFile(
	store: ExportTools['store'],
	bytes: AsyncGenerator<Buffer, void>,
	fileName: string,
): Promise<IBinaryData> {
	const stream = new ByteStream(bytes);
	try {
		return await store(stream.asStoreInput(), fileName, 'text/csv');
	} catch (thrown) {
		throw stream.broken ? unusablePart(stream.broken.thrown) : notStored(thrown, stream.abandoned);
	}
}

function unusablePart(thrown: unknown): unknown {
	return thrown instanceof CsvFault ? invalidAnswer(thrown) : thrown;
}

function notStored(thrown: unknown, gaveUp: boolean): PlatformError {
	const reason = thrown instanceof Error ? thrown.message : String(thrown);
	return new PlatformError('configuration', 'n8n could not store the file', {
		description: gaveUp
			? 'The platform made the export wait for longer than n8n waits for a file. Export fewer sessions at once, or let n8n keep files in the file system (N8N_DEFAULT_BINARY_DATA_MODE=filesystem).'
			: `n8n says: ${reason}. Where the file is too large for n8n's binary store, the option Sessions per File makes several smaller ones.`,
	});
}

function completenessHints({ unknownIds, leftOut, surplus }: SessionExport, asked: number): string[] {
	const hints: string[] = [];
	if (unknownIds.length > 0) {
		hints.push(
			`${unknownIds.length} of ${asked} sessions are not in the file, because the platform does not have them (any more). Their ids are in missingIds.`,
		);
	}
	if (leftOut > 0)
		hints.push(`The platform left ${leftOut} of ${asked} sessions out of its CSV, although they are in its list.`);
	if (surplus > 0)
		hints.push(`The platform sent ${surplus} more records than sessions, so sessionCount counts records.`);
	return hints;
}

function nothingSentence({ sessions }: ExportRequest, asked: number): string {
	if ('query' in sessions && asked === 0) return 'No charging session matches the filter';
	return asked === 0 ? 'There are no session ids' : `The platform has none of the ${asked} sessions (any more)`;
}

function nothingToExport(request: ExportRequest, asked: number): PlatformError {
	return new PlatformError('configuration', `${nothingSentence(request, asked)}, so there is nothing to export`, {
		description: 'The option When Nothing Matches decides whether the workflow stops here.',
	});
}
