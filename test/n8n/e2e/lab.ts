import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before } from 'node:test';

import type { Page } from 'playwright-core';

import { openBrowser, openEditor } from '../browser.ts';
import type { N8nClient } from '../client.ts';
import { N8N_FOLDERS, type N8nLine } from '../install.ts';
import { buildPackage, startShowcase, type Showcase } from '../showcase.ts';
import { REPOSITORY, type Later } from '../tools.ts';

/** Not UTC, and with daylight saving time: "last month" is not a month of UTC there. */
export const TIMEZONE = 'Europe/Berlin';

/** What the tests of one n8n share: the stand-in platform and the n8n. */
export interface Lab extends Showcase {
	/** Registers what to stop when the tests of this n8n are over. */
	later: Later;
}

/** The exact version that is tested for a line of n8n. */
export function versionOf(line: N8nLine): string {
	const file = join(N8N_FOLDERS[line], 'package.json');
	return (JSON.parse(readFileSync(file, 'utf8')) as { dependencies: { n8n: string } }).dependencies.n8n;
}

let built: Promise<string> | undefined;

/** The tarball under test, built once for all versions of n8n. */
export function tarball(): Promise<string> {
	built ??= (async () => {
		const folder = mkdtempSync(join(tmpdir(), 'charging-network-pack-'));
		process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
		return await buildPackage(folder, console.log);
	})();
	return built;
}

/** Starts something before the tests of the calling suite, and stops it after them. Call the result in tests. */
export function use<T>(start: (later: Later) => Promise<T>): () => T {
	const stops: (() => Promise<void> | void)[] = [];
	let started: { what: T } | undefined;
	before(async () => {
		started = { what: await start((stop) => stops.push(stop)) };
	});
	after(async () => {
		for (const stop of stops.reverse()) await stop();
	});
	return () => {
		if (!started) throw new Error('What is tested has not been started.');
		return started.what;
	};
}

export const useLab = (line: N8nLine): (() => Lab) =>
	use(async (later) => {
		const platform = { sessions: 20_000, stations: 250 };
		const place = { log: console.log, later, line, timezone: TIMEZONE, tarball: await tarball() };
		return { ...(await startShowcase({ ...place, platform })), later };
	});

/** Screenshots of the editor when a test failed. */
const FAILURES = join(REPOSITORY, 'test/n8n/.cache/failures');

/** The window of a person who has logged in to an n8n. If a test of the calling suite fails, a picture of it is kept. */
export function useEditor(n8n: () => N8nClient): () => Page {
	const editor = use(async (later) => {
		const browser = await openBrowser();
		later(() => browser.close());
		return await openEditor(browser, n8n());
	});
	afterEach(async (test) => {
		if (!('passed' in test) || test.passed) return;
		mkdirSync(FAILURES, { recursive: true });
		const file = join(FAILURES, `${test.name.replaceAll(/\W+/g, '-')}.png`);
		await editor().screenshot({ path: file });
		console.log(`What the editor showed: ${file}`);
	});
	return editor;
}
