import * as fc from 'fast-check';
import isEqual from 'lodash/isEqual.js';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { draws } from '../../support/draws.ts';
import { list, ListBench, listRig, SESSION_LIST, smallerEnergy, told } from '../../support/rowsTrigger/support.ts';
import { HistoryPlayer, interruptions, type Judged, type Sight } from '../../support/stationTrigger/history.ts';
import { ENGINES, forgetProcess, type Engine, type TriggerRig } from '../../support/trigger/rig.ts';

const bench = new ListBench();
const EVENTS = ['changedRow', 'goneRow'] as const;
/** Rows with less energy match the filter. */
const SMALL = 10;
const FIRST_ID = 100;
const HISTORIES = draws(600);

const values = { status: fc.integer({ min: 1, max: 3 }), energy: fc.constantFrom(1, 2, 20) };
const which = fc.nat({ max: 1000 });
const change = fc.oneof(
	{ weight: 3, arbitrary: fc.record({ do: fc.constant('add' as const), ...values }) },
	{ weight: 8, arbitrary: fc.record({ do: fc.constant('change' as const), which, ...values }) },
	{ weight: 3, arbitrary: fc.record({ do: fc.constantFrom('delete' as const, 'hide' as const), which }) },
	{ weight: 2, arbitrary: fc.record({ do: fc.constant('show' as const) }) },
);
const history = fc.record({
	event: fc.constantFrom(...EVENTS),
	filter: fc.boolean(),
	fields: fc.constantFrom<INodeParameters[]>(
		{ watchedFields: ['Status', 'EnergyConsumed'] },
		{ watchedFields: 'status, energyconsumed' },
		// A session that comes back has started at another time.
		{ ignoredFields: ['StartedAtUtc'] },
	),
	digest: fc.boolean(),
	before: fc.array(fc.record(values), { maxLength: 12 }),
	steps: fc.array(fc.oneof({ weight: 19, arbitrary: change }, ...interruptions), { minLength: 8, maxLength: 40 }),
});
type History = typeof history extends fc.Arbitrary<infer Value> ? Value : never;
type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never;
interface Truth extends IDataObject {
	Status: number;
	EnergyConsumed: number;
}

/** What must be reported, made of nothing but what the promise says. */
class Model {
	private readonly known = new Map<number, Truth>();
	private readonly everSeen = new Map<number, Truth[]>();
	private readonly missing = new Set<number>();

	constructor(private readonly history: Pick<History, 'event' | 'filter'>) {}

	restarted(keepsNotes: boolean): void {
		if (!keepsNotes) this.missing.clear();
	}

	/** @returns what is wrong with the items of a poll */
	poll(truths: ReadonlyMap<number, Truth>, sight: Sight, items: readonly IDataObject[]): string[] {
		const expected = sight === 'nothing' ? [] : this.see(truths, sight);
		const got = [...told(items)].sort();
		const names = expected.map(({ id }) => `${this.history.event} ${id}`).sort();
		const wrong = isEqual(got, names) ? [] : [`with ${sight}: expected ${names.join()}, got ${got.join()}`];
		for (const { id, before, now } of expected) {
			const item = items.find(({ rowId }) => rowId === id);
			if (item && !this.says(item, id, before, now)) wrong.push(`${id}: ${JSON.stringify([item, before, now])}`);
		}
		return wrong;
	}

	private see(truths: ReadonlyMap<number, Truth>, sight: Sight) {
		const events: Array<{ id: number; before: Truth; now?: Truth }> = [];
		const { event, filter } = this.history;
		const listed = [...truths].filter(([, { EnergyConsumed }]) => !filter || EnergyConsumed < SMALL);
		const seen = new Map(sight === 'lookups' ? [] : listed);
		for (const [id, now] of seen) {
			const before = this.known.get(id);
			if (event === 'changedRow' && before && !isEqual(before, now)) events.push({ id, before, now });
			this.note(id, now);
		}
		if (event === 'changedRow' || sight === 'list') return events;
		for (const [id, before] of [...this.known].filter(([known]) => !seen.has(known))) {
			const now = truths.get(id);
			if (now) this.note(id, now);
			else if (!this.missing.delete(id)) this.missing.add(id);
			else {
				events.push({ id, before });
				this.known.delete(id);
			}
		}
		return events;
	}

