import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Pool } from 'undici';

import { EXPORT, type Platform, queryOfPage, SESSIONS, TAKE } from './platform.ts';

export interface Envelope {
	Items: Array<{ Id: number }>;
	TotalCount: number;
}

/**
 * The least that reading can take: connections that are kept, Skip and Take, JSON.parse. It knows no rate limit and no
 * refusal, and it is not safe against a list that changes.
 */
export async function readRaw({ baseUrl, key }: Platform, parallel: number): Promise<Envelope['Items']> {
	const pool = new Pool(baseUrl, { connections: parallel, pipelining: 1 });
	const page = async (index: number): Promise<Envelope> => {
		const path = `${SESSIONS}?dsquery=${encodeURIComponent(queryOfPage(index * TAKE))}`;
		const { statusCode, body } = await pool.request({ path, method: 'GET', headers: { 'API-KEY': key } });
		if (statusCode !== 200) throw new Error(`${statusCode}: ${await body.text()}`);
		return JSON.parse(await body.text()) as Envelope;
	};
	const rows = await readPages(page, parallel);
	await pool.close();
	return rows;
}

/** All rows by Skip and Take, so many pages at a time. */
export async function readPages(
	page: (index: number) => Promise<Envelope>,
	parallel: number,
): Promise<Envelope['Items']> {
	const first = await page(0);
	const pages = [first.Items];
	const count = Math.ceil(first.TotalCount / TAKE);
	let next = 1;
	const lane = async () => {
		while (next < count) {
			const index = next++;
			pages[index] = (await page(index)).Items;
		}
	};
	await Promise.all(Array.from({ length: parallel }, lane));
	return pages.flat();
}

/** Lists the Ids four pages at a time, posts parts of 500 one after another, and streams the answers to a file, unchecked. */
export async function exportRaw(platform: Platform): Promise<void> {
	const { baseUrl, key } = platform;
	const ids = (await readRaw(platform, 4)).map(({ Id }) => Id);
	const pool = new Pool(baseUrl, { connections: 1, pipelining: 1 });
	async function* parts(): AsyncGenerator<Buffer> {
		for (let start = 0; start < ids.length; start += 500) {
			const { statusCode, body } = await pool.request({
				path: EXPORT,
				method: 'POST',
				headers: { 'API-KEY': key, 'Content-Type': 'application/json' },
				body: JSON.stringify({ Ids: ids.slice(start, start + 500) }),
			});
			if (statusCode !== 200) throw new Error(`${statusCode}: ${await body.text()}`);
			yield* body as AsyncIterable<Buffer>;
		}
	}
	const file = join(tmpdir(), `bench-${process.pid}.csv`);
	await pipeline(parts, createWriteStream(file));
	await pool.close();
	await rm(file);
}
