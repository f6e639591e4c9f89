import { DateTime } from 'luxon';
import type { INodeParameters } from 'n8n-workflow';

import { startPlatform, type StandIn } from '../platform/index.ts';
import { credentialFor, runNode } from './harness.ts';

export const ZONE = 'Europe/Berlin';

/** A session of a test. Times are seconds since the epoch. */
export interface TestSession {
	start: number;
	end: number | string | null;
}

export const at = (local: string) => DateTime.fromISO(local, { zone: ZONE }).toSeconds();
const wire = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 19);

/** A platform for one test file that summarizes sessions of its own, without any at the start of each test. */
export class SummaryBench {
	platform!: StandIn;

	constructor() {
		beforeAll(async () => {
			this.platform = await startPlatform({ sessions: 0, stations: 2 });
		});
		afterAll(async () => await this.platform.close());
		beforeEach(() => {
			this.platform.reset();
			this.platform.db.exec('DELETE FROM sessions');
		});
	}

	/** Stores them in the order given, so that Ids say nothing of their times. */
	store(sessions: readonly TestSession[]): void {
		const { db } = this.platform;
		const insert = db.prepare('INSERT INTO sessions (Id, Status, StartedAtUtc, EndedAtUtc) VALUES (?, 4, ?, ?)');
		db.exec('BEGIN');
		for (const [index, { start, end }] of sessions.entries()) {
			insert.run(index + 1, wire(start), typeof end === 'number' ? wire(end) : end);
		}
		db.exec('COMMIT');
	}

	/** Runs Summarize of Charging Sessions, without a group unless one is given. */
	async summarize(measure: INodeParameters, filters: INodeParameters, parameters: INodeParameters = {}) {
		return await runNode({
			type: 'chargingSessions',
			credential: credentialFor(this.platform),
			parameters: {
				...{ operation: 'summary', filters, measures: { values: [measure] }, groupBy: [], options: {} },
				...parameters,
			},
			timezone: ZONE,
		});
	}
}
