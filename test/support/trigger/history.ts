import * as fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { HISTORIES } from '../draws.ts';
import type { Bench } from '../stationTrigger/support.ts';
import { type Engine, ENGINES, forgetProcess, type TriggerRig, withOtherProcess } from './rig.ts';

/** Does not divide the times that triggers wait for, so that no poll is within milliseconds of their end. */
const BETWEEN_POLLS_MS = 90_000;
/** Time for a poll that takes longer. */
const SHORT_BUDGET_MS = 1_000;
/** Polls at the end, by which every event that is due must have come. */
const LAST_POLLS = 8;

const FAULTS = {
	'429': { kind: 'status', status: 429, headers: { 'retry-after': '80' } },
	'500': { kind: 'status', status: 500 },
	drop: { kind: 'drop' },
} as const;

/** What may happen to n8n, its network and the platform, in every trigger's histories. */
const INTERRUPTIONS = [
	...(['poll', 'poll', 'poll', 'poll', 'poll', 'overlap', 'restart', 'republish', 'rename', 'other'] as const),
	...(['lose', 'lose', 'lose', 'drift', '429', '500', 'drop', 'budget'] as const),
];

/** What a poll could see: everything, nothing, or only what is looked up by its Id. */
export type Sight = 'all' | 'nothing' | 'lookups';

/** One poll: when it began, what it could see, and the events it gave. */
export interface Judged {
	at: number;
	sight: Sight;
	items: IDataObject[];
	/** Whether the process began before it. */
	isStart: boolean;
	/** Whether what it gave is not saved, and comes again. */
	isLost: boolean;
}

/** A trigger that has polled once, and what is played with it. */
interface Played<Change> {
	rig: TriggerRig;
	change: (step: Change) => void;
	judge: (poll: Judged) => void;
}

/** Plays a history. @param path of the list that the trigger reads @returns failed executions, of which there should be none */
async function play<Change extends { do: string }>(
	{ rig, change, judge }: Played<Change>,
	{ bench, path: list }: { bench: Bench; path: string },
	steps: ReadonlyArray<Change | { do: string }>,
): Promise<string[]> {
	let isStart = false;
	/** Whether polls take longer than they may. */
	let isLate = false;
	/** Whether another process may have saved what this one does not know yet. */
	let isBehind = false;
	const poll = async (act: () => Promise<unknown> = async () => await rig.tick(), isLost = false): Promise<void> => {
		bench.clock.forward(BETWEEN_POLLS_MS);
		const at = bench.clock.now();
		bench.platform.requests.length = 0;
		await act();
		const lists = bench.platform.requests.filter(({ path }) => path === list);
		const isDrift = lists.some(({ query }) => query?.includes('"In"') !== true) && drifts;
		const isSeen = lists.some(({ status }) => status === 200) && !isLate;
		const sight: Sight = !isSeen ? 'nothing' : isDrift ? 'lookups' : 'all';
		bench.platform.faults.clear();
		isBehind &&= sight === 'nothing';
		judge({ at, sight, items: eventsIn(rig.take()), isStart, isLost });
		isStart = false;
	};
	let drifts = false;
	const restart = async (): Promise<void> => {
		isStart = true;
		await poll(async () => {
			await rig.restart();
			if (rig.engine !== 'memory') await rig.tick();
		});
	};
	for (const step of steps) {
		drifts = step.do === 'drift';
		isLate = step.do === 'budget';
		if (step.do in FAULTS) {
			bench.platform.faults.add({ ...FAULTS[step.do as keyof typeof FAULTS], times: Infinity });
			await poll();
		} else if (step.do === 'drift') {
			const match = ({ path, query = '' }: { path: string; query?: string }) =>
				path === list && !query.includes('"In"');
			bench.platform.faults.add({
				...{ match, times: Infinity, kind: 'reply', status: 200, body: { Items: [], TotalCount: 0 } },
			});
			await poll();
		} else if (step.do === 'poll') {
			await poll();
		} else if (step.do === 'budget') {
			const { budgetMs } = rig;
			rig.budgetMs = SHORT_BUDGET_MS;
			bench.slow(SHORT_BUDGET_MS + 1);
			await poll();
			rig.budgetMs = budgetMs;
		} else if (step.do === 'overlap') {
			await poll(async () => await Promise.all([rig.tick(), rig.tick(), rig.tick()]));
		} else if (step.do === 'restart') {
			await restart();
		} else if (step.do === 'republish') {
			await poll(async () => {
				await rig.republish();
				if (rig.engine !== 'memory') await rig.tick();
			});
		} else if (step.do === 'rename') {
			// Under the new name, what another process saved cannot be known.
			if (isBehind) await poll();
			await poll(async () => {
				await rig.republish({ node: { name: rig.node.name === 'First name' ? 'Second name' : 'First name' } });
				if (rig.engine !== 'memory') await rig.tick();
			});
		} else if (step.do === 'lose') {
			await rig.unsaved(() => poll(undefined, true));
			await restart();
		} else if (step.do === 'other') {
			// n8n's default engine has one process.
			if (rig.engine === 'memory') continue;
			isStart = true;
			await withOtherProcess(async () => await poll());
			isStart = isBehind = true;
		} else {
			change(step as Change);
		}
	}
	drifts = isLate = false;
	for (let nth = 0; nth < LAST_POLLS; nth++) await poll();
	return rig.errors.map(({ message }) => message);
}

