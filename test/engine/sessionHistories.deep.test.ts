import * as fc from 'fast-check';

import { SessionModel, type Sessions, type SessionSight, type SessionTruth } from './sessionModel.ts';
import { ACTIVE, EXPIRED, FAILED, FINISHED, SESSION_TRIGGER, SessionBench, SUSPENDED } from './sessionSupport.ts';
import { ENGINES, forgetProcess, TriggerRig, type Engine } from './triggerRig.ts';

// All engines together.
const HISTORIES = process.env.DEEP ? 1500 : 90;
/** Not a divisor of the hours: whether they are over is never a matter of milliseconds. */
const BETWEEN_POLLS_MS = 90_000;
const LONG_HOURS = 0.2;
const SMALL = 10;
/** Eight rows a page: the last four sessions are looked back upon. */
const PAGE_SIZE = 8;
const LOOK_BACK = PAGE_SIZE / 2;
const FIRST_ID = 100;

const bench = new SessionBench();

const status = fc.constantFrom(ACTIVE, ACTIVE, SUSPENDED, FINISHED, FINISHED, EXPIRED, FAILED);
const energy = fc.constantFrom(1, 1, 1, 20);
/** Stands for one of the sessions there are. */
const which = fc.nat({ max: 1000 });
const what = <Name extends string>(name: Name) => fc.record({ do: fc.constant(name) });
const step = fc.oneof(
	{ weight: 5, arbitrary: fc.record({ do: fc.constant('start' as const), status, energy }) },
	{ weight: 6, arbitrary: fc.record({ do: fc.constant('change' as const), which, status, energy }) },
	{ weight: 9, arbitrary: what('poll') },
	{ weight: 2, arbitrary: what('reserve') },
	{ weight: 3, arbitrary: fc.record({ do: fc.constant('commit' as const), status, energy }) },
	{ weight: 1, arbitrary: fc.record({ do: fc.constant('burst' as const), count: fc.integer({ min: 9, max: 30 }) }) },
	{ weight: 1, arbitrary: fc.record({ do: fc.constantFrom('hide' as const, 'delete' as const), which }) },
	{ weight: 1, arbitrary: what('show') },
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
);
const settings = fc.record({
	events: fc.subarray(['started', 'ended', 'failed', 'runningLong'], { minLength: 1 }),
	endStatuses: fc.constantFrom(['4', '6'], ['4'], ['4', '5']),
	others: fc.constantFrom([], ['5']),
	filter: fc.boolean(),
	digest: fc.boolean(),
	emitInitial: fc.boolean(),
});
const before = fc.array(fc.record({ status, energy, minutes: fc.integer({ min: 0, max: 20 }) }), { maxLength: 12 });
const history = fc.record({ settings, before, steps: fc.array(step, { minLength: 8, maxLength: 40, size: 'max' }) });

type History = typeof history extends fc.Arbitrary<infer Value> ? Value : never;

class Player {
	private readonly faults: string[] = [];
	private readonly model: SessionModel;
	private readonly rig: TriggerRig;
	private key = this.newKey();
	private nextId = FIRST_ID;
	private readonly reserved: number[] = [];
	private readonly everShown: number[] = [];
	private readonly hidden = new Map<number, SessionTruth>();
	private outages = 0;

	constructor(
		private readonly engine: Engine,
		private readonly history: History,
	) {
		const { events, endStatuses, others, filter, digest, emitInitial } = history.settings;
		const endCodes = endStatuses.map(Number);
		this.model = new SessionModel(
			{
				events: new Set(events),
				endCodes,
				overCodes: [4, 6, ...(events.includes('ended') ? endCodes : []), ...others.map(Number)],
				longMs: LONG_HOURS * 3_600_000,
				energyBelow: filter ? SMALL : undefined,
				emitInitial,
			},
			(complaint) => this.faults.push(complaint),
		);
		this.rig = new TriggerRig(
			engine,
			{
				events,
				endStatuses: [...endStatuses],
				runningHours: LONG_HOURS,
				filters: filter ? { energyConsumed: [{ operator: 'Lt', value: String(SMALL) }] } : {},
				output: digest ? 'digest' : 'items',
				options: { otherEndStatuses: [...others], emitInitialState: emitInitial, pageSize: PAGE_SIZE },
			},
			{ ...bench.credential(), apiKey: this.key.secret },
			{},
			SESSION_TRIGGER,
		);
		// Its clock runs fast: a slow machine must not cut a poll short, which the model knows nothing of.
		if (engine !== 'memory') this.rig.budgetMs = 350_000;
	}

