import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type INodeParameters, type INodeType, type INodeTypeDescription, NodeConnectionTypes } from 'n8n-workflow';
import { LazyPackageDirectoryLoader } from 'n8n-core';

import { keepFilesOnDisk } from '../support/export.ts';
import {
	credentialFor,
	loadPackage,
	type NodeSource,
	runNode,
	type RunOptions,
	type RunResult,
} from '../support/harness.ts';
import { TriggerRig } from '../support/trigger/rig.ts';
import { type Platform, queryOfPage, SESSIONS, TAKE } from './platform.ts';
import { type Envelope, readPages } from './raw.ts';

/** Where `npm start` and the checks install a real n8n, with its own nodes. */
const NODES_BASE = join(process.cwd(), 'test/n8n/node_modules/n8n-nodes-base');
export const HAS_HTTP_REQUEST = existsSync(NODES_BASE);

/** Get Many with Return All. @returns how many rows came */
export async function readWithNode(platform: Platform, parallelRequests: number): Promise<number> {
	const parameters = { operation: 'getAll', returnAll: true, options: { parallelRequests } };
	return (await run({ type: 'chargingSessions', parameters, credential: credentialFor(platform) })).items.length;
}

/**
 * Reads with n8n's own helper, which nodes must use, as plainly as can be: by Skip and Take, without any check.
 *
 * @returns how many rows came
 */
export async function readWithHelper(platform: Platform, parallelRequests: number): Promise<number> {
	const from = await helperNode();
	const parameters = { parallelRequests };
	const { json } = await run({ type: 'helper', from, parameters, credential: credentialFor(platform) });
	return json.length;
}

/** A package with one node. */
async function helperNode(): Promise<NodeSource> {
	const { credentialTypes } = await loadPackage();
	const execute: INodeType['execute'] = async function () {
		const { productionUrl } = await this.getCredentials<{ productionUrl: string }>('chargingNetworkApi');
		const page = async (index: number): Promise<Envelope> => {
			const request = { url: productionUrl + SESSIONS, qs: { dsquery: queryOfPage(index * TAKE) }, json: true };
			const { helpers } = this;
			return (await helpers.httpRequestWithAuthentication.call(this, 'chargingNetworkApi', request)) as Envelope;
		};
		const rows = await readPages(page, this.getNodeParameter('parallelRequests', 0) as number);
		return [rows.map((json) => ({ json }))];
	};
	const description: INodeTypeDescription = {
		displayName: 'Helper',
		name: 'helper',
		group: ['input'],
		version: 1,
		description: '',
		defaults: {},
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'chargingNetworkApi' }],
		properties: [{ displayName: 'Parallel', name: 'parallelRequests', type: 'number', default: 1 }],
	};
	const type: INodeType = { description, execute };
	return { packageName: 'bench', nodeTypes: { helper: { type, sourcePath: '' } }, credentialTypes };
}

/** The CSV export into a file on disk, as n8n stores it by default. @returns how many sessions are in it */
export async function exportWithNode(platform: Platform): Promise<number> {
	await keepFilesOnDisk();
	const parameters = { operation: 'exportByFilter' };
	const { json } = await run({ type: 'chargingSessionsCsvExport', parameters, credential: credentialFor(platform) });
	return Number(json[0]?.sessionCount);
}

/** Activates the Station Status Trigger, and returns a poll. */
export async function pollOf(platform: Platform, event: string): Promise<() => Promise<void>> {
	const rig = new TriggerRig('memory', { event }, credentialFor(platform));
	await rig.activate();
	return async () => {
		await rig.tick();
		const [error] = rig.errors;
		if (error) throw error;
	};
}

/**
 * n8n's HTTP Request node with the pagination that works for this envelope: a page that is not full is the last one. It
 * asks for one page after another.
 *
 * @returns how many rows came
 */
export async function readWithHttpRequest({ baseUrl, key }: Platform): Promise<number> {
	// `}}` would end the expression.
	const [before, after] = queryOfPage(-1).replaceAll('}}', '} }').split('-1');
	const dsquery = `={{ ${JSON.stringify(before)} + $pageCount * ${TAKE} + ${JSON.stringify(after)} }}`;
	const pagination = {
		paginationMode: 'updateAParameterInEachRequest',
		parameters: { parameters: [{ type: 'qs', name: 'dsquery', value: dsquery }] },
		paginationCompleteWhen: 'other',
		completeExpression: `={{ $response.body.Items.length < ${TAKE} }}`,
		limitPagesFetched: false,
		requestInterval: 0,
	};
	const parameters: INodeParameters = {
		method: 'GET',
		url: baseUrl + SESSIONS,
		sendHeaders: true,
		headerParameters: { parameters: [{ name: 'API-KEY', value: key }] },
		options: { pagination: { pagination } },
	};
	const from = await nodesBase();
	const { json } = await run({ type: 'httpRequest', from, parameters, node: { typeVersion: 4.5 }, credential: {} });
	return json.reduce((rows, { Items: items }) => rows + (Array.isArray(items) ? items.length : 0), 0);
}

let base: Promise<NodeSource> | undefined;

async function nodesBase(): Promise<NodeSource> {
	base ??= (async () => {
		const loader = new LazyPackageDirectoryLoader(NODES_BASE);
		await loader.loadAll();
		loader.getNode('httpRequest');
		return loader;
	})();
	return await base;
}

async function run(options: RunOptions): Promise<RunResult> {
	const result = await runNode(options);
	if (result.error) throw result.error;
	return result;
}
