import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
	NodeConnectionTypes,
	type IExecuteFunctions,
	type IHttpRequestOptions,
	type INodeExecutionData,
	type INodeParameters,
	type INodeType,
	type INodeTypeDescription,
} from 'n8n-workflow';
import { LazyPackageDirectoryLoader } from 'n8n-core';

import { keepFilesOnDisk } from '../support/export.ts';
import {
	credentialFor,
	loadPackage,
	runNode,
	type NodeSource,
	type RunOptions,
	type RunResult,
} from '../support/harness.ts';
import { countDifferent, PAGE, queryOf, SESSIONS } from './query.ts';
import { readAll } from './raw.ts';
import { OUTAGE_TABLES } from './outageTables.ts';
import type { AvailabilityJob, ExportJob, OperationJob, ReadJob } from './types.ts';
import type { Finished } from './worker.ts';

/** Where `npm start` and the checks install a real n8n, including its own nodes. */
const NODES_BASE = join(process.cwd(), 'test/n8n/node_modules/n8n-nodes-base');

/** Reads a list with a node in n8n's engine, as one execution. */
export async function engineReader(job: ReadJob): Promise<() => Promise<Finished>> {
	const options = await optionsOf(job);
	return async () => {
		const result = await runNode(options);
		return { ...ending(result), countRows: () => countDifferent(rowsOf(result)) };
	};
}

/** Exports all sessions with this package's node; files go to disk, as n8n does by default. */
export async function engineExporter(job: ExportJob): Promise<() => Promise<Finished>> {
	await keepFilesOnDisk();
	await loadPackage();
	return async () => {
		const result = await runNode({
			type: 'chargingSessionsCsvExport',
			credential: credentialFor(job),
			parameters: {
				...(job.sessionIds === undefined
					? { operation: 'exportByFilter' }
					: { operation: 'exportByIds', sessionIds: job.sessionIds }),
				options: { idsPerRequest: job.idsPerRequest },
			},
			onStart: (cancel) => {
				if (job.stopAfterMs !== undefined) setTimeout(cancel, job.stopAfterMs);
			},
		});
		return { ...ending(result), countRows: () => Number(result.json[0]?.sessionCount ?? 0) };
	};
}

/** Runs one operation against whatever answers. */
export async function operationRunner(job: OperationJob): Promise<() => Promise<Finished>> {
	await loadPackage();
	const type = job.operation === 'checkPlatform' ? 'chargingNetworkList' : 'chargingStations';
	const filters = { networkStatus: [{ operator: 'Neq', value: 1 }] };
	const parameters = { operation: job.operation, limit: 100, ...(job.operation === 'getAll' && { filters }) };
	return async () => {
		const result = await runNode({ type, credential: credentialFor(job), parameters });
		return { ...ending(result), countRows: () => result.items.length };
	};
}

/** Computes availability from a table of outages. */
export async function availabilityRunner(job: AvailabilityJob): Promise<() => Promise<Finished>> {
	await loadPackage();
	const items = OUTAGE_TABLES[job.table]?.() ?? [{}];
	const options = { assumeAlwaysWatched: true };
	const parameters = { operation: 'availability', period: 'lastDays', days: 3_000, result: job.result, options };
	return async () => {
		const result = await runNode({ type: 'chargingStations', credential: credentialFor(job), parameters, items });
		return { ...ending(result), countRows: () => result.items.length };
	};
}

async function optionsOf(job: ReadJob): Promise<RunOptions> {
	switch (job.reader) {
		case 'node':
			await loadPackage();
			return { type: 'chargingSessions', credential: credentialFor(job), parameters: nodeParameters(job) };
		case 'helper': {
			const from = await helperSource(job);
			return { type: 'helper', from, credential: credentialFor(job) };
		}
		case 'raw in n8n': {
			const from = await bareNode(async () => [(await readAll(job)).items]);
			return { type: 'helper', from, credential: credentialFor(job) };
		}
		case 'httpRequest':
			return {
				type: 'httpRequest',
				from: await nodesBase(),
				credential: { name: 'API-KEY', value: job.key },
				parameters: httpRequestParameters(job),
				credentialType: 'httpHeaderAuth',
				node: { typeVersion: 4.5 },
			};
		case 'raw':
			throw new Error('The raw client does not run in n8n');
	}
}

function nodeParameters({ filter, sort, limit, parallel }: ReadJob): INodeParameters {
	return {
		operation: 'getAll',
		returnAll: limit === undefined,
		...(limit === undefined ? {} : { limit }),
		filters: filter === undefined ? {} : { json: [{ json: JSON.stringify(filter) }] },
		logic: 'And',
		sort: sort === undefined ? {} : { by: [{ field: sort, direction: 'Asc' }] },
		options: { parallelRequests: parallel },
	};
}

