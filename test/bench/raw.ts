import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pipeline } from 'node:stream/promises';
import type { IDataObject } from 'n8n-workflow';
import { Pool } from 'undici';

import { countDifferent, EXPORT, PAGE, queryOf, SESSIONS } from './query.ts';
import type { ExportJob, ReadJob } from './types.ts';
import type { Finished } from './worker.ts';

interface Envelope {
	Items: IDataObject[];
	TotalCount: number;
}

type Item = { json: IDataObject; pairedItem: { item: number } };

/**
 * The lower bound: undici with keep-alive, Skip and Take, JSON.parse, and the wrapping that n8n's items need. It obeys
 * Retry-After for all lanes at once and retries only what was refused. It is not safe against a list that changes.
 */
export function rawReader(job: ReadJob): () => Promise<Finished> {
	return async () => {
		const { items } = await readAll(job);
		return { status: 'success', countRows: () => countDifferent(items.map(({ json }) => json)) };
	};
}

/** All rows as n8n's items. */
export async function readAll(job: ReadJob): Promise<{ items: Item[] }> {
	const { baseUrl, key, parallel, limit } = job;
	const pool = new Pool(baseUrl, { connections: parallel, pipelining: 1 });
	const query = queryOf(job);
	let closedUntil = 0;
	const page = async (index: number): Promise<Envelope> => {
		const take = Math.min(PAGE, (limit ?? Infinity) - index * PAGE);
		const dsquery = encodeURIComponent(JSON.stringify({ ...query, Pager: { Skip: index * PAGE, Take: take } }));
		for (;;) {
			for (let left = closedUntil - Date.now(); left > 0; left = closedUntil - Date.now()) await delay(left);
			const path = `${SESSIONS}?dsquery=${dsquery}`;
			const { statusCode, headers, body } = await pool.request({ path, method: 'GET', headers: { 'API-KEY': key } });
			const text = await body.text();
			if (statusCode === 200) return JSON.parse(text) as Envelope;
			if (statusCode !== 429) throw new Error(`${statusCode}: ${text}`);
			closedUntil = Math.max(closedUntil, Date.now() + Number(headers['retry-after']) * 1000);
		}
	};

	const pages: Item[][] = [];
	const take = ({ Items }: Envelope, index: number) =>
		(pages[index] = Items.map((json) => ({ json, pairedItem: { item: 0 } })));
	const first = await page(0);
	take(first, 0);
	const count = Math.ceil(Math.min(first.TotalCount, limit ?? Infinity) / PAGE);
	let next = 1;
	const lane = async () => {
		while (next < count) {
			const index = next++;
			take(await page(index), index);
		}
	};
	await Promise.all(Array.from({ length: parallel }, lane));
	await pool.close();
	return { items: pages.flat() };
}

/** Lists Ids four at a time, then posts the same chunks one after another and streams each answer to a file. */
export function rawExporter({ baseUrl, key, idsPerRequest }: ExportJob): () => Promise<Finished> {
	return async () => {
		const folder = await mkdtemp(join(tmpdir(), 'bench-'));
		const file = join(folder, 'export.csv');
		const { items } = await readAll({ kind: 'read', reader: 'raw', parallel: 4, baseUrl, key });
		const ids = items.map(({ json }) => json.Id);
		const pool = new Pool(baseUrl, { connections: 1, pipelining: 1 });
		async function* chunks(): AsyncGenerator<Buffer> {
			for (let start = 0; start < ids.length; start += idsPerRequest) {
				const { statusCode, body } = await pool.request({
					...{ path: EXPORT, method: 'POST' as const },
					headers: { 'API-KEY': key, 'Content-Type': 'application/json' },
					body: JSON.stringify({ Ids: ids.slice(start, start + idsPerRequest) }),
				});
				if (statusCode !== 200) throw new Error(`${statusCode}: ${await body.text()}`);
				yield* body as AsyncIterable<Buffer>;
			}
		}
		await pipeline(chunks, createWriteStream(file));
		await pool.close();
		const { size } = await stat(file);
		await rm(folder, { recursive: true });
		return { status: 'success', countRows: () => (size > 0 ? ids.length : 0) };
	};
}
