import * as fc from 'fast-check';

import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { EVENT_NAMES } from '../../../nodes/ChargingSessionTrigger/events';
import { HistoryPlayer, interruptions, type Judged } from '../stationTrigger/history.ts';
import { ENGINES, forgetProcess, TriggerRig, type Engine, type TriggerName } from '../trigger/rig.ts';
import { SessionModel, type Sessions, type SessionTruth } from './model.ts';
import { ACTIVE, EXPIRED, FAILED, FINISHED, SUSPENDED, type SessionBench } from './support.ts';
import { draws } from '../draws.ts';

/** Over all engines. */
const HISTORIES = draws(900);
const LONG_HOURS = 0.2;
const STALLED_MINUTES = 4;
const SMALL = 10;
/** Small, because the promised window is the same for every page size. */
const PAGE_SIZE = 8;
const LOOK_BACK = 50;
const FIRST_ID = 100;
/** The session whose Id is odd: none, empty, or that of the one before. It never ends, or has ended from the start. */
const ODD_ID = 7;

const status = fc.constantFrom(ACTIVE, ACTIVE, SUSPENDED, FINISHED, FINISHED, EXPIRED, FAILED);
const energy = fc.constantFrom(1, 1, 2, 3, 20);
/** Selects one of the existing sessions. */
const which = fc.nat({ max: 1000 });
const change = fc.oneof(
	{ weight: 5, arbitrary: fc.record({ do: fc.constant('start' as const), status, energy }) },
	{ weight: 6, arbitrary: fc.record({ do: fc.constant('change' as const), which, status, energy }) },
	{ weight: 3, arbitrary: fc.record({ do: fc.constant('correct' as const), which, energy }) },
	{ weight: 2, arbitrary: fc.record({ do: fc.constant('reserve' as const) }) },
	{ weight: 2, arbitrary: fc.record({ do: fc.constant('charge' as const), which }) },
	{ weight: 3, arbitrary: fc.record({ do: fc.constant('commit' as const), status, energy }) },
	{ weight: 1, arbitrary: fc.record({ do: fc.constant('burst' as const), count: fc.integer({ min: 9, max: 30 }) }) },
	{ weight: 1, arbitrary: fc.record({ do: fc.constantFrom('hide' as const, 'delete' as const), which }) },
	{ weight: 1, arbitrary: fc.record({ do: fc.constant('show' as const) }) },
);
const step = fc.oneof({ weight: 19, arbitrary: change }, ...interruptions);
/** Settings of the session trigger. */
const settings = fc.record({
	events: fc.subarray(EVENT_NAMES, { minLength: 1 }),
	endStatuses: fc.constantFrom(['4', '6'], ['4'], ['4', '5']),
	others: fc.constantFrom([], ['5']),
	filter: fc.boolean(),
	digest: fc.boolean(),
	emitInitial: fc.boolean(),
	decimals: fc.constantFrom('number' as const, 'text' as const),
	oddIds: fc.constantFrom('none' as const, 'null' as const, 'empty' as const, 'doubled' as const),
	nullPlacement: fc.constantFrom('first' as const, 'last' as const),
});
const before = fc.array(fc.record({ status, energy, minutes: fc.integer({ min: 0, max: 20 }) }), { maxLength: 12 });
const steps = fc.array(step, { minLength: 8, maxLength: 40, size: 'max' });

type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never;
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;
type Settings = typeof settings extends fc.Arbitrary<infer Value> ? Value : never;
interface History {
	settings: Settings;
	before: typeof before extends fc.Arbitrary<infer Value> ? Value : never;
	steps: Step[];
}

/** The same in all histories. */
const LIMITS = { longHours: LONG_HOURS, stalledMinutes: STALLED_MINUTES, energyBelow: SMALL, pageSize: PAGE_SIZE };
type Limits = typeof LIMITS;

/** A trigger to play histories on: its parameters for drawn settings, and its items as the session trigger's. */
export interface Played {
	type: TriggerName;
	/** How to draw settings; those left out are drawn as for the session trigger. */
	settings?: { [Name in keyof Settings]?: fc.Arbitrary<Settings[Name]> };
	parameters(settings: Settings & Limits): INodeParameters;
	toSessionItem?(item: IDataObject): IDataObject;
}

class Player extends HistoryPlayer<Step> {
	private readonly model: SessionModel;
	protected readonly rig: TriggerRig;
	private nextId = FIRST_ID;
	private readonly reserved: number[] = [];
	private readonly everShown: number[] = [];
	private readonly hidden = new Map<number, SessionTruth>();

	constructor(
		private readonly sessions: SessionBench,
		private readonly played: Played,
		engine: Engine,
		private readonly history: History,
	) {
		super(sessions, engine, 'charging-sessions');
		const { events, endStatuses, others, filter, emitInitial } = history.settings;
		const endCodes = endStatuses.map(Number);
		this.model = new SessionModel(
			{
				events: new Set(events),
				endCodes,
				overCodes: [4, 6, ...(events.includes('ended') ? endCodes : []), ...others.map(Number)],
				longMs: LONG_HOURS * 3_600_000,
				stalledMs: STALLED_MINUTES * 60_000,
				energyBelow: filter ? SMALL : undefined,
				emitInitial,
			},
			(complaint) => this.faults.push(complaint),
		);
		this.rig = new TriggerRig(
			engine,
			played.parameters({ ...history.settings, ...LIMITS }),
			{ ...sessions.credential(), apiKey: this.key.secret },
			{},
			played.type,
		);
	}

