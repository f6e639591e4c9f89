import { Command } from 'commander';

import { CASES, HAS_NODES_BASE, warmUp } from './cases.ts';
import type { Bench } from './cases.ts';
import { caseText, isMet, machine, saveReport } from './report.ts';
import type { SavedCase } from './report.ts';
import { StandInProcess } from './standIn.ts';
import { Workers } from './workers.ts';

interface CliOptions {
	quick?: boolean;
	only?: string[];
	save?: boolean;
	cpuProf?: string;
}

const names = CASES.map(({ name }) => name);
const program = new Command('bench')
	.description("Measures this package against n8n's HTTP Request node and a raw client, on the stand-in platform.")
	.option('--quick', 'the most telling cases only, in about a minute')
	.option('--only <case...>', 'run these cases only; "return-all" or "export" stands for all that begin so')
	.option('--save', 'write the figures into docs/performance-figures.md and docs/performance.json')
	.option('--cpu-prof <folder>', 'write a CPU profile of each contestant into this folder')
	.addHelpText('after', `\nCases\n${CASES.map(({ name, about }) => `  ${name.padEnd(24)}${about}`).join('\n')}`)
	.parse();

const { quick = false, only, save = false, cpuProf } = program.opts<CliOptions>();
const isAskedFor = (name: string, asked: string) => name === asked || name.startsWith(`${asked}-`);
const unknown = only?.filter((asked) => !names.some((name) => isAskedFor(name, asked))) ?? [];
if (unknown.length > 0) program.error(`There is no case ${unknown.join(', ')}. Cases: ${names.join(', ')}`);
const chosen = CASES.filter(({ name, inQuick }) =>
	only ? only.some((asked) => isAskedFor(name, asked)) : !quick || inQuick,
);

// Interrupting the run also ends the stand-in.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

let platform: StandInProcess | undefined;
let rowsOfPlatform = '';
const workers = new Workers(cpuProf);
const bench: Bench = {
	quick,
	workers,
	async platform(rows) {
		const wanted = JSON.stringify(rows);
		if (platform && wanted === rowsOfPlatform) return platform;
		await platform?.stop();
		platform = await StandInProcess.start(rows);
		rowsOfPlatform = wanted;
		return platform;
	},
	progress: (text) => process.stderr.write(`  ${text}\n`),
};

const reports: SavedCase[] = [];
if (!HAS_NODES_BASE) {
	process.stderr.write(
		"n8n's HTTP Request node is not installed, so its lines are left out. `npm start` installs it with a real n8n.\n",
	);
}
try {
	process.stderr.write('Warming up\n');
	await warmUp(bench);
	for (const each of chosen) {
		process.stderr.write(`${each.name}\n`);
		// The load before the case; afterwards it is mostly our own.
		const facts = machine();
		const result = await each.run(bench);
		const report = { name: each.name, machine: facts, ...result };
		reports.push(report);
		// At once, so that an interrupted run keeps its figures.
		if (save) saveReport([report], names);
		process.stdout.write(`\n## ${result.title}\n\n${caseText(result)}\n`);
	}
} finally {
	await workers.stop();
	await platform?.stop();
}
const broken = reports.flatMap(({ checks }) => checks.filter((check) => !isMet(check)));
process.stdout.write(
	broken.length === 0 ? 'All promises are kept.\n' : `Not kept: ${broken.map(({ what }) => what).join('; ')}\n`,
);
