import * as fc from 'fast-check';

import { Model, type Fleet, type Sight, type Truth } from './triggerModel.ts';
import { ENGINES, forgetProcess, TriggerRig, type Engine } from './triggerRig.ts';
import { Bench, statusFilter } from './triggerSupport.ts';

// All engines together.
const HISTORIES = process.env.DEEP ? 2400 : 201;
const STATIONS = 4;
/** Not a divisor of the dwell: whether it is over is never a matter of milliseconds. */
const BETWEEN_POLLS_MS = 90_000;
const DWELL_MINUTES = 4;
/** After a pause this long the durable scheduler's process does not trust what it alone remembers. */
const TRUSTED_MS = 15 * 60_000;

const bench = new Bench({ stations: STATIONS });

const change = fc.record({
	do: fc.constant('change' as const),
	id: fc.integer({ min: 1, max: STATIONS }),
	network: fc.constantFrom(1, 1, 2, 3),
	status: fc.constantFrom(1, 1, 1, 2),
	hardware: fc.constantFrom(1, 3, 3, null),
});
const step = fc.oneof(
	{ weight: 6, arbitrary: change },
	{ weight: 8, arbitrary: fc.record({ do: fc.constant('poll' as const) }) },
	{ weight: 1, arbitrary: fc.record({ do: fc.constant('overlap' as const) }) },
	{ weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const) }) },
	{ weight: 1, arbitrary: fc.record({ do: fc.constant('republish' as const) }) },
	{ weight: 1, arbitrary: fc.record({ do: fc.constant('rotate' as const) }) },
	{ weight: 1, arbitrary: fc.record({ do: fc.constant('drift' as const) }) },
	{ weight: 1, arbitrary: fc.record({ do: fc.constant('lookupFails' as const) }) },
	{ weight: 1, arbitrary: fc.record({ do: fc.constantFrom('429' as const, '500' as const, 'drop' as const) }) },
	{
		weight: 1,
		arbitrary: fc.record({
			do: fc.constantFrom('licence' as const, 'scope' as const),
			polls: fc.integer({ min: 1, max: 4 }),
		}),
	},
);
const settings = fc.record({
	event: fc.constantFrom('availability' as const, 'statusChange' as const, 'filterMatch' as const),
	dwell: fc.boolean(),
	choice: fc.constantFrom('both', 'both', 'opening', 'closing'),
	outOfService: fc.boolean(),
	detail: fc.boolean(),
	digest: fc.boolean(),
});
const history = fc.record({ settings, steps: fc.array(step, { minLength: 8, maxLength: 40, size: 'max' }) });

type History = typeof history extends fc.Arbitrary<infer Value> ? Value : never;

class Player {
	private readonly faults: string[] = [];
	private readonly model: Model;
	private readonly rig: TriggerRig;
	private key = this.newKey();
	private sawAt = 0;
	private outages = 0;

	constructor(
		private readonly engine: Engine,
		private readonly history: History,
	) {
		const { event, dwell, choice, outOfService, detail, digest } = history.settings;
		const opening = choice !== 'closing' || dwell;
		const closing = choice !== 'opening';
		this.model = new Model(
			{ event, dwellMs: dwell ? DWELL_MINUTES * 60_000 : 0, opening, closing, outOfService },
			(what) => this.faults.push(what),
		);
		this.rig = new TriggerRig(
			engine,
			{
				event,
				dimensions: ['NetworkStatus', 'HardwareStatus'],
				availabilityChanges: [...(opening ? ['offline'] : []), ...(closing ? ['back'] : [])],
				matchChanges: [...(opening ? ['starts'] : []), ...(closing ? ['stops'] : [])],
				filters: event === 'filterMatch' ? statusFilter('hardwareStatus', '3') : {},
				minutesInState: dwell ? DWELL_MINUTES : 0,
				output: digest ? 'digest' : 'items',
				options: { outOfServiceValues: outOfService ? ['2'] : [], fetchDetail: detail },
			},
			{ ...bench.credential(), apiKey: this.key.secret },
		);
	}

	/** Plays the history. Returns what was wrong with it. */
	async play(): Promise<string[]> {
		await this.rig.activate();
		this.model.baseline(fleet());
		this.sawAt = bench.clock.now();
		this.itemsSince();
		for (const next of this.history.steps) await this.play1(next);
		for (let poll = 0; poll < 14; poll++) await this.poll();
		const { errors } = this.rig;
		// A new process does not know what the one before it has said.
		const mostAlerts = this.outages * (1 + this.history.steps.filter((next) => next.do === 'restart').length);
		if (errors.length > mostAlerts) this.faults.push(`${errors.length} alerts for ${this.outages} outages`);
		const ids = this.allItems().map(({ eventId }) => eventId);
		if (new Set(ids).size !== ids.length) this.faults.push('two events have one id');
		return this.faults;
	}

