import * as fc from 'fast-check';

import type { Fault } from '../../platform/index.ts';
import { forgetCounts } from '../../platform/lists.ts';
import { HistoryPlayer, interruptions, type Judged } from '../../support/stationTrigger/history.ts';
import { Model, type Fleet, type Truth } from '../../support/stationTrigger/model.ts';
import { Bench, statusFilter } from '../../support/stationTrigger/support.ts';
import { ENGINES, forgetProcess, TriggerRig, type Engine } from '../../support/trigger/rig.ts';
import { draws } from '../../support/draws.ts';

// Random histories of status changes in a fleet large enough that only unusual stations are read.

// For all engines together.
const HISTORIES = draws(600);
const DWELL_MINUTES = 4;
const PAGE_SIZE = 2;
const FIRST = Array.from({ length: 24 }, (_, index) => 2 * (index + 1));
/** Ids between the first ones, and after them. */
const LATER = [3, 21, 60, 61];
/** Most changes happen to these. */
const RESTLESS = [2, 4, 30, 48, ...LATER];

const bench = new Bench({ stations: 1 });

const id = fc.oneof(
	{ weight: 9, arbitrary: fc.constantFrom(...RESTLESS) },
	{ weight: 1, arbitrary: fc.constantFrom(...FIRST) },
);
/** Whether the next poll still gets the counts of the last one. */
const lag = fc.boolean();
const change = fc.record({
	do: fc.constant('change' as const),
	id,
	network: fc.constantFrom(1, 1, 2, 3),
	status: fc.constantFrom(1, 1, 1, 2),
	hardware: fc.constantFrom(1, 1, 3, null),
	lag,
});
const comeOrGo = fc.record({ do: fc.constant('comeOrGo' as const), id, network: fc.constantFrom(1, 1, 2), lag });
const storm = fc.record({ do: fc.constant('storm' as const), hardware: fc.constantFrom(1, 3, null), lag });
const step = fc.oneof(
	{ weight: 6, arbitrary: change },
	{ weight: 2, arbitrary: comeOrGo },
	{ weight: 1, arbitrary: fc.oneof({ weight: 1, arbitrary: storm }, { weight: 5, arbitrary: change }) },
	...interruptions,
);
const settings = fc.record({
	dwell: fc.boolean(),
	/** What Status 2 means: nothing, out of service, or not matching the filter. */
	status2: fc.constantFrom('nothing' as const, 'outOfService' as const, 'leaves' as const),
	detail: fc.boolean(),
	digest: fc.boolean(),
	nullNeq: fc.constantFrom('match' as const, 'noMatch' as const),
});
const history = fc.record({ settings, steps: fc.array(step, { minLength: 8, maxLength: 30, size: 'max' }) });

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;
type Change = Exclude<Step, { do: (typeof interruptions)[number]['arbitrary'] extends fc.Arbitrary<infer I> ? I extends { do: infer Name } ? Name : never : never }>; // prettier-ignore
type History = typeof history extends fc.Arbitrary<infer Value> ? Value : never;

class Player extends HistoryPlayer<Step> {
	private readonly model: Model;
	protected readonly rig: TriggerRig;
	/** The stations in the list when a poll last saw it. */
	private seen = new Set<number>();
	/** Stations came or went, and no poll with right counts has seen it yet. */
	private isPending = false;
	private lags = false;
	private readonly settings: History['settings'];

	constructor(engine: Engine, { settings }: History) {
		super(bench, engine, 'charging-stations');
		this.settings = settings;
		const { dwell, status2, detail, digest } = settings;
		const outOfService = status2 === 'outOfService';
		this.model = new Model(
			{
				event: 'statusChange',
				dwellMs: dwell ? DWELL_MINUTES * 60_000 : 0,
				opening: true,
				closing: true,
				outOfService,
			},
			(what) => this.faults.push(what),
		);
		this.rig = new TriggerRig(
			engine,
			{
				event: 'statusChange',
				dimensions: ['NetworkStatus', 'HardwareStatus'],
				filters: status2 === 'leaves' ? statusFilter('status', '1') : {},
				minutesInState: dwell ? DWELL_MINUTES : 0,
				output: digest ? 'digest' : 'items',
				options: { outOfServiceValues: outOfService ? ['2'] : [], fetchDetail: detail, pageSize: PAGE_SIZE },
			},
			{ ...bench.credential(), apiKey: this.key.secret },
		);
	}