	private note(id: number, now: Truth): void {
		this.known.set(id, now);
		this.everSeen.set(id, [...(this.everSeen.get(id) ?? []), now]);
		this.missing.delete(id);
	}

	/** Of a row that is gone, the values of the last batch or later are told. */
	private says(item: IDataObject, id: number, before: Truth, now?: Truth): boolean {
		const told = item.before as Truth;
		if (!now) {
			const ever = this.everSeen.get(id) ?? [];
			return ever.some(
				({ Status, EnergyConsumed }) => told.Status === Status && told.EnergyConsumed === EnergyConsumed,
			);
		}
		const changed = (['Status', 'EnergyConsumed'] as const).filter((name) => before[name] !== now[name]);
		const part = (of: Truth) => Object.fromEntries(changed.map((name) => [name, of[name]]));
		return isEqual(told, part(before)) && isEqual(item.now, part(now)) && (item.row as Truth).Status === now.Status;
	}
}

class Player extends HistoryPlayer<History['steps'][number]> {
	protected readonly rig: TriggerRig;
	private readonly model: Model;
	private nextId = FIRST_ID;
	private readonly hidden = new Map<number, Truth>();

	constructor(
		engine: Engine,
		private readonly history: History,
	) {
		super(bench, engine, 'charging-sessions');
		const { event, filter, fields, digest } = history;
		this.model = new Model(history);
		this.rig = listRig(
			engine,
			{
				...{ event, ...list(SESSION_LIST), ...fields, output: digest ? 'digest' : 'items' },
				...(filter && { filters: smallerEnergy(SMALL) }),
				options: { pageSize: 4 },
			},
			{ ...bench.credential(), apiKey: this.key.secret },
		);
	}

	protected async begin(): Promise<void> {
		for (const row of this.history.before) this.add(this.nextId++, row);
		await this.rig.activate();
		this.judge({ at: 0, sight: 'all', items: this.itemsSince(), alerts: [], afterPublish: true });
	}

	protected change(step: Change): void {
		if (step.do === 'add') return this.add(this.nextId++, step);
		if (step.do === 'show') return this.show();
		const all = [...truths()];
		const [id, truth] = all[step.which % all.length] ?? [];
		if (id === undefined || !truth) return;
		if (step.do === 'change') {
			bench.become(step.status, id);
			return bench.energy(step.energy, id);
		}
		bench.delete(id);
		if (step.do === 'hide') this.hidden.set(id, truth);
	}

	protected restarted(keepsNotes: boolean): void {
		this.model.restarted(keepsNotes);
	}

	protected judge({ sight, items }: Judged): void {
		this.faults.push(...this.model.poll(truths(), sight, items));
	}

	private add(id: number, { status, energy }: { status: number; energy: number }): void {
		bench.start(id, { status, energy });
	}

	private show(): void {
		for (const [id, { Status: status, EnergyConsumed: energy }] of this.hidden) this.add(id, { status, energy });
		this.hidden.clear();
	}
}

function truths(): Map<number, Truth> {
	const rows = bench.platform.db.prepare('SELECT Id, Status, EnergyConsumed FROM sessions').all();
	return new Map(
		rows.map(({ Id, Status, EnergyConsumed }) => [
			Number(Id),
			{ Status: Number(Status), EnergyConsumed: Number(EnergyConsumed) },
		]),
	);
}

it.each(ENGINES)(
	'each change is reported once, and each row that is gone, in random histories, engine %s',
	async (engine) => {
		await fc.assert(
			fc.asyncProperty(history, async (story) => {
				bench.platform.reset();
				bench.platform.behaviour.scopeDelayMs = 0;
				await forgetProcess();
				expect(await new Player(engine, story).play(story.steps)).toEqual([]);
			}),
			{ numRuns: Math.ceil(HISTORIES / ENGINES.length), endOnFailure: !process.env.SHRINK },
		);
	},
	3_600_000,
);
