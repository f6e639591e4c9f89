import * as fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { HISTORIES } from '../draws.ts';
import type { Bench } from '../stationTrigger/support.ts';
import { type Engine, ENGINES, forgetProcess, type TriggerRig, withOtherProcess } from './rig.ts';

/** Does not divide the times that triggers wait for, so that no poll is within milliseconds of their end. */
const BETWEEN_POLLS_MS = 90_000;
/** Time for a poll that takes longer. */
const SHORT_BUDGET_MS = 1_000;
/** Polls by which it must be certain that Ids have begun again. */
const MOST_POLLS_UNSURE = 14;
/** Polls at the end, by which every event that is due must have come. */
const LAST_POLLS = 8;

/** What a poll could see: everything, nothing, or only what is looked up by its Id. */
type Sight = 'all' | 'nothing' | 'lookups';

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
	/** Lets Ids begin again, if any are known, and takes in that the trigger has begun anew. Left out: nothing tells that. */
	generation?: { ends(): boolean; begins(at: number): void };
}

/** What may happen to a trigger, with a poll each time. @param list the path of the list that it reads */
function interruptionsOf({ rig, judge, generation }: Omit<Played<never>, 'change'>, bench: Bench, list: string) {
	const { clock, platform } = bench;
	let isStart = false;
	let hasBegunAgain = false;
	/** Whether another process may have saved what this one does not know yet. */
	let isBehind = false;
	const tick = async () => await rig.tick();
	const poll = async (
		act: () => Promise<unknown> = tick,
		{ sees = 'all', isLost = false }: { sees?: Sight; isLost?: boolean } = {},
	) => {
		clock.forward(BETWEEN_POLLS_MS);
		const at = clock.now();
		platform.requests.length = 0;
		await act();
		const isAnswered = platform.requests.some(({ path, status }) => path === list && status === 200);
		const sight = isAnswered ? sees : 'nothing';
		platform.faults.clear();
		isBehind &&= sight === 'nothing';
		judge({ at, sight, items: eventsIn(rig.take()), isStart, isLost });
		isStart = false;
	};
	/** The default engine polls when a workflow is published and after a start, the others at the next time. */
	const pollAfter = async (begin: () => Promise<void>) => {
		await poll(async () => {
			await begin();
			if (rig.engine !== 'memory') await rig.tick();
		});
	};
	const restart = async () => {
		isStart = true;
		await pollAfter(async () => await rig.restart());
	};
	return {
		poll: async () => await poll(),
		overlap: async () => await poll(async () => await Promise.all([tick(), tick(), tick()])),
		restart,
		republish: async () => await pollAfter(async () => await rig.republish()),
		rename: async () => {
			// Under the new name, what another process saved cannot be known.
			if (isBehind) await poll();
			// A name that was polled once is not told from a second node with this id.
			await poll();
			const name = rig.node.name === 'First name' ? 'Second name' : 'First name';
			await pollAfter(async () => await rig.republish({ node: { name } }));
			await poll();
		},
		lose: async () => {
			await rig.unsaved(() => poll(tick, { isLost: true }));
			await restart();
		},
		other: async () => {
			// n8n's default engine has one process.
			if (rig.engine === 'memory') return;
			isStart = true;
			await withOtherProcess(poll);
			isStart = isBehind = true;
		},
		refuse: async () => {
			platform.faults.add({ kind: 'status', status: 429, headers: { 'retry-after': '80' }, times: Infinity });
			await poll();
		},
		fail: async () => {
			platform.faults.add({ kind: 'status', status: 500, times: Infinity });
			await poll();
		},
		drift: async () => {
			const match = ({ path, query = '' }: { path: string; query?: string }) =>
				path === list && !query.includes('"In"');
			const body = { Items: [], TotalCount: 0 };
			platform.faults.add({ match, times: Infinity, kind: 'reply', status: 200, body });
			await poll(tick, { sees: 'lookups' });
		},
		beginAgain: async () => {
			if (!generation || hasBegunAgain) return;
			await poll();
			hasBegunAgain = generation.ends();
			const { length } = rig.errors;
			let at = clock.now();
			for (let polls = 0; hasBegunAgain && rig.errors.length === length && polls < MOST_POLLS_UNSURE; polls++) {
				// The poll after the one that begins anew says so.
				at = clock.now();
				await poll(tick, { sees: 'nothing' });
			}
			if (hasBegunAgain) generation.begins(at);
		},
		late: async () => {
			const { budgetMs } = rig;
			rig.budgetMs = SHORT_BUDGET_MS;
			bench.slow(SHORT_BUDGET_MS + 1);
			await poll(tick, { sees: 'nothing' });
			rig.budgetMs = budgetMs;
		},
	};
}
type Interruption = keyof ReturnType<typeof interruptionsOf>;

/** What happens how often to n8n, its network and the platform, in every trigger's histories. */
const INTERRUPTIONS: Record<Interruption, number> = {
	poll: 5,
	lose: 3,
	overlap: 1,
	restart: 1,
	republish: 1,
	rename: 2,
	other: 1,
	refuse: 1,
	fail: 2,
	drift: 1,
	late: 1,
	beginAgain: 1,
};

/** Random histories of a trigger. */
interface Histories<Settings, Change> {
	bench: Bench;
	/** The path of the list that it reads. */
	path: string;
	settings: fc.Arbitrary<Settings>;
	/** What happens on the platform. */
	changes: fc.Arbitrary<Change>;
	/** An interruption that there is none of. */
	without?: Interruption;
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
	{ bench, path, settings, changes, without, begin }: Histories<Settings, Change>,
): void {
	const kinds = Object.entries(INTERRUPTIONS) as Array<[Interruption, number]>;
	const interruptions = fc.oneof(
		...kinds.map(([kind, weight]) => ({ weight: kind === without ? 0 : weight, arbitrary: fc.constant(kind) })),
	);
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
					bench.platform.reset();
					bench.platform.behaviour.takeClamp = clamp;
					await forgetProcess();
					const played = await begin({ ...drawn, output }, engine, (what) => faults.push(what));
					const interrupt = interruptionsOf(played, bench, path);
					for (const step of steps) {
						if (typeof step === 'string') await interrupt[step]();
						else played.change(step);
					}
					for (let nth = 0; nth < LAST_POLLS; nth++) await interrupt.poll();
					const alerts = played.rig.errors
						.map(({ message }) => message)
						.filter((text) => !/for an hour now|Ids .* have begun again/.test(text));
					expect([...faults, ...alerts]).toEqual([]);
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
