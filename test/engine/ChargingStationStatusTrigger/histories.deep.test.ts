import * as fc from 'fast-check';

import { HistoryPlayer, interruptions, ofStations, type Judged } from '../../support/stationTrigger/history.ts';
import { Model, ODD, type Fleet, type Truth } from '../../support/stationTrigger/model.ts';
import { ENGINES, forgetProcess, TriggerRig, type Engine } from '../../support/trigger/rig.ts';
import { Bench, statusFilter } from '../../support/stationTrigger/support.ts';
import { draws } from '../../support/draws.ts';

// For all engines together.
const HISTORIES = draws(1_800);
const STATIONS = 4;
/** Where Ids are doubled, two more stations: the second one has the Id of the first, too. */
const DOUBLED = 6;
const ITS_DOUBLE = DOUBLED + 1;
const DWELL_MINUTES = 4;

/** Written as JSON. */
const ODD_CODES = ['""', '[2]', '{"Name":"x"}'];

const bench = new Bench({ stations: STATIONS });

const change = fc.record({
	do: fc.constant('change' as const),
	id: fc.constantFrom(1, 2, 3, STATIONS, 1, 2, 3, STATIONS, DOUBLED, ITS_DOUBLE),
	network: fc.constantFrom(1, 1, 2, 3, ...ODD_CODES, null),
	status: fc.constantFrom(1, 1, 1, 1, 2, 2, ...ODD_CODES, null),
	hardware: fc.constantFrom(1, 3, 3, null, ...ODD_CODES),
});
/** A station is deleted, or comes back. */
const move = fc.record({ do: fc.constantFrom('leave' as const, 'come' as const), id: fc.constantFrom(2, 3) });
const step = fc.oneof(
	{ weight: 6, arbitrary: change },
	{ weight: 2, arbitrary: move },
	...interruptions,
	...ofStations,
);
const settings = fc.record({
	event: fc.constantFrom('availability', 'filterMatch', 'statusChange'),
	dwell: fc.boolean(),
	choice: fc.constantFrom('both', 'both', 'opening', 'closing'),
	outOfService: fc.boolean(),
	detail: fc.boolean(),
	digest: fc.boolean(),
	areDoubled: fc.constantFrom(false, false, true),
});
const history = fc.record({ settings, steps: fc.array(step, { minLength: 8, maxLength: 40, size: 'max' }) });

type Change = typeof change | typeof move extends fc.Arbitrary<infer Value> ? Value : never;
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;
type History = typeof history extends fc.Arbitrary<infer Value> ? Value : never;

class Player extends HistoryPlayer<Step> {
	private readonly model: Model;
	protected readonly rig: TriggerRig;
	/** Every station is in the list that the trigger reads. */
	private readonly readsAll: boolean;
	private readonly settings: History['settings'];

	constructor(engine: Engine, history: History) {
		super(bench, engine, 'charging-stations');
		this.settings = history.settings;
		this.readsAll = this.settings.event === 'statusChange';
		if (this.readsAll && this.settings.areDoubled) this.mustBeSaid.add('doubled');
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
		this.model.baseline(fleet(this.settings), bench.clock.now());
		this.itemsSince();
	}

	protected change(step: Change): void {
		if (step.do !== 'change') {
			bench.remove(step.id);
			if (step.do === 'come') bench.add(step.id, `Station ${step.id}`, 2);
			return;
		}
		const { network, status, hardware, id } = step;
		bench.set({ NetworkStatus: network, HardwareStatus: hardware }, id);
		// Where they differ in this, it depends on what the list leaves out whether that is seen.
		bench.set({ Status: status }, ...(id < DOUBLED ? [id] : [DOUBLED, ITS_DOUBLE]));
	}

	protected restarted(keepsNotes: boolean): void {
		this.model.processEnded();
		if (!keepsNotes) this.model.restarted();
	}

	protected judge(poll: Judged): void {
		const { at, sight, items, alerts } = poll;
		if (this.mayHaveForgotten(poll)) this.model.restarted();
		if (this.readsAll && this.areIdsText && sight === 'all') this.mustBeSaid.add('changed');
		this.model.noteUnread(fleet(this.settings), at, sight);
		this.model.overdue.check(at, alerts);
		this.model.poll(at, fleet(this.settings), items, sight);
	}
}

const truth = (code: unknown) => (typeof code === 'number' ? code : ODD);

function fleet({ event }: History['settings']): Fleet {
	const rows = bench.platform.db.prepare('SELECT Id, NetworkStatus, Status, HardwareStatus FROM stations').all();
	const truths = new Map(
		rows.map(({ Id: id, NetworkStatus: network, Status: status, HardwareStatus: hardware }): [number, Truth] => [
			Number(id),
			{ network: truth(network), status: truth(status), hardware: hardware === null ? null : truth(hardware) },
		]),
	);
	const [first, double] = [truths.get(DOUBLED), truths.get(ITS_DOUBLE)];
	if (first && double) truths.set(DOUBLED, together(first, double, event));
	truths.delete(ITS_DOUBLE);
	return truths;
}

/** Two stations of one Id: a status in which they differ cannot be read, unless the list shows only the one that matches. */
function together(first: Truth, double: Truth, event: History['settings']['event']): Truth {
	const isBroken = event === 'filterMatch' && [first.hardware, double.hardware].includes(3);
	return {
		network: first.network === double.network ? first.network : ODD,
		status: first.status,
		hardware: isBroken ? 3 : first.hardware === double.hardware ? first.hardware : ODD,
	};
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
				bench.platform.behaviour.stationIdType = 'integer';
				bench.platform.behaviour.textIdDigits = 0;
				Object.assign(bench.platform.behaviour.lists, { oddIds: 'doubled', oddIdEvery: 1_000 });
				bench.remove(2, 3, DOUBLED, ITS_DOUBLE);
				for (const id of [2, 3]) bench.add(id, `Station ${id}`);
				if (story.settings.areDoubled) for (const id of [DOUBLED, ITS_DOUBLE]) bench.add(id, `Station ${id}`);
				bench.set({ NetworkStatus: 1, Status: 1, HardwareStatus: 1 });
				await forgetProcess();
				expect(await new Player(engine, story).play(story.steps)).toEqual([]);
			}),
			{ numRuns: Math.ceil(HISTORIES / ENGINES.length), endOnFailure: !process.env.SHRINK },
		);
	},
	3_600_000,
);
