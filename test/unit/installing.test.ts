import { execFileSync, spawnSync } from 'node:child_process';
import {
	cpSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	truncateSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The commands of docs/installing.md, for a machine and for a container, run as they are written there. */
const page = readFileSync('docs/installing.md', 'utf8');
const [, onMachine = ''] = /\n\*\*2\. Copy the .*?```sh\n(.*?)```/s.exec(page) ?? [];
const [, inContainer = ''] = /docker exec -u node n8n sh -c '\n(.*?)'\n```/s.exec(page) ?? [];
const FILE = /[\w.-]+\.tgz/.exec(onMachine)?.[0] ?? '';

let home: string;
let places: { nodes: string; installed: string; file: string };
beforeEach(() => {
	home = mkdtempSync(join(tmpdir(), 'installing-'));
	const nodes = join(home, '.n8n/nodes');
	places = { nodes, installed: join(nodes, 'node_modules/n8n-nodes-charging-network'), file: join(home, FILE) };
	mkdirSync(join(home, 'package/dist'), { recursive: true });
	writeFileSync(join(home, 'package/package.json'), '"new"');
	writeFileSync(join(home, 'package/dist/new.js'), 'x'.repeat(100_000));
	execFileSync('tar', ['-czf', places.file, 'package'], { cwd: home });
});
afterEach(() => rmSync(home, { recursive: true }));

const haveOld = () => {
	mkdirSync(join(places.installed, 'old'), { recursive: true });
	writeFileSync(join(places.installed, 'package.json'), '"old"');
};

describe.each([
	['on a machine', onMachine],
	['in a container', inContainer.replace('/tmp/charging-network.tgz', FILE)],
])('the commands %s', (_, commands) => {
	const install = (path = process.env.PATH) =>
		spawnSync('sh', ['-c', commands], { cwd: home, env: { ...process.env, HOME: home, PATH: path } }).status;

	it.each([false, true])('install the package, where there was one before: %s', (isUpdate) => {
		if (isUpdate) haveOld();
		expect(install()).toBe(0);
		expect(readdirSync(places.installed).sort()).toEqual(['dist', 'package.json']);
		expect(readFileSync(join(places.installed, 'package.json'), 'utf8')).toBe('"new"');
		expect(readdirSync(places.nodes)).toEqual(['node_modules']);
	});

	it('leave no folder without package.json where removing what was there before is interrupted', () => {
		haveOld();
		// rm takes the entries of a folder in any order: this one takes package.json first, and gets no further.
		const rm = '#!/bin/sh\nfor part; do test ! -d "$part" || { unlink "$part/package.json"; exit 1; }; done\n';
		mkdirSync(join(home, 'bin'));
		writeFileSync(join(home, 'bin/rm'), rm, { mode: 0o755 });
		install(`${join(home, 'bin')}:${process.env.PATH}`);
		expect(readFileSync(join(places.installed, 'package.json'), 'utf8')).toBe('"new"');
		expect(install()).toBe(0);
		expect(readdirSync(places.nodes)).toEqual(['node_modules']);
	});

	it('leave no folder without package.json where the file is cut off, and what was there before stays', () => {
		haveOld();
		truncateSync(places.file, 60);
		expect(install()).not.toBe(0);
		expect(readFileSync(join(places.installed, 'package.json'), 'utf8')).toBe('"old"');
		// What an interrupted try left does not get into the next one.
		cpSync(join(home, 'package'), join(places.nodes, 'package/left over'), { recursive: true });
		execFileSync('tar', ['-czf', places.file, 'package'], { cwd: home });
		expect(install()).toBe(0);
		expect(readdirSync(places.installed).sort()).toEqual(['dist', 'package.json']);
	});
});
