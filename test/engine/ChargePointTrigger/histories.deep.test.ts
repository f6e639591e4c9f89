import * as fc from 'fast-check';

import { Model, type Truth } from '../../support/chargePointTrigger/model.ts';
import {
	CHARGE_POINT_TRIGGER,
	ChargePointBench,
	OUT_OF_ORDER,
	STATUS_CHANGE,
	type Entries,
} from '../../support/chargePointTrigger/support.ts';
import { draws } from '../../support/draws.ts';
import { HistoryPlayer, interruptions, ofStations, type Judged } from '../../support/stationTrigger/history.ts';
import { ENGINES, forgetProcess, TriggerRig, type Engine } from '../../support/trigger/rig.ts';

// For all engines together.
const HISTORIES = draws(900);
const STATIONS = 3;
/** Where Ids are doubled, one more station, and another one that has its Id in the list. */
const DOUBLED = 6;
const ITS_DOUBLE = DOUBLED + 1;
const DWELL_MINUTES = 4;
/** Polls in a row that see everything, by which each station must have been looked at again. */
const LONGEST_TURN = 4;

const bench = new ChargePointBench({ stations: STATIONS });

const id = fc.constantFrom(1, 1, 2, 3, DOUBLED);
/** The first one stays and can be looked at: if none can, that is alerted. */
const other = fc.integer({ min: 2, max: STATIONS });
const status = fc.constantFrom<unknown>(
	1,
	1,
	2,
	3,
	3,
	3,
	1,
	null,
	undefined,
	'',
	' ',
	[3],
	{ Name: 'x' },
	{ Id: null },
);
const what = <Name extends string>(name: Name) => fc.constant(name);
const change = fc.oneof(
	{
		weight: 12,
		arbitrary: fc.record({ do: what('status'), id, point: fc.constantFrom(0, 0, 0, 1), status }),
	},
	{ weight: 6, arbitrary: fc.record({ do: what('points'), id, statuses: fc.array(status, { maxLength: 3 }) }) },
	{ weight: 1, arbitrary: fc.record({ do: what('ids'), id, hasIds: fc.boolean(), isDoubled: fc.boolean() }) },
	{
		weight: 2,
		arbitrary: fc.record({ do: what('list'), id: other, instead: fc.constantFrom(null, 'none', {}, undefined) }),
	},
	{ weight: 1, arbitrary: fc.record({ do: what('leave'), id: other }) },
	{ weight: 1, arbitrary: fc.record({ do: what('come'), id: other }) },
	{ weight: 2, arbitrary: fc.record({ do: what('fails'), id: other, code: fc.constantFrom(200, 403, 500) }) },
);
const step = fc.oneof({ weight: 25, arbitrary: change }, ...interruptions, ...ofStations);
const settings = fc.record({
	event: fc.constantFrom('outOfOrder', 'statusChange'),
	dwell: fc.boolean(),
	mostStations: fc.constantFrom(2, 3, 100),
	digest: fc.boolean(),
	watching: fc.boolean(),
	hasIds: fc.constantFrom(true, true, false),
	areDoubled: fc.constantFrom(false, false, true),
});
const history = fc.record({ settings, steps: fc.array(step, { minLength: 8, maxLength: 60, size: 'max' }) });

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;
type History = typeof history extends fc.Arbitrary<infer Value> ? Value : never;
type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never;

class Player extends HistoryPlayer<Step> {
	private readonly model: Model;
	protected readonly rig: TriggerRig;
	/** The requests judged so far. */
	private judged = 0;
	/** How many polls in a row have seen the list, but not this station. */
	private readonly unseen = new Map<number, number>();
	private readonly fleet = new Map<number, Truth>();
	/** What the details of some stations answer. */
	private readonly failing = new Map<number, number>();
	/** Some station may have had no charge points: then it is not known by its Id. */
	private hasBeenEmpty = false;

	constructor(engine: Engine, { settings }: History) {
		super(bench, engine, 'charging-stations');
		const { event, dwell, mostStations, digest, watching, hasIds, areDoubled } = settings;
		const dwellMs = dwell ? DWELL_MINUTES * 60_000 : 0;
		const isOnePollPerTurn = mostStations >= (areDoubled ? STATIONS + 2 : STATIONS);
		if (areDoubled && isOnePollPerTurn) this.mustBeSaid.add('doubled');
		this.model = new Model({ event, dwellMs, isOnePollPerTurn }, (what) => this.faults.push(what));
		this.rig = new TriggerRig(
			engine,
			{
				...(event === 'statusChange' ? STATUS_CHANGE : OUT_OF_ORDER),
				minutesInState: dwell ? DWELL_MINUTES : 0,
				output: digest ? 'digest' : 'items',
				options: { mostStations, reportWatching: watching },
			},
			{ ...bench.credential(), apiKey: this.key.secret },
			{},
			CHARGE_POINT_TRIGGER,
		);
		if (areDoubled) for (const station of [DOUBLED, ITS_DOUBLE]) bench.add(station, `Station ${station}`);
		for (const station of [1, 2, 3, ...(areDoubled ? [DOUBLED] : [])]) {
			this.write(station, { hasIds, points: [1, 2].map((point) => ({ id: station * 10 + point, status: 1 })) });
		}
	}

