import * as fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import type { Fault } from '../../platform/index.ts';
import type { Engine, TriggerRig } from '../trigger/rig.ts';
import type { Bench } from './support.ts';

/** Does not divide the times that triggers wait for, so that no poll is within milliseconds of their end. */
const BETWEEN_POLLS_MS = 90_000;
/** Polls that are so far apart that five of them take longer than an hour, and that all of them trust what the one before knew. */
const RARE_POLLS_MS = 13 * 60_000;
/** Polls at the end, by which every event that is due must have come. */
const LAST_POLLS = 14;
/** After a pause this long, the durable scheduler's process does not trust what is only in its memory. */
const TRUSTED_MS = 15 * 60_000;

const what = <Name extends string>(name: Name) => fc.record({ do: fc.constant(name) });

/** What may happen to n8n, its network and the platform, in every trigger's histories. */
export const interruptions = [
	{ weight: 9, arbitrary: what('poll') },
	{ weight: 1, arbitrary: what('overlap') },
	{ weight: 2, arbitrary: what('restart') },
	{ weight: 1, arbitrary: what('republish') },
	{ weight: 1, arbitrary: what('rotate') },
	{ weight: 1, arbitrary: what('drift') },
	{ weight: 2, arbitrary: what('lookupFails') },
	{ weight: 2, arbitrary: fc.record({ do: fc.constantFrom('429' as const, '500' as const, 'drop' as const) }) },
	{
		weight: 1,
		arbitrary: fc.record({
			do: fc.constantFrom('licence' as const, 'scope' as const),
			polls: fc.integer({ min: 1, max: 4 }),
		}),
	},
] as const;

/** What may happen to stations, too: an hour passes, and Ids are written as numbers or as text from then on. */
export const ofStations = [
	{ weight: 1, arbitrary: what('hour') },
	{
		weight: 1,
		arbitrary: fc.record({
			do: fc.constant('ids' as const),
			as: fc.constantFrom('integer' as const, 'digits' as const),
		}),
	},
] as const;

type Interruption =
	(typeof interruptions | typeof ofStations)[number]['arbitrary'] extends fc.Arbitrary<infer Value> ? Value : never;

/**
 * What a poll could see: everything; nothing; what the list shows, because lookups by Id were refused; or only what was
 * looked up, because the list came without its rows.
 */
export type Sight = 'all' | 'nothing' | 'list' | 'lookups';

/** One poll: when it began, what it could see, what it gave, and whether the workflow was published with it. */
export interface Judged {
	at: number;
	sight: Sight;
	items: IDataObject[];
	/** The messages of failed executions. */
	alerts: string[];
	afterPublish: boolean;
}

/** What is said of odd Ids, in the log. */
const SAID_OF_IDS = { doubled: /^Two charging stations have the Id \d+: /, changed: /^The Id of station \d+ was / };

/** Plays one random history on a trigger and collects what a model finds wrong. */
export abstract class HistoryPlayer<Step extends { do: string }> {
	protected readonly faults: string[] = [];
	protected key: { id: string; secret: string };
	protected abstract readonly rig: TriggerRig;
	private outages = 0;
	private alertsTaken = 0;
	/** What certainly has to be said of Ids. */
	protected readonly mustBeSaid = new Set<keyof typeof SAID_OF_IDS>();
	/** When a poll last saw something. */
	private sawAt: number | undefined;
	protected readonly engine: Engine;
	private readonly bench: Bench;
	private readonly area: string;

	/** @param area what the trigger's key must be allowed to read */
	constructor(bench: Bench, engine: Engine, area: 'charging-stations' | 'charging-sessions') {
		this.bench = bench;
		this.engine = engine;
		this.area = area;
		const { id, secret } = bench.platform.createKey({ scopes: [`${area}:read`] });
		this.key = { id, secret };
	}

	/** Activates the trigger and gives the model the initial state. */
	protected abstract begin(): Promise<void>;
	/** Changes something at the platform. */
	protected abstract change(step: Exclude<Step, Interruption>): void;
	/** Tells the model that the process ended. @param keepsNotes whether n8n had saved all that it noted */
	protected abstract restarted(keepsNotes: boolean): void;
	/** Tells the model what a poll could see and what it gave. */
	protected abstract judge(poll: Judged): void;

	/** A fault that empties the next list. */
	protected emptyList(): Fault {
		const match = ({ path }: { path: string }) => path === `/api/${this.area}/v1`;
		return { match, kind: 'reply', status: 200, body: { Items: [], TotalCount: 0 } };
	}

	/** Whether a poll comes after a pause so long that what only the process knew may be forgotten. */
	protected mayHaveForgotten({ at, sight, afterPublish }: Judged): boolean {
		if (sight === 'nothing') return false;
		const isLong = at - (this.sawAt ?? at) > TRUSTED_MS;
		this.sawAt = at;
		return isLong && (this.engine === 'scheduler' || (this.engine === 'memory' && afterPublish));
	}

