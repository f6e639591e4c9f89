import { describe } from 'node:test';

import { versionOf } from '../e2e/lab.ts';
import { missingCompiler } from '../install.ts';
import { refuseWithout } from '../requirements.ts';
import { cleanUpOnSignals } from '../tools.ts';
import { useCluster } from './cluster.ts';
import { DURABLE, durableTests } from './durable.ts';
import { exportTests } from './export.ts';
import { missingServices } from './services.ts';
import { triggerTests } from './trigger.ts';

/** npm run test:queue: tries the packed package in n8n's queue mode, with main, two workers, PostgreSQL and Redis. */
function main(): void {
	if (refuseWithout([...missingCompiler(['2']), ...missingServices()])) return;
	cleanUpOnSignals();
	void describe(`n8n ${versionOf('2')}, queue mode`, () => {
		const cluster = useCluster();
		void describe('CSV export', () => exportTests(cluster));
		void describe('Charging Station Status Trigger', () => triggerTests(cluster));
	});
	void describe(`n8n ${versionOf('2')}, queue mode and the durable scheduler with cursors`, () => {
		const cluster = useCluster(DURABLE);
		void describe('Charging Station Status Trigger', () => durableTests(cluster));
	});
}

main();
