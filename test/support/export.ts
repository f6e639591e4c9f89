import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { BinaryDataService, InstanceSettings } from 'n8n-core';

import { startPlatform, type Fault, type RequestRecord, type StandIn } from '../platform/index.ts';
import { installFastClock, type FastClock } from './clock.ts';
import { Container } from './container.ts';
import { credentialFor, runNode, type RunOptions } from './harness.ts';

export const EXPORT_PATH = '/api/charging-sessions/v1/export-csv';
export const LIST_PATH = '/api/charging-sessions/v1';

/** n8n's binary store, as the node's helpers use it. */
export const binaryStore = (): BinaryDataService => Container.get(BinaryDataService);

/** Makes n8n keep binary data in files, as it does by default. Otherwise this process keeps it in memory. */
export async function keepFilesOnDisk(): Promise<void> {
	await binaryStore().init();
}

/**
 * Starts one stand-in for all tests of a file and resets it before each. Files are kept on disk, and waits pass quickly.
 * @param use is given the stand-in before the first test
 */
export function exportTests(rows: { sessions: number; stations: number }, use: (platform: StandIn) => void): void {
	let platform: StandIn;
	let clock: FastClock;
	beforeAll(async () => {
		clock = installFastClock();
		await keepFilesOnDisk();
		platform = await startPlatform(rows);
		use(platform);
	});
	afterAll(async () => {
		clock.restore();
		await platform.close();
	});
	beforeEach(() => platform.reset());
}

/** Runs the export node against a stand-in. Besides its result: the file and JSON of the first item, and what is said. */
export async function runExport(platform: StandIn, parameters: INodeParameters, options: Partial<RunOptions> = {}) {
	const result = await runNode({
		type: 'chargingSessionsCsvExport',
		credential: credentialFor(platform),
		parameters,
		timezone: 'UTC',
		...options,
	});
	const { items, error, hints } = result;
	const [item] = items;
	return {
		...result,
		json: item?.json ?? {},
		file: item?.binary ? (await fileOf(item)).toString() : '',
		notes: hints.map(({ message }) => message).join(' '),
		refusal: error && `${error.message} ${error.description ?? ''}`,
	};
}

/** The only file of an output item, read back from n8n's binary store. */
export async function fileOf(item: INodeExecutionData | undefined): Promise<Buffer> {
	const [binary] = Object.values(item?.binary ?? {});
	if (!binary) throw new Error('The item has no file');
	return await binaryStore().getAsBuffer(binary);
}

/** Spoils every export request for such Ids. */
export function spoilExports(platform: StandIn, fault: Fault, when: (ids: number[]) => boolean): void {
	platform.faults.add({
		times: Infinity,
		...fault,
		match: ({ path, body }) => path === EXPORT_PATH && when((body as { Ids: number[] }).Ids),
	});
}

/** Answers all export requests with this file, or only the n-th one. */
export function answerWith(platform: StandIn, body: string | Buffer, nth?: number): void {
	const times = nth === undefined ? Infinity : 1;
	const headers = { 'content-type': 'text/csv' };
	platform.faults.add({ kind: 'reply', body, headers, times, match: { path: EXPORT_PATH, nth } });
}

/** Sessions that no platform of these tests has. */
export const isUnknown = (id: number) => id > 900_000_000;

/** What the platform sends for all of these ids in one request, which is not among those that it remembers. */
export async function platformExport(platform: StandIn, ids: readonly number[]): Promise<Buffer> {
	const response = await fetch(platform.baseUrl + EXPORT_PATH, {
		method: 'POST',
		headers: { 'API-KEY': platform.key, 'Content-Type': 'application/json' },
		body: JSON.stringify({ Ids: ids }),
	});
	if (!response.ok) throw new Error(`The stand-in refused: ${await response.text()}`);
	platform.requests.pop();
	return Buffer.from(await response.arrayBuffer());
}

/** The same as text. */
export const single = async (platform: StandIn, ids: readonly number[]): Promise<string> =>
	(await platformExport(platform, ids)).toString();

/** Ids of sessions, found by SQL. */
export const allIds = (platform: StandIn, where = 'TRUE ORDER BY Id'): number[] =>
	platform.db
		.prepare(`SELECT Id FROM sessions WHERE ${where}`)
		.all()
		.map(({ Id: id }) => Number(id));

export const exportRequests = (platform: StandIn): RequestRecord[] =>
	platform.requests.filter(({ path }) => path === EXPORT_PATH);
export const listRequests = (platform: StandIn): RequestRecord[] =>
	platform.requests.filter(({ path }) => path === LIST_PATH);

/** The ids of each export request, in the order they were sent. */
export const idsSent = (platform: StandIn): unknown[] =>
	exportRequests(platform).map(({ body }) => (body as { Ids: unknown }).Ids);

export const byIds = (sessionIds: unknown, options: IDataObject = {}): INodeParameters =>
	({ operation: 'exportByIds', sessionIdsFrom: 'field', sessionIds, options }) as INodeParameters;

/** All files in n8n's binary store, including those of refused exports. */
export function storedFiles(): string[] {
	const folder = join(Container.get(InstanceSettings).n8nFolder, 'storage');
	return existsSync(folder)
		? readdirSync(folder, { recursive: true, withFileTypes: true })
				.filter((entry) => entry.isFile())
				.map(({ name }) => name)
		: [];
}
