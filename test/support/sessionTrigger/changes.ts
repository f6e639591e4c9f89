import * as fc from 'fast-check';

import { ACTIVE, EXPIRED, FAILED, FINISHED, HOUR, type SessionBench, SUSPENDED } from './support.ts';

/** The true state of a session at a moment. Its energy never falls, and what is over stays so. */
export interface Truth {
	status: number;
	energy: number;
	/** Milliseconds since 1970. */
	startedAt: number;
}

const FIRST_ID = 100;
/** Before that are those that a key does not see at first. */
const LOWEST_ID = 60;
const OVER = [FINISHED, EXPIRED, FAILED];

const session = {
	status: fc.constantFrom(ACTIVE, ACTIVE, SUSPENDED, FINISHED, EXPIRED, FAILED),
	energy: fc.constantFrom(0, 1, 20),
};
const which = fc.nat({ max: 1000 });

/** What happens to sessions: they start, come late, charge, end, and are deleted. */
export const changes = fc.oneof(
	{ weight: 4, arbitrary: fc.record({ do: fc.constantFrom('start', 'late'), which, ...session }) },
	{ weight: 8, arbitrary: fc.record({ do: fc.constant('change'), which, ...session }) },
	{ weight: 3, arbitrary: fc.record({ do: fc.constantFrom('delete', 'reserve'), which, ...session }) },
	{ weight: 1, arbitrary: fc.record({ do: fc.constantFrom('burst', 'grow'), which, ...session }) },
);
type SessionChange = ReturnType<typeof changes.generate>['value'];

/** The sessions before the first poll: enough for some to be older than those that are remembered. */
const minutes = fc.integer({ min: 0, max: 20 });
export const sessionsBefore = fc.array(fc.record({ ...session, minutes }), { maxLength: 70 });

/** Adds the sessions before the first poll. @returns ways to change sessions, and to let their Ids begin again */
export function beginWith(
	bench: SessionBench,
	before: ReturnType<typeof sessionsBefore.generate>['value'],
): { change: (change: SessionChange) => void; endGeneration: () => boolean } {
	let nextId = FIRST_ID;
	/** Older sessions that come into view. */
	let lowerId = LOWEST_ID;
	for (const { minutes: ago, ...row } of before) bench.start(nextId++, { ...row, ago: ago * 60_000 });
	const reserved: number[] = [];
	const change = ({ do: what, which: nth, status, energy }: SessionChange) => {
		if (what === 'start') bench.start(nextId++, { status, energy });
		if (what === 'grow' && lowerId < FIRST_ID) {
			for (let count = 0; count < 5; count++) bench.start(lowerId++, { status, energy, ago: 24 * HOUR });
		}
		if (what === 'burst') for (let count = 0; count < 9; count++) bench.start(nextId++, { status, energy });
		if (what === 'reserve') reserved.push(nextId++);
		if (what === 'late') for (const id of reserved.splice(0)) bench.start(id, { status, energy });
		const open = [...truthsIn(bench)].filter(([, truth]) => !OVER.includes(truth.status));
		const [id, truth] = open[nth % open.length] ?? [];
		if (id === undefined || !truth) return;
		if (what === 'delete') bench.delete(id);
		if (what === 'change') {
			bench.become(status, id);
			bench.energy(truth.energy + energy, id);
		}
	};
	const endGeneration = () => {
		const ids = [...truthsIn(bench).keys()];
		if (ids.length === 0) return false;
		bench.delete(...ids);
		lowerId = FIRST_ID;
		for (nextId = 1; nextId <= 5; nextId++) bench.start(nextId);
		return true;
	};
	return { change, endGeneration };
}

export function truthsIn({ platform }: SessionBench): Map<number, Truth> {
	const rows = platform.db.prepare('SELECT Id, Status, EnergyConsumed, StartedAtUtc FROM sessions').all();
	const truths = rows.map(({ Id, Status, EnergyConsumed, StartedAtUtc }): [number, Truth] => {
		const startedAt = Date.parse(`${String(StartedAtUtc)}Z`);
		return [Number(Id), { status: Number(Status), energy: Number(EnergyConsumed), startedAt }];
	});
	return new Map(truths);
}