	/** Plays the history. Returns what was wrong with it. */
	async play(): Promise<string[]> {
		for (const { minutes, ...session } of this.history.before) this.start(this.nextId++, session, minutes * 60_000);
		const at = bench.clock.now();
		await this.rig.activate();
		this.model.baseline(at, sessions(), this.itemsSince());
		for (const next of this.history.steps) await this.play1(next);
		for (let poll = 0; poll < 14; poll++) await this.poll();
		const { errors } = this.rig;
		// A new process does not know what the one before it has said.
		const mostAlerts = this.outages * (1 + this.history.steps.filter((next) => next.do === 'restart').length);
		if (errors.length > mostAlerts) this.faults.push(`${errors.length} alerts for ${this.outages} outages`);
		const ids = this.events(this.rig.items).map(({ eventId }) => eventId);
		if (new Set(ids).size !== ids.length) this.faults.push('two events have one id');
		return this.faults;
	}

	private async play1(next: History['steps'][number]): Promise<void> {
		switch (next.do) {
			case 'start':
				return this.start(this.nextId++, next);
			case 'change':
				return this.change(next.which, next);
			case 'burst':
				for (let session = 0; session < next.count; session++) {
					this.start(this.nextId++, { status: ACTIVE, energy: 1 });
				}
				return;
			case 'reserve':
				this.reserved.push(this.nextId++);
				return;
			case 'commit':
				return this.commit(next);
			case 'hide':
			case 'delete':
				return this.hide(next.which, next.do === 'hide');
			case 'show':
				return this.show();
			case 'poll':
				return await this.poll();
			case 'overlap':
				return await this.poll(
					'all',
					async () => await Promise.all([this.rig.tick(), this.rig.tick(), this.rig.tick()]),
				);
			case 'restart':
				if (this.engine !== 'cursors') this.model.restarted(this.hidden.keys());
				return await this.poll('all', async () => await this.rig.restart());
			case 'republish':
				return await this.poll('all', async () => await this.rig.republish());
			case 'rotate':
				this.key.secret = bench.platform.regenerate(this.key.id);
				return await this.poll('all', async () => await this.rig.republish({ credential: this.credential() }));
			case 'drift':
				bench.platform.faults.add({ kind: 'reply', status: 200, body: { Items: [], TotalCount: 0 } });
				return await this.poll('lookups');
			case 'lookupFails':
				return await this.withFault({ kind: 'status', status: 500, match: isLookup }, 'lists');
			case '429':
				return await this.withFault({ kind: 'status', status: 429, headers: { 'retry-after': '80' } }, 'nothing');
			case '500':
				return await this.withFault({ kind: 'status', status: 500 }, 'nothing');
			case 'drop':
				return await this.withFault({ kind: 'drop' }, 'nothing');
			case 'licence':
			case 'scope':
				return await this.outage(next.do, next.polls);
		}
	}

	private start(id: number, session: { status: number; energy: number }, ago = 0): void {
		bench.start(id, { ...session, ago });
		this.everShown.push(id);
	}

	private change(nth: number, { status: code, energy: kWh }: { status: number; energy: number }): void {
		const ids = [...sessions().keys()];
		const id = ids[nth % ids.length];
		if (id === undefined) return;
		bench.become(code, id);
		bench.energy(kWh, id);
	}

