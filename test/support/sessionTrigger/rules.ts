import type { INodeParameters } from 'n8n-workflow';

import { FAILED, FINISHED, HOUR, type SessionBench } from './support.ts';

/** What the model knows of one event, independently of its record in the trigger. */
interface EventRule {
	/** Whether Report Initial State reports it for what was already so before the first poll. */
	isReportedAtFirst: boolean;
	/** Settings of a trigger on this event. */
	parameters: INodeParameters;
	/** What makes it happen to a session, with a poll after each step. */
	happen: Array<(bench: SessionBench, id: number) => void>;
}

function chargeAllBut({ platform: { db } }: SessionBench, id: number): void {
	db.exec(`UPDATE sessions SET EnergyConsumed = EnergyConsumed + 1 WHERE Id <> ${id}`);
}

/** One rule for each event of the session trigger. */
export const RULES: Readonly<Record<string, EventRule>> = {
	started: { isReportedAtFirst: true, parameters: {}, happen: [(bench, id) => bench.start(id)] },
	failed: { isReportedAtFirst: false, parameters: {}, happen: [(bench, id) => bench.become(FAILED, id)] },
	ended: { isReportedAtFirst: false, parameters: {}, happen: [(bench, id) => bench.become(FINISHED, id)] },
	runningLong: {
		isReportedAtFirst: true,
		parameters: { runningHours: 2 },
		happen: [(bench, id) => bench.startedAgo(3 * HOUR, id)],
	},
	stalled: { isReportedAtFirst: false, parameters: { stalledMinutes: 3 }, happen: [chargeAllBut] },
	resumed: {
		isReportedAtFirst: false,
		parameters: { stalledMinutes: 3 },
		happen: [chargeAllBut, (bench, id) => bench.energy(100, id)],
	},
};