	protected async begin(): Promise<void> {
		await this.rig.activate();
		this.judge({
			at: bench.clock.now(),
			sight: 'all',
			items: this.itemsSince(),
			alerts: this.alertsSince(),
			afterPublish: false,
		});
		this.model.begun();
	}

	protected change(step: Change): void {
		const truth = this.fleet.get(step.id);
		this.hasBeenEmpty ||= step.do !== 'status' && step.do !== 'ids';
		switch (step.do) {
			case 'come':
				if (truth) return;
				bench.add(step.id, 'Back');
				return this.write(step.id, { hasIds: true, points: [{ id: step.id * 10 + 1, status: 3 }] });
			case 'leave':
				bench.remove(step.id);
				this.fleet.delete(step.id);
				this.model.left(step.id);
				return;
			case 'fails':
				this.failing.set(step.id, step.code);
				this.fail();
				return;
			case 'points': {
				const points = step.statuses.map((code, index) => ({ id: step.id * 10 + index + 1, status: code }));
				return truth && this.write(step.id, { ...truth, points });
			}
			case 'ids':
				return truth && this.write(step.id, { ...truth, hasIds: step.hasIds, isDoubled: step.isDoubled });
			case 'list':
				return truth && this.write(step.id, { ...truth, instead: step.instead });
			case 'status': {
				const change = (point: Truth['points'][number], index: number) =>
					index === step.point ? { ...point, status: step.status } : point;
				return truth && this.write(step.id, { ...truth, points: truth.points.map(change) });
			}
		}
	}

	/** Faults are cleared after each poll. */
	private fail(): void {
		for (const [station, code] of this.failing) {
			const match = ({ path }: { path: string }) => code !== 200 && path.endsWith(`/${station}`);
			bench.platform.faults.add({ kind: 'status', status: code, match, times: Infinity });
		}
	}

	private write(station: number, truth: Truth): void {
		this.fleet.set(station, truth);
		const first = truth.points[0]?.id ?? 0;
		const entries = truth.points.map(({ id, status: Status }) =>
			truth.hasIds ? { Id: truth.isDoubled ? first : id, Status } : { Status },
		) as Entries;
		bench.entries(station, ...entries);
		if (truth.instead === undefined) return;
		bench.platform.db.prepare('UPDATE stations SET EVSEs = ? WHERE Id = ?').run(JSON.stringify(truth.instead), station);
	}

	protected restarted(keepsNotes: boolean): void {
		if (!keepsNotes) this.model.restarted();
		this.unseen.clear();
	}

	protected judge(poll: Judged): void {
		const { at, sight, items, alerts } = poll;
		const sent = bench.platform.requests.slice(this.judged);
		this.judged = bench.platform.requests.length;
		if (this.mayHaveForgotten(poll)) this.model.restarted();
		const looks = new Map(
			sent.flatMap(({ path, status: code }): Array<[number, Truth]> => {
				const station = Number(/\/v1\/(\d+)$/.exec(path)?.[1]);
				const truth = this.fleet.get(station);
				return truth && code === 200 && truth.instead === undefined ? [[station, truth]] : [];
			}),
		);
		const refused = new Map(
			sent.flatMap(({ path, status: code }): Array<[number, boolean]> => {
				const station = Number(/\/v1\/(\d+)$/.exec(path)?.[1]);
				if (Number.isNaN(station) || looks.has(station) || code === 404) return [];
				// A fault that passes may be taken for one of the whole poll.
				return [[station, this.fleet.has(station) && code !== 500 && sight === 'all']];
			}),
		);
		if (!this.hasBeenEmpty && this.areIdsText && sight === 'all' && looks.size > 0) this.mustBeSaid.add('changed');
		const listed = sight === 'nothing' ? undefined : new Set(sight === 'lookups' ? [] : this.fleet.keys());
		const events = items.filter(({ event }) => event !== 'watching');
		this.model.poll({ at, listed, looks, refused, alerts, items: events });
		this.noteTurns(sight, sent);
		this.fail();
	}

	/** No station waits for its turn for longer than a turn takes, even if others cannot be looked at. */
	private noteTurns(sight: string, sent: ReadonlyArray<{ path: string }>): void {
		if (sight !== 'all' || sent.length === 0) return this.unseen.clear();
		for (const station of this.fleet.keys()) {
			const isAsked = sent.some(({ path }) => path.endsWith(`/${station}`));
			const polls = isAsked ? 0 : (this.unseen.get(station) ?? 0) + 1;
			this.unseen.set(station, polls);
			if (polls > LONGEST_TURN) this.faults.push(`station ${station} had no turn in ${polls} polls`);
		}
	}
}

it.each(ENGINES)(
	'no event is lost, invented or doubled in random histories, engine %s',
	async (engine) => {
		await fc.assert(
			fc.asyncProperty(history, async (story) => {
				bench.platform.reset();
				bench.platform.behaviour.scopeDelayMs = 0;
				bench.platform.behaviour.textIdDigits = 0;
				Object.assign(bench.platform.behaviour.lists, { oddIds: 'doubled', oddIdEvery: 1_000 });
				await forgetProcess();
				expect(await new Player(engine, story).play(story.steps)).toEqual([]);
			}),
			{ numRuns: Math.ceil(HISTORIES / ENGINES.length), endOnFailure: !process.env.SHRINK },
		);
	},
	3_600_000,
);