	private async play1(next: History['steps'][number]): Promise<void> {
		switch (next.do) {
			case 'change':
				bench.set({ NetworkStatus: next.network, Status: next.status, HardwareStatus: next.hardware }, next.id);
				return;
			case 'poll':
				return await this.poll();
			case 'overlap':
				return await this.poll(
					'all',
					async () => await Promise.all([this.rig.tick(), this.rig.tick(), this.rig.tick()]),
				);
			case 'restart':
				if (this.engine !== 'cursors') this.model.restarted();
				return await this.poll('all', async () => await this.rig.restart());
			case 'republish':
				return await this.poll('all', async () => await this.rig.republish(), true);
			case 'rotate':
				this.key.secret = bench.platform.regenerate(this.key.id);
				return await this.poll('all', async () => await this.rig.republish({ credential: this.credential() }), true);
			case 'drift':
				bench.platform.faults.add({
					match: ({ path }) => path === '/api/charging-stations/v1',
					...{ kind: 'reply', status: 200, body: { Items: [], TotalCount: 0 } },
				});
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
				return await this.outage(next.do, next.polls);
		}
	}

	private async withFault(fault: Parameters<typeof bench.platform.faults.add>[0], sight: Sight): Promise<void> {
		bench.platform.faults.add({ ...fault, times: Infinity });
		await this.poll(sight);
		bench.platform.faults.clear();
	}

	private async outage(kind: 'licence' | 'scope', polls: number): Promise<void> {
		const refuse = (refused: boolean) => {
			if (kind === 'licence') bench.platform.license.active = !refused;
			else bench.platform.rescope(this.key.id, refused ? ['charging-sessions:read'] : ['charging-stations:read']);
		};
		refuse(true);
		for (let poll = 0; poll < polls; poll++) await this.poll('nothing');
		this.outages++;
		refuse(false);
	}

	/** Lets time pass and polls once, or does something else that may poll. */
	private async poll(sight: Sight = 'all', act?: () => Promise<unknown>, anew = false): Promise<void> {
		bench.clock.forward(BETWEEN_POLLS_MS);
		const at = bench.clock.now();
		const { requests } = bench.platform;
		const first = requests.length;
		await (act ?? (async () => await this.rig.tick()))();
		bench.platform.faults.clear();
		const list = requests.slice(first).find(({ path }) => path === '/api/charging-stations/v1');
		// While it backs off the trigger does not ask, and sees nothing.
		const seen = list?.status === 200 ? sight : 'nothing';
		if (seen !== 'nothing') {
			if (at - this.sawAt > TRUSTED_MS && (this.engine === 'scheduler' || (this.engine === 'memory' && anew))) {
				this.model.restarted();
			}
			this.sawAt = at;
		}
		this.model.poll(at, fleet(), this.itemsSince(), seen);
	}

	private itemsSince() {
		return this.rig.take().flatMap((item) => (item.event === 'digest' ? (item.events as (typeof item)[]) : [item]));
	}

	private allItems() {
		return this.rig.items.flatMap((item) => (item.event === 'digest' ? (item.events as (typeof item)[]) : [item]));
	}

	private credential() {
		return { ...this.rig.credential, apiKey: this.key.secret };
	}

	private newKey() {
		const { id, secret } = bench.platform.createKey({ scopes: ['charging-stations:read'] });
		return { id, secret };
	}
}

/** A list request that asks for certain stations. */
function isLookup({ query }: { query: string | undefined }): boolean {
	return query?.includes('"In"') ?? false;
}

function fleet(): Fleet {
	const rows = bench.platform.db.prepare('SELECT Id, NetworkStatus, Status, HardwareStatus FROM stations').all();
	return new Map(
		rows.map(({ Id: id, NetworkStatus: network, Status: status, HardwareStatus: hardware }): [number, Truth] => [
			Number(id),
			{ network: Number(network), status: Number(status), hardware: hardware === null ? null : Number(hardware) },
		]),
	);
}

it.each(ENGINES)(
	'no event is lost, invented or doubled in random histories, engine %s',
	async (engine) => {
		await fc.assert(
			fc.asyncProperty(history, async (story) => {
				bench.platform.requests.length = 0;
				bench.platform.license.active = true;
				bench.platform.behaviour.scopeDelayMs = 0;
				bench.platform.faults.clear();
				bench.set({ NetworkStatus: 1, Status: 1, HardwareStatus: 1 });
				await forgetProcess();
				expect(await new Player(engine, story).play()).toEqual([]);
			}),
			{ numRuns: Math.ceil(HISTORIES / ENGINES.length), endOnFailure: !process.env.SHRINK },
		);
	},
	3_600_000,
);
