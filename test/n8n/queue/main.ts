import { describe } from 'node:test';
import { parseArgs } from 'node:util';

import { versionOf } from '../e2e/lab.ts';
import { missingCompiler } from '../install.ts';
import { refuseWithout } from '../requirements.ts';
import { cleanUpOnSignals } from '../tools.ts';
import { useCluster, type Cluster } from './cluster.ts';
import { DURABLE, durableTests } from './durable.ts';
import { exportTests } from './export.ts';
import { listTests } from './list.ts';
import { missingServices } from './services.ts';
import { triggerTests } from './trigger.ts';
import { workerTests } from './workers.ts';

const HELP = `npm run test:queue    tries the packed package in n8n's queue mode: main, two workers, PostgreSQL, Redis

  --part NAME         only this part: PARTS; may be repeated`;

interface Part {
	name: string;
	says: string;
	define: (cluster: () => Cluster) => void;
}

interface Setup {
	says: string;
	/** Settings of n8n beyond those of queue mode. */
	settings: Record<string, string>;
	parts: readonly Part[];
}

const SETUPS: readonly Setup[] = [
	{
		says: 'queue mode',
		settings: {},
		parts: [
			{ name: 'export', says: 'CSV export', define: exportTests },
			{ name: 'list', says: 'Lists', define: listTests },
			{ name: 'workers', says: 'Programs that end', define: workerTests },
			{ name: 'trigger', says: 'Charging Station Status Trigger', define: triggerTests },
		],
	},
	{
		says: 'queue mode and the durable scheduler with cursors',
		settings: DURABLE,
		parts: [{ name: 'durable', says: 'Charging Station Status Trigger', define: durableTests }],
	},
];

const { values } = parseArgs({
	options: {
		part: { type: 'string', multiple: true },
		help: { type: 'boolean', default: false },
	},
});

function main(): void {
	const names = SETUPS.flatMap(({ parts }) => parts.map(({ name }) => name));
	const unknown = values.part?.filter((part) => !names.includes(part)) ?? [];
	if (values.help || unknown.length > 0) {
		if (unknown.length > 0) console.error(`There is no ${unknown.join(', no ')}.\n`);
		console.log(HELP.replace('PARTS', names.join(', ')));
		process.exitCode = unknown.length > 0 ? 1 : 0;
		return;
	}
	if (refuseWithout([...missingCompiler(['2']), ...missingServices()])) return;
	cleanUpOnSignals();
	for (const { says, settings, parts } of SETUPS) {
		const wanted = parts.filter(({ name }) => values.part?.includes(name) ?? true);
		if (wanted.length === 0) continue;
		void describe(`n8n ${versionOf('2')}, ${says}`, () => {
			const cluster = useCluster(settings);
			for (const { says: part, define } of wanted) void describe(part, () => define(cluster));
		});
	}
}

main();