	/** A session whose Id was drawn earlier turns up now, as far down as the trigger says that it looks. */
	private commit(session: { status: number; energy: number }): void {
		const id = this.reserved.shift();
		if (id !== undefined && this.everShown.filter((shown) => shown > id).length < LOOK_BACK) this.start(id, session);
	}

	/** Only what the trigger has seen may vanish and come back: what was never seen cannot be missed. */
	private hide(nth: number, comesBack: boolean): void {
		const ids = [...sessions()].filter(([id]) => this.model.knows(id));
		const [id, truth] = ids[nth % ids.length] ?? [];
		if (id === undefined || truth === undefined) return;
		bench.delete(id);
		if (comesBack) this.hidden.set(id, truth);
	}

	private show(): void {
		for (const [id, { startedAt, ...session }] of this.hidden) {
			bench.start(id, { ...session, ago: bench.clock.now() - startedAt });
		}
		this.hidden.clear();
	}

	private async withFault(fault: Parameters<typeof bench.platform.faults.add>[0], sight: SessionSight): Promise<void> {
		bench.platform.faults.add({ ...fault, times: Infinity });
		await this.poll(sight);
		bench.platform.faults.clear();
	}

	private async outage(kind: 'licence' | 'scope', polls: number): Promise<void> {
		const refuse = (refused: boolean) => {
			if (kind === 'licence') bench.platform.license.active = !refused;
			else bench.platform.rescope(this.key.id, refused ? ['charging-stations:read'] : ['charging-sessions:read']);
		};
		refuse(true);
		for (let poll = 0; poll < polls; poll++) await this.poll('nothing');
		this.outages++;
		refuse(false);
	}

	/** Lets time pass and polls once, or does something else that may poll. */
	private async poll(sight: SessionSight = 'all', act?: () => Promise<unknown>): Promise<void> {
		bench.clock.forward(BETWEEN_POLLS_MS);
		const at = bench.clock.now();
		const { requests } = bench.platform;
		const first = requests.length;
		await (act ?? (async () => await this.rig.tick()))();
		bench.platform.faults.clear();
		// While it backs off the trigger does not ask, and sees nothing.
		const seen = requests[first]?.status === 200 ? sight : 'nothing';
		this.model.poll(at, sessions(), this.itemsSince(), seen);
	}

	private itemsSince() {
		return this.events(this.rig.take());
	}

	private events(items: TriggerRig['items']) {
		return items.flatMap((item) => (item.event === 'digest' ? (item.events as (typeof item)[]) : [item]));
	}

	private credential() {
		return { ...this.rig.credential, apiKey: this.key.secret };
	}

	private newKey() {
		const { id, secret } = bench.platform.createKey({ scopes: ['charging-sessions:read'] });
		return { id, secret };
	}
}

/** A request that asks for certain sessions. */
function isLookup({ query }: { query: string | undefined }): boolean {
	return query?.includes('"In"') ?? false;
}

function sessions(): Sessions {
	const rows = bench.platform.db.prepare('SELECT Id, Status, EnergyConsumed, StartedAtUtc FROM sessions').all();
	return new Map(
		rows.map(({ Id: id, Status: code, EnergyConsumed: kWh, StartedAtUtc: started }): [number, SessionTruth] => [
			Number(id),
			{ status: Number(code), energy: Number(kWh), startedAt: Date.parse(`${String(started)}Z`) },
		]),
	);
}

it.each(ENGINES)(
	'no event is lost, invented or doubled in random histories, engine %s',
	async (engine) => {
		await fc.assert(
			fc.asyncProperty(history, async (story) => {
				bench.platform.reset();
				bench.platform.behaviour.scopeDelayMs = 0;
				await forgetProcess();
				expect(await new Player(engine, story).play()).toEqual([]);
			}),
			{ numRuns: Math.ceil(HISTORIES / ENGINES.length), endOnFailure: !process.env.SHRINK },
		);
	},
	3_600_000,
);