	private get fleet(): Fleet {
		const where = this.settings.status2 === 'leaves' ? 'WHERE Status = 1' : '';
		const rows = bench.platform.db.prepare(`SELECT * FROM stations ${where}`).all();
		return new Map(
			rows.map(({ Id, NetworkStatus, Status, HardwareStatus }): [number, Truth] => [
				Number(Id),
				{
					network: Number(NetworkStatus),
					status: Number(Status),
					hardware: HardwareStatus === null ? null : Number(HardwareStatus),
				},
			]),
		);
	}

	protected async begin(): Promise<void> {
		await this.rig.activate();
		this.model.baseline(this.fleet);
		this.seen = new Set(this.fleet.keys());
		this.itemsSince();
	}

	protected change(step: Change): void {
		// One at a time: a station that comes while another goes is found only when all stations are read.
		if (this.isPending) return;
		const before = [...this.fleet.keys()].sort().join();
		if (step.do === 'storm') bench.set({ HardwareStatus: step.hardware });
		else if (step.do === 'change') {
			bench.set({ NetworkStatus: step.network, Status: step.status, HardwareStatus: step.hardware }, step.id);
		} else if (bench.platform.db.prepare('SELECT 1 FROM stations WHERE Id = ?').get(step.id)) bench.remove(step.id);
		else bench.add(step.id, `Station ${step.id}`, step.network);
		this.isPending = [...this.fleet.keys()].sort().join() !== before;
		this.lags = step.lag;
		if (!step.lag) forgetCounts(bench.platform.db);
	}

	protected restarted(keepsNotes: boolean): void {
		if (!keepsNotes) this.model.restarted();
	}

	protected judge(poll: Judged): void {
		const { at, sight, items } = poll;
		// With lagging counts, only the next poll finds codes that the list leaves out, and stations that are back.
		const isHidden = (value: string) =>
			sight === 'lookups' || (value === 'null' && this.settings.nullNeq === 'noMatch');
		const mayMiss = (station: number, value: string) => this.lags && (!this.seen.has(station) || isHidden(value));
		if (this.mayHaveForgotten(poll)) this.model.restarted();
		this.model.poll(at, this.fleet, items, sight, mayMiss);
		if (sight === 'nothing') return;
		this.seen = new Set(this.fleet.keys());
		this.isPending &&= this.lags;
		if (this.lags) forgetCounts(bench.platform.db);
		this.lags = false;
	}

	/** Not while stations come or go: an empty list would leave open whether a poll has seen that. */
	protected override emptyList(): Fault {
		const fault = super.emptyList();
		return this.isPending ? { ...fault, match: () => false } : fault;
	}
}

it.each(ENGINES)(
	'no status change is lost, invented or doubled when only unusual stations are read, engine %s',
	async (engine) => {
		const requests = { all: 0, unusual: 0 };
		await fc.assert(
			fc.asyncProperty(history, async (story) => {
				const { platform } = bench;
				platform.reset();
				platform.behaviour.scopeDelayMs = 0;
				platform.behaviour.nullNeq = story.settings.nullNeq;
				platform.behaviour.lists.count = 'cached';
				platform.db.exec('DELETE FROM stations');
				for (const station of FIRST) bench.add(station, `Station ${station}`);
				await forgetProcess();
				expect(await new Player(engine, story).play(story.steps)).toEqual([]);
				const lists = platform.requests.filter(({ status, query }) => status === 200 && query?.includes('Take'));
				requests.all += lists.length;
				requests.unusual += lists.filter(({ query }) => query?.includes('Neq')).length;
			}),
			{ numRuns: Math.ceil(HISTORIES / ENGINES.length), endOnFailure: !process.env.SHRINK },
		);
		// Reading only unusual stations is what these histories test.
		expect(requests.unusual / requests.all).toBeGreaterThan(0.2);
	},
	3_600_000,
);