	/** Plays the history. Returns what was wrong with it. */
	async play(steps: readonly Step[]): Promise<string[]> {
		await this.begin();
		this.sawAt = this.bench.clock.now();
		for (const step of steps) await this.playOne(step);
		for (let poll = 0; poll < LAST_POLLS; poll++) await this.poll();
		// What cannot be read for an hour, and odd Ids, are said, too.
		const errors = this.rig.errors.filter(({ message }) => !/for an hour now|^The Ids of the/.test(message));
		// A new process does not know which alerts the previous one has sent.
		const processes = 1 + steps.filter((step) => step.do === 'restart').length;
		if (errors.length > this.outages * processes)
			this.faults.push(
				`${errors.length} alerts for ${this.outages} outages: ${errors.map(({ message }) => message).join('; ')}`,
			);
		this.checkSaidOfIds(processes);
		const ids = eventsIn(this.rig.items).map(({ eventId }) => eventId);
		if (new Set(ids).size !== ids.length) this.faults.push('two events have one id');
		return this.faults;
	}

	protected itemsSince(): IDataObject[] {
		return eventsIn(this.rig.take());
	}

	protected alertsSince(): string[] {
		const alerts = this.rig.errors.slice(this.alertsTaken).map(({ message }) => message);
		this.alertsTaken += alerts.length;
		return alerts;
	}

	/** Whether Ids are text now. */
	protected get areIdsText(): boolean {
		return this.bench.platform.behaviour.stationIdType === 'digits';
	}

	/** Odd Ids are said once by each process: in the log, and by a failed execution. */
	private checkSaidOfIds(processes: number): void {
		const alerts = this.rig.errors.filter(({ message }) => message.startsWith('The Ids of the')).length;
		let most = 0;
		for (const what of ['doubled', 'changed'] as const) {
			const times = this.rig.logs.filter((line) => SAID_OF_IDS[what].test(line)).length;
			most += times;
			if (times > processes) this.faults.push(`${what} Ids are said ${times} times by ${processes} processes`);
			if (times === 0 && this.mustBeSaid.has(what)) this.faults.push(`${what} Ids are not said`);
		}
		if (alerts > most || (alerts === 0 && most > 0)) this.faults.push(`${alerts} alerts of ${most} odd Ids`);
	}

	private async playOne(step: Step): Promise<void> {
		const { rig, bench } = this;
		const interruption = step as unknown as Interruption;
		switch (interruption.do) {
			case 'poll':
				return await this.poll();
			case 'hour':
				for (let poll = 0; poll < 6; poll++) await this.poll('all', undefined, false, RARE_POLLS_MS);
				return;
			case 'ids':
				bench.platform.behaviour.stationIdType = interruption.as;
				return;
			case 'overlap':
				return await this.poll('all', async () => await Promise.all([rig.tick(), rig.tick(), rig.tick()]));
			case 'restart':
				this.restarted(this.engine === 'cursors');
				return await this.poll('all', async () => await rig.restart());
			case 'republish':
				return await this.poll('all', async () => await rig.republish(), true);
			case 'rotate': {
				this.key.secret = bench.platform.regenerate(this.key.id);
				const credential = { ...rig.credential, apiKey: this.key.secret };
				return await this.poll('all', async () => await rig.republish({ credential }), true);
			}
			case 'drift':
				bench.platform.faults.add(this.emptyList());
				return await this.poll('lookups');
			case 'lookupFails':
				return await this.withFault({ kind: 'status', status: 500, match: isLookup }, 'list');
			case '429':
				return await this.withFault({ kind: 'status', status: 429, headers: { 'retry-after': '80' } }, 'nothing');
			case '500':
				return await this.withFault({ kind: 'status', status: 500 }, 'nothing');
			case 'drop':
				return await this.withFault({ kind: 'drop' }, 'nothing');
			case 'licence':
			case 'scope':
				return await this.outage(interruption.do, interruption.polls);
			default:
				this.change(step as Exclude<Step, Interruption>);
		}
	}

	private async withFault(fault: Fault, sight: Sight): Promise<void> {
		this.bench.platform.faults.add({ ...fault, times: Infinity });
		await this.poll(sight);
		this.bench.platform.faults.clear();
	}

	private async outage(kind: 'licence' | 'scope', polls: number): Promise<void> {
		const { platform } = this.bench;
		const refuse = (refused: boolean) => {
			if (kind === 'licence') platform.license.active = !refused;
			else platform.rescope(this.key.id, [refused ? 'locations:read' : `${this.area}:read`]);
		};
		refuse(true);
		for (let poll = 0; poll < polls; poll++) await this.poll('nothing');
		this.outages++;
		refuse(false);
	}

	/** Lets time pass, then polls once or does something else that may poll. */
	private async poll(
		sight: Sight = 'all',
		act?: () => Promise<unknown>,
		afterPublish = false,
		apartMs = BETWEEN_POLLS_MS,
	): Promise<void> {
		const { clock, platform } = this.bench;
		clock.forward(apartMs);
		const at = clock.now();
		const first = platform.requests.length;
		await (act ?? (async () => await this.rig.tick()))();
		platform.faults.clear();
		const list = platform.requests.slice(first).find(({ path }) => path === `/api/${this.area}/v1`);
		// While it backs off, the trigger sends no requests and sees nothing.
		const seen = list?.status === 200 ? sight : 'nothing';
		this.judge({ at, sight: seen, items: this.itemsSince(), alerts: this.alertsSince(), afterPublish });
	}
}

/** The events of items, single or in digests. */
function eventsIn(items: readonly IDataObject[]): IDataObject[] {
	return items.flatMap((item) => (item.event === 'digest' ? (item.events as IDataObject[]) : [item]));
}

/** A list request that asks for certain rows. */
function isLookup({ query }: { query: string | undefined }): boolean {
	return query?.includes('"In"') ?? false;
}
