import * as fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { list, ListBench, listRig, SESSION_LIST, smallerEnergy } from '../../support/rowsTrigger/support.ts';
import { beginWith, changes, sessionsBefore, type Truth, truthsIn } from '../../support/sessionTrigger/changes.ts';
import { SessionModel } from '../../support/sessionTrigger/model.ts';
import { text } from '../../support/trigger/events.ts';
import { itHoldsInHistories } from '../../support/trigger/history.ts';
import { WatchModel } from '../../support/trigger/watchModel.ts';

const bench = new ListBench();
/** Rows with less energy match the filter. */
const SMALL = 10;
const FIRST_ID = 100;
const filtersFor = (isFiltered: boolean) => (isFiltered ? smallerEnergy(SMALL) : {});

/** A new row of the session list is a session that starts, so the session trigger's model fits here, too. */
itHoldsInHistories('each new row is reported once', {
	bench,
	changes,
	path: SESSION_LIST,
	settings: fc.record({ filter: fc.boolean(), before: sessionsBefore, meetsNothing: fc.boolean() }),
	async begin({ filter, output, before, meetsNothing }, engine, complain) {
		bench.platform.behaviour.scopeDelayMs = 0;
		const model = new SessionModel(
			{
				events: new Set(['started']),
				endOf: () => undefined,
				isOver: () => false,
				longMs: 0,
				stalledMs: 0,
				matches: ({ energy }) => !filter || energy < SMALL,
				reportsFirst: false,
			},
			complain,
		);
		const rig = bench.inactive(engine, { filters: filtersFor(filter), output, options: { pageSize: 8 } });
		const { change, endGeneration } = beginWith(bench, before);
		const at = await bench.activateAfter(meetsNothing, rig);
		model.begin(at, truthsIn(bench), []);
		const begins = (again: number) => model.beginAgain(again, truthsIn(bench));
		return {
			rig,
			change,
			generation: { ends: endGeneration, begins },
			judge({ items, ...poll }) {
				const named = items.map((item) => ({ ...item, event: 'started', sessionId: item.rowId }));
				model.judge({ ...poll, items: named }, truthsIn(bench));
			},
		};
	},
});

const row = { status: fc.integer({ min: 1, max: 3 }), energy: fc.constantFrom(1, 2, 20) };
const KINDS = ['add', 'change', 'change', 'change', 'delete', 'hide', 'show'] as const;

/** An event for each value that a row has changed. */
function byField(item: IDataObject): IDataObject[] {
	const before = item.before as IDataObject;
	const now = item.now as IDataObject;
	return Object.keys(before).map((field) => ({
		...item,
		eventId: `${text(item.eventId)} ${field}`,
		field,
		from: before[field],
		to: now[field],
	}));
}

itHoldsInHistories('each change is reported once, and each row that is gone,', {
	bench,
	path: SESSION_LIST,
	settings: fc.record({
		event: fc.constantFrom('changedRow' as const, 'goneRow' as const),
		filter: fc.boolean(),
		fields: fc.constantFrom<INodeParameters[]>(
			{ watchedFields: ['Status', 'EnergyConsumed'] },
			{ watchedFields: 'status, energyconsumed' },
		),
		before: fc.array(fc.record(row), { maxLength: 12 }),
	}),
	changes: fc.record({ do: fc.constantFrom(...KINDS), which: fc.nat({ max: 1000 }), ...row }),
	async begin({ event, filter, fields, output, before }, engine, complain) {
		bench.platform.behaviour.scopeDelayMs = 0;
		const isGone = event === 'goneRow';
		const matches = ({ energy }: Truth) => !filter || energy < SMALL;
		const model = new WatchModel(
			{
				rule: 'values',
				dwellMs: 0,
				placeOf: ({ rowId, field }) => (isGone ? text(rowId) : `${text(rowId)} ${text(field)}`),
				...(isGone && { vanishes: 'goneRow' }),
			},
			() => {
				const all = [...truthsIn(bench)];
				if (isGone)
					return { values: new Map(), there: new Map(all.map(([id, truth]) => [String(id), matches(truth)])) };
				const shown = all.filter(([, truth]) => matches(truth));
				const values = shown.flatMap(
					([id, { status, energy }]): Array<[string, string]> => [
						[`${id} Status`, String(status)],
						[`${id} EnergyConsumed`, String(energy)],
					],
				);
				return { values: new Map(values) };
			},
			complain,
		);
		const parameters = { event, ...list(SESSION_LIST), ...fields, output, options: { pageSize: 4 } };
		const rig = listRig(engine, { ...parameters, filters: filtersFor(filter) }, bench.credential());
		const hidden = new Map<number, Truth>();
		let nextId = FIRST_ID;
		for (const each of before) bench.start(nextId++, each);
		await rig.activate();
		model.begin();
		return {
			rig,
			change({ do: what, which, status, energy }) {
				if (what === 'add') bench.start(nextId++, { status, energy });
				if (what === 'show') {
					for (const [id, truth] of hidden) bench.start(id, truth);
					hidden.clear();
				}
				const all = [...truthsIn(bench)];
				const [id, truth] = all[which % all.length] ?? [];
				if (id === undefined || !truth) return;
				if (what === 'change') {
					bench.become(status, id);
					bench.energy(energy, id);
				}
				if (what === 'delete' || what === 'hide') bench.delete(id);
				if (what === 'hide') hidden.set(id, truth);
			},
			judge: ({ items, ...poll }) => model.judge({ ...poll, items: isGone ? items : items.flatMap(byField) }),
		};
	},
});
