import * as fc from 'fast-check';

import { HistoryPlayer, interruptions, type Judged } from '../../support/stationTrigger/history.ts';
import { Model, ODD, type Fleet, type Truth } from '../../support/stationTrigger/model.ts';
import { ENGINES, forgetProcess, TriggerRig, type Engine } from '../../support/trigger/rig.ts';
import { Bench, statusFilter } from '../../support/stationTrigger/support.ts';
import { draws } from '../../support/draws.ts';

// For all engines together.
const HISTORIES = draws(1_800);
const STATIONS = 4;
const DWELL_MINUTES = 4;

/** Written as JSON. */
const ODD_CODES = ['""', '[2]', '{"Name":"x"}'];

const bench = new Bench({ stations: STATIONS });

const change = fc.record({
	do: fc.constant('change' as const),
	id: fc.integer({ min: 1, max: STATIONS }),
	network: fc.constantFrom(1, 1, 2, 3, ...ODD_CODES, null),
	status: fc.constantFrom(1, 1, 1, 1, 2, 2, ...ODD_CODES, null),
	hardware: fc.constantFrom(1, 3, 3, null, ...ODD_CODES),
});
const step = fc.oneof({ weight: 6, arbitrary: change }, ...interruptions);
const settings = fc.record({
	event: fc.constantFrom('availability', 'filterMatch', 'statusChange'),
	dwell: fc.boolean(),
	choice: fc.constantFrom('both', 'both', 'opening', 'closing'),
	outOfService: fc.boolean(),
	detail: fc.boolean(),
	digest: fc.boolean(),
});
const history = fc.record({ settings, steps: fc.array(step, { minLength: 8, maxLength: 40, size: 'max' }) });

type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never;
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;
type History = typeof history extends fc.Arbitrary<infer Value> ? Value : never;

class Player extends HistoryPlayer<Step> {
	private readonly model: Model;
	protected readonly rig: TriggerRig;

	constructor(engine: Engine, history: History) {
		super(bench, engine, 'charging-stations');
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

	protected async begin(): Promise<void> {
		await this.rig.activate();
		this.model.baseline(fleet());
		this.itemsSince();
	}

	protected change({ network, status, hardware, id }: Change): void {
		bench.set({ NetworkStatus: network, Status: status, HardwareStatus: hardware }, id);
	}

	protected restarted(keepsNotes: boolean): void {
		if (!keepsNotes) this.model.restarted();
	}

	protected judge(poll: Judged): void {
		const { at, sight, items } = poll;
		if (this.mayHaveForgotten(poll)) this.model.restarted();
		this.model.poll(at, fleet(), items, sight);
	}
}

const truth = (code: unknown) => (typeof code === 'number' ? code : ODD);

function fleet(): Fleet {
	const rows = bench.platform.db.prepare('SELECT Id, NetworkStatus, Status, HardwareStatus FROM stations').all();
	return new Map(
		rows.map(({ Id: id, NetworkStatus: network, Status: status, HardwareStatus: hardware }): [number, Truth] => [
			Number(id),
			{ network: truth(network), status: truth(status), hardware: hardware === null ? null : truth(hardware) },
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
				expect(await new Player(engine, story).play(story.steps)).toEqual([]);
			}),
			{ numRuns: Math.ceil(HISTORIES / ENGINES.length), endOnFailure: !process.env.SHRINK },
		);
	},
	3_600_000,
);
