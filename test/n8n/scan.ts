import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { packPackage, unpackPackage } from './pack.ts';
import { endWith, REPOSITORY, withCleanup } from './tools.ts';

interface ScanResult {
	passed: boolean;
	message?: string;
	details?: string;
}

/** The part of n8n's scanner that lints. The rest of it downloads a published package and checks its provenance. */
interface Scanner {
	/** The files it lints in the sources of a published package. */
	SOURCE_FILE_PATTERNS: string[];
	/** Lints the matching files of a folder with n8n's rules, ignoring inline comments that disable some. */
	analyzePackage(folder: string, patterns: string[]): Promise<ScanResult>;
}

/** What the scanner lints in the tarball. It is not exported, but inside `analyzePackageByName`. */
const TARBALL_FILE_PATTERNS = ['**/*.js', 'package.json'];

/** `npm run scan`: both parts of n8n's lint of published packages, on this checkout and on its tarball. */
async function scan(): Promise<number> {
	// The scanner has no types; a name in a variable keeps the compiler from looking for some.
	const name: string = '@n8n/scan-community-package/scanner/scanner.mjs';
	const scanner = (await import(name)) as Scanner;
	return await withCleanup(async (later) => {
		const folder = mkdtempSync(join(tmpdir(), 'charging-network-scan-'));
		later(() => rmSync(folder, { recursive: true, force: true }));
		const unpacked = join(folder, 'package');
		await unpackPackage(await packPackage(REPOSITORY, folder), unpacked);
		const source = report('Sources', await scanner.analyzePackage(REPOSITORY, scanner.SOURCE_FILE_PATTERNS));
		const tarball = report('Tarball', await scanner.analyzePackage(unpacked, TARBALL_FILE_PATTERNS));
		return source && tarball ? 0 : 1;
	});
}

function report(part: string, { passed, message, details }: ScanResult): boolean {
	console.log(`${part}: ${passed ? 'nothing found' : (message ?? 'not passed')}`);
	if (details) console.log(details);
	return passed;
}

await endWith(scan);