	protected async begin(): Promise<void> {
		const status = this.history.settings.oddIds === 'doubled' ? FINISHED : ACTIVE;
		if (this.history.settings.oddIds !== 'none') {
			this.sessions.start(ODD_ID, { status });
			this.sessions.start(ODD_ID - 1, { status: FINISHED, energy: 1 });
		}
		for (const { minutes, ...session } of this.history.before) this.start(this.nextId++, session, minutes * 60_000);
		const at = this.sessions.clock.now();
		await this.rig.activate();
		this.model.baseline(at, truthsIn(this.sessions), this.itemsSince().map(this.toSessionItem));
	}

	protected change(step: Change): void {
		switch (step.do) {
			case 'start':
				return this.start(this.nextId++, step);
			case 'change':
				return this.become(step.which, step);
			case 'charge':
				return this.charge(step.which);
			case 'correct':
				return this.correct(step.which, step.energy);
			case 'burst':
				for (let session = 0; session < step.count; session++) {
					this.start(this.nextId++, { status: ACTIVE, energy: 1 });
				}
				return;
			case 'reserve':
				this.reserved.push(this.nextId++);
				return;
			case 'commit':
				return this.commit(step);
			case 'hide':
			case 'delete':
				return this.hide(step.which, step.do === 'hide');
			case 'show':
				return this.show();
		}
	}

	protected restarted(keepsNotes: boolean): void {
		this.model.restarted(this.hidden.keys(), keepsNotes);
	}

	protected judge({ at, sight, items }: Judged): void {
		this.model.poll(at, truthsIn(this.sessions), items.map(this.toSessionItem), sight);
	}

	private readonly toSessionItem = (item: IDataObject) => this.played.toSessionItem?.(item) ?? item;

	private start(id: number, session: { status: number; energy: number }, ago = 0): void {
		this.sessions.start(id, { ...session, ago });
		this.everShown.push(id);
	}

	private become(nth: number, { status: code, energy: kWh }: { status: number; energy: number }): void {
		const ids = [...truthsIn(this.sessions).keys()];
		const id = ids[nth % ids.length];
		if (id === undefined) return;
		this.sessions.become(code, id);
		this.sessions.energy(kWh, id);
	}

	/** The energy of a session rises. */
	private charge(nth: number): void {
		const all = [...truthsIn(this.sessions)];
		const [id, truth] = all[nth % all.length] ?? [];
		if (id !== undefined && truth !== undefined) this.sessions.energy(truth.energy + 0.5, id);
	}

	/** The energy of a session is corrected, upwards or downwards. */
	private correct(nth: number, kWh: number): void {
		const ids = [...truthsIn(this.sessions).keys()];
		const id = ids[nth % ids.length];
		if (id !== undefined) this.sessions.energy(kWh, id);
	}

	/** Adds a session whose Id was reserved earlier, if the trigger promises to look that far back. */
	private commit(session: { status: number; energy: number }): void {
		const id = this.reserved.shift();
		if (id !== undefined && this.everShown.filter((shown) => shown > id).length < LOOK_BACK) this.start(id, session);
	}

	/** Only sessions that the trigger has seen may vanish and come back: others cannot be missed. */
	private hide(nth: number, comesBack: boolean): void {
		const ids = [...truthsIn(this.sessions)].filter(([id]) => this.model.knows(id));
		const [id, truth] = ids[nth % ids.length] ?? [];
		if (id === undefined || truth === undefined) return;
		this.sessions.delete(id);
		if (comesBack) this.hidden.set(id, truth);
	}

	private show(): void {
		for (const [id, { startedAt, ...session }] of this.hidden) {
			this.sessions.start(id, { ...session, ago: this.sessions.clock.now() - startedAt });
		}
		this.hidden.clear();
	}
}

function truthsIn(bench: SessionBench): Sessions {
	const rows = bench.platform.db
		.prepare(`SELECT Id, Status, EnergyConsumed, StartedAtUtc FROM sessions WHERE Id >= ${FIRST_ID}`)
		.all();
	return new Map(
		rows.map(({ Id: id, Status: code, EnergyConsumed: kWh, StartedAtUtc: started }): [number, SessionTruth] => [
			Number(id),
			{ status: Number(code), energy: Number(kWh), startedAt: Date.parse(`${String(started)}Z`) },
		]),
	);
}

/** Plays random histories in an engine. Fails if an event is lost, invented or duplicated in one of them. */
export async function playHistories(bench: SessionBench, played: Played, engine: Engine): Promise<void> {
	const history = fc.record({
		settings: settings.chain((drawn) => fc.record(played.settings ?? {}).map((own) => ({ ...drawn, ...own }))),
		...{ before, steps },
	});
	await fc.assert(
		fc.asyncProperty(history, async (story) => {
			bench.platform.reset();
			const { behaviour } = bench.platform;
			behaviour.scopeDelayMs = 0;
			const { decimals, oddIds, nullPlacement } = story.settings;
			behaviour.nullPlacement = nullPlacement;
			// Of all sessions, only the odd one has an odd Id: its own is a remainder that no other has.
			Object.assign(behaviour.lists, { decimals, oddIds, oddIdEvery: 1_000_000 });
			await forgetProcess();
			expect(await new Player(bench, played, engine, story).play(story.steps)).toEqual([]);
		}),
		{ numRuns: Math.ceil(HISTORIES / ENGINES.length), endOnFailure: !process.env.SHRINK },
	);
}
