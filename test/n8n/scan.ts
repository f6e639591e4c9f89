import { unpackTarball } from './pack.ts';
import { REPOSITORY, runProgram, temporaryFolder } from './tools.ts';

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
await runProgram(async () => {
	// The scanner has no types; a name in a variable keeps the compiler from looking for some.
	const name: string = '@n8n/scan-community-package/scanner/scanner.mjs';
	const scanner = (await import(name)) as Scanner;
	const unpacked = temporaryFolder();
	await unpackTarball(unpacked);
	report('Sources', await scanner.analyzePackage(REPOSITORY, scanner.SOURCE_FILE_PATTERNS));
	report('Tarball', await scanner.analyzePackage(unpacked, TARBALL_FILE_PATTERNS));
});

function report(part: string, { passed, message, details = '' }: ScanResult): void {
	console.log(`${part}: ${passed ? 'nothing found' : (message ?? 'not passed')}\n${details}`);
	if (!passed) process.exitCode = 1;
}
