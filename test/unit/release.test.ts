import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import fastGlob from 'fast-glob';

describe('scripts/release.mjs', () => {
	let folder: string;
	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), 'release-'));
		const owned = ['package.json', 'SECURITY.md', 'CODE_OF_CONDUCT.md', '.github/CODEOWNERS'];
		for (const file of owned) write(file, 'maintainers@nodes.dev');
		write(
			'CHANGELOG.md',
			'# Changelog\n\n## [0.2.0] - 2026-12-01\n\nNew nodes.\n\n## [0.1.0] - Unreleased\n\nFirst.\n',
		);
	});
	afterEach(() => rmSync(folder, { recursive: true }));

	function write(file: string, text: string): void {
		mkdirSync(dirname(join(folder, file)), { recursive: true });
		writeFileSync(join(folder, file), text);
	}
	const check = (version: string) => spawnSync('node', ['scripts/release.mjs', version, folder], { encoding: 'utf8' });

	it('prints the notes of a version that can be released', () => {
		expect(check('0.2.0')).toMatchObject({ status: 0, stdout: 'New nodes.\n' });
	});

	it('refuses a version without notes or without a date', () => {
		for (const version of ['0.1.0', '0.3.0']) {
			const stderr = `CHANGELOG.md has no section "## [${version}] - YYYY-MM-DD".\n`;
			expect(check(version)).toMatchObject({ status: 1, stdout: '', stderr });
		}
	});

	it('refuses an address that reaches nobody, and names every file that has one', () => {
		write('SECURITY.md', 'Write to security@network.example.');
		write('.github/CODEOWNERS', '* team@network.example\n');
		const { status, stdout, stderr } = check('0.2.0');
		expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
		expect(stderr).toMatch(/^SECURITY\.md has the address security@network\.example: .*\n\.github\/CODEOWNERS has /);
	});
});

describe('workflows', () => {
	const workflows = fastGlob.sync('.github/workflows/*.yml', { dot: true });
	const [, ...texts] = readFileSync('.github/workflows/publish.yml', 'utf8').split(/^ {2}(?=\w+:\n {4}\w)/m);
	const jobs: Partial<Record<string, string>> = Object.fromEntries(
		texts.map((text) => [text.slice(0, text.indexOf(':')), text]),
	);

	it.each(workflows)('%s takes every action by its hash', (file) => {
		const uses = [...readFileSync(file, 'utf8').matchAll(/\buses: (.*)/g)].map(([, action]) => action);
		expect(uses).not.toEqual([]);
		expect(uses.filter((action) => !/^[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(String(action)))).toEqual([]);
	});

	it('the section of CONTRIBUTING that Dependabot is told about is there', () => {
		const [, section = ''] = /CONTRIBUTING, "([^"]+)"/.exec(readFileSync('.github/dependabot.yml', 'utf8')) ?? [];
		expect(readFileSync('CONTRIBUTING.md', 'utf8')).toContain(`\n## ${section}\n`);
	});

	it('what is published is packed by a job that runs no tests, and published by one that runs no code of ours', () => {
		expect(Object.keys(jobs)).toEqual(['package', 'test', 'publish', 'release']);
		expect(jobs.package).not.toMatch(/\.ci\/run|npm (?:test|run (?!build\b))/);
		expect(jobs.test).not.toContain('upload-artifact');
		for (const job of [jobs.publish, jobs.release]) expect(job).not.toMatch(/checkout@|npm (?:ci|install|run)/);
	});

	it('only the package that was tested, byte for byte, is published', () => {
		const [compare, publish] = ['"$TESTED" ]] ||', 'npm publish'].map((text) => jobs.publish?.indexOf(text) ?? -1);
		expect(jobs.publish).toContain('TESTED: ${{ needs.test.outputs.sha256 }}');
		expect(compare).toBeGreaterThan(0);
		expect(publish).toBeGreaterThan(Number(compare));
	});
});