/** The HTTP Request node with the pagination that works for this envelope: a page that is not full is the last. */
function httpRequestParameters(job: ReadJob): INodeParameters {
	const { baseUrl, limit } = job;
	const take = Math.min(PAGE, limit ?? PAGE);
	// `}}` would end the expression.
	const query = JSON.stringify(queryOf(job)).slice(1, -1).replaceAll('}}', '} }').replaceAll('}}', '} }');
	return {
		method: 'GET',
		url: baseUrl + SESSIONS,
		authentication: 'genericCredentialType',
		genericAuthType: 'httpHeaderAuth',
		options: {
			pagination: {
				pagination: {
					paginationMode: 'updateAParameterInEachRequest',
					parameters: {
						parameters: [
							{
								type: 'qs',
								name: 'dsquery',
								value: `={{ JSON.stringify({ ${query}, "Pager": { "Skip": $pageCount * ${take}, "Take": ${take} } }) }}`,
							},
						],
					},
					paginationCompleteWhen: 'other',
					completeExpression: `={{ $response.body.Items.length < ${take} }}`,
					limitPagesFetched: limit !== undefined,
					maxRequests: limit === undefined ? 100 : Math.ceil(limit / take),
					requestInterval: 0,
				},
			},
		},
	};
}

let base: Promise<LazyPackageDirectoryLoader> | undefined;

async function nodesBase(): Promise<NodeSource> {
	base ??= (async () => {
		if (!existsSync(NODES_BASE)) throw new Error('n8n-nodes-base is not installed');
		const loader = new LazyPackageDirectoryLoader(NODES_BASE);
		await loader.loadAll();
		loader.getNode('httpRequest');
		loader.getCredential('httpHeaderAuth');
		return loader;
	})();
	return await base;
}

/** A node without parameters that runs only this function. */
async function bareNode(execute: (this: IExecuteFunctions) => Promise<INodeExecutionData[][]>): Promise<NodeSource> {
	const { packageName, credentialTypes } = await loadPackage();
	const description: INodeTypeDescription = {
		displayName: 'Helper',
		name: 'helper',
		group: ['input'],
		version: 1,
		description: '',
		defaults: { name: 'Helper' },
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'chargingNetworkApi', required: true }],
		properties: [],
	};
	const type: INodeType = { description, execute };
	return { packageName, credentialTypes, nodeTypes: { helper: { type, sourcePath: '' } } };
}

/** The cost of any node that pages in parallel through n8n's request helper and does nothing else. */
async function helperSource({
	baseUrl,
	parallel,
	limit = Infinity,
	pagesWithoutRows,
	...job
}: ReadJob): Promise<NodeSource> {
	const nothing = { filter: { Logic: 'And', Filters: [{ Field: 'Id', Operator: 'Lt', Value: '0' }] } };
	const query = queryOf(pagesWithoutRows === undefined ? job : nothing);
	return await bareNode(async function () {
		const page = async (index: number) => {
			const request: IHttpRequestOptions = {
				url: baseUrl + SESSIONS,
				qs: { dsquery: JSON.stringify({ ...query, Pager: { Skip: index * PAGE, Take: PAGE } }) },
			};
			const answer: unknown = await this.helpers.httpRequestWithAuthentication.call(
				this,
				'chargingNetworkApi',
				request,
			);
			return answer as { Items: Array<INodeExecutionData['json']>; TotalCount: number };
		};
		const pages: INodeExecutionData[][] = [];
		const first = await page(0);
		const wrapped = ({ Items }: typeof first) => Items.map((json) => ({ json, pairedItem: { item: 0 } }));
		pages[0] = wrapped(first);
		const count = pagesWithoutRows ?? Math.ceil(Math.min(first.TotalCount, limit) / PAGE);
		let next = 1;
		const lane = async () => {
			while (next < count) {
				const index = next++;
				pages[index] = wrapped(await page(index));
			}
		};
		await Promise.all(Array.from({ length: parallel }, lane));
		return [pages.flat()];
	});
}

function ending({ status, error }: RunResult): { status: string; message?: string } {
	return { status, ...(error === undefined ? {} : { message: error.message }) };
}

/** The HTTP Request node gives one item per page; the Split Out node that users add is not counted against it. */
function* rowsOf({ json }: RunResult): Generator<unknown> {
	for (const row of json) {
		if (Array.isArray(row.Items)) yield* row.Items as unknown[];
		else yield row;
	}
}
