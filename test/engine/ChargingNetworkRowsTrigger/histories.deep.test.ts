import * as fc from 'fast-check';
import type { INodeParameters } from 'n8n-workflow';

import { RowModel, type Truth } from '../../support/rowsTrigger/model.ts';
import { list, ListBench, listRig, SESSION_LIST, smallerEnergy } from '../../support/rowsTrigger/support.ts';
import { beginWith, changes, sessionsBefore, truthsIn } from '../../support/sessionTrigger/changes.ts';
import { SessionModel } from '../../support/sessionTrigger/model.ts';
import { itHoldsInHistories } from '../../support/trigger/history.ts';

const bench = new ListBench();
/** Rows with less energy match the filter. */
const SMALL = 10;
const FIRST_ID = 100;
const filtersFor = (isFiltered: boolean) => (isFiltered ? smallerEnergy(SMALL) : {});

/** A new row of the session list is a session that starts, so the session trigger's model fits here, too. */
itHoldsInHistories('each new row is reported once', {
	...{ bench, changes, path: SESSION_LIST },
	settings: fc.record({ filter: fc.boolean(), before: sessionsBefore }),
	async begin({ filter, output, before }, engine, complain) {
		bench.platform.behaviour.scopeDelayMs = 0;
		const model = new SessionModel(
			{
				...{ events: new Set(['started']), endOf: () => undefined, isOver: () => false, longMs: 0, stalledMs: 0 },
				...{ matches: ({ energy }) => !filter || energy < SMALL, reportsFirst: false },
			},
			complain,
		);
		const rig = bench.inactive(engine, { filters: filtersFor(filter), output, options: { pageSize: 8 } });
		const change = beginWith(bench, before);
		const at = bench.clock.now();
		await rig.activate();
		model.begin(at, truthsIn(bench), []);
		return {
			...{ rig, change },
			judge({ items, ...poll }) {
				const named = items.map((item) => ({ ...item, event: 'started', sessionId: item.rowId }));
				model.judge({ ...poll, items: named }, truthsIn(bench));
			},
		};
	},
});

const row = { status: fc.integer({ min: 1, max: 3 }), energy: fc.constantFrom(1, 2, 20) };
const KINDS = ['add', 'change', 'change', 'change', 'delete', 'hide', 'show'] as const;

function rows(): Map<number, Truth> {
	return new Map(
		[...truthsIn(bench)].map(([id, { status, energy }]) => [id, { Status: status, EnergyConsumed: energy }]),
	);
}

itHoldsInHistories('each change is reported once, and each row that is gone,', {
	...{ bench, path: SESSION_LIST },
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
		const matches = ({ EnergyConsumed }: Truth) => !filter || EnergyConsumed < SMALL;
		const model = new RowModel(event, matches, complain);
		const parameters = { event, ...list(SESSION_LIST), ...fields, output, options: { pageSize: 4 } };
		const rig = listRig(engine, { ...parameters, filters: filtersFor(filter) }, bench.credential());
		const hidden = new Map<number, Truth>();
		let nextId = FIRST_ID;
		for (const each of before) bench.start(nextId++, each);
		await rig.activate();
		model.begin(rows());
		return {
			rig,
			change({ do: what, which, status, energy }) {
				if (what === 'add') bench.start(nextId++, { status, energy });
				if (what === 'show') {
					for (const [id, { Status, EnergyConsumed }] of hidden)
						bench.start(id, { status: Status, energy: EnergyConsumed });
					hidden.clear();
				}
				const all = [...rows()];
				const [id, truth] = all[which % all.length] ?? [];
				if (id === undefined || !truth) return;
				if (what === 'change') {
					bench.become(status, id);
					bench.energy(energy, id);
				}
				if (what === 'delete' || what === 'hide') bench.delete(id);
				if (what === 'hide') hidden.set(id, truth);
			},
			judge: (poll) => model.judge(poll, rows()),
		};
	},
});