/** Random histories of a trigger. */
interface Histories<Settings, Change> {
	bench: Bench;
	/** The path of the list that it reads. */
	path: string;
	settings: fc.Arbitrary<Settings>;
	/** What happens on the platform. */
	changes: fc.Arbitrary<Change>;
	/** An interruption that there is none of. */
	without?: (typeof INTERRUPTIONS)[number];
	/** Brings the platform, which is as new, to where a history begins, and the trigger to its first poll. */
	begin: (
		settings: Settings & { output: 'items' | 'digest' },
		engine: Engine,
		complain: (what: string) => void,
	) => Promise<Played<Change>>;
}

/** A test in each of n8n's engines: no random history has a fault. */
export function itHoldsInHistories<Settings, Change extends { do: string }>(
	promise: string,
	{ settings, changes, without, begin, ...place }: Histories<Settings, Change>,
): void {
	const interruptions = fc.record({ do: fc.constantFrom(...INTERRUPTIONS.filter((kind) => kind !== without)) });
	const histories = fc.record({
		settings,
		output: fc.constantFrom('items' as const, 'digest' as const),
		/** Pages that are cut. */
		clamp: fc.constantFrom(undefined, undefined, 3),
		steps: fc.array(fc.oneof(changes, interruptions), { minLength: 8, maxLength: 40, size: 'max' }),
	});
	it.each(ENGINES)(
		`${promise} in random histories, engine %s`,
		async (engine) => {
			await fc.assert(
				fc.asyncProperty(histories, async ({ settings: drawn, output, clamp, steps }) => {
					const faults: string[] = [];
					place.bench.platform.reset();
					place.bench.platform.behaviour.takeClamp = clamp;
					await forgetProcess();
					const played = await begin({ ...drawn, output }, engine, (what) => faults.push(what));
					const alerts = await play(played, place, steps);
					expect([...faults, ...alerts.filter((alert) => !alert.includes('for an hour now'))]).toEqual([]);
				}),
				{ numRuns: Math.ceil(HISTORIES / ENGINES.length), endOnFailure: !process.env.SHRINK },
			);
		},
		3_600_000,
	);
}

/** The events of items, single or in digests. */
export function eventsIn(items: readonly IDataObject[]): IDataObject[] {
	return items.flatMap((item) => (item.event === 'digest' ? (item.events as IDataObject[]) : [item]));
}
