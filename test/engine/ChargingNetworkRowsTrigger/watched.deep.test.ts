import * as fc from 'fast-check';
import type { INodeParameters } from 'n8n-workflow';

import { RowModel, type Truth } from '../../support/rowsTrigger/model.ts';
import { list, ListBench, listRig, SESSION_LIST, smallerEnergy } from '../../support/rowsTrigger/support.ts';
import { interruptions, itHoldsInHistories, play } from '../../support/trigger/history.ts';
import type { Engine } from '../../support/trigger/rig.ts';

const bench = new ListBench();
/** Rows with less energy match the filter. */
const SMALL = 10;
const FIRST_ID = 100;

const values = { status: fc.integer({ min: 1, max: 3 }), energy: fc.constantFrom(1, 2, 20) };
const which = fc.nat({ max: 1000 });
const change = fc.oneof(
	{ weight: 3, arbitrary: fc.record({ do: fc.constant('add'), which, ...values }) },
	{ weight: 8, arbitrary: fc.record({ do: fc.constant('change'), which, ...values }) },
	{ weight: 3, arbitrary: fc.record({ do: fc.constantFrom('delete', 'hide'), which, ...values }) },
	{ weight: 2, arbitrary: fc.record({ do: fc.constant('show'), which, ...values }) },
);
type Change = ReturnType<typeof change.generate>['value'];
const history = fc.record({
	event: fc.constantFrom('changedRow' as const, 'goneRow' as const),
	filter: fc.boolean(),
	fields: fc.constantFrom<INodeParameters[]>(
		{ watchedFields: ['Status', 'EnergyConsumed'] },
		{ watchedFields: 'status, energyconsumed' },
	),
	output: fc.constantFrom('items', 'digest'),
	/** Pages that are cut. */
	clamp: fc.constantFrom(undefined, undefined, 3),
	before: fc.array(fc.record(values), { maxLength: 12 }),
	steps: fc.array(fc.oneof({ weight: 1, arbitrary: change }, { weight: 1, arbitrary: interruptions }), {
		minLength: 8,
		maxLength: 40,
		size: 'max',
	}),
});

function truths(): Map<number, Truth> {
	const rows = bench.platform.db.prepare('SELECT Id, Status, EnergyConsumed FROM sessions').all();
	return new Map(
		rows.map(({ Id, Status, EnergyConsumed }) => [
			Number(Id),
			{ Status: Number(Status), EnergyConsumed: Number(EnergyConsumed) },
		]),
	);
}

async function faultsOf(
	{ event, filter, fields, output, before, steps }: ReturnType<typeof history.generate>['value'],
	engine: Engine,
): Promise<string[]> {
	const faults: string[] = [];
	const hidden = new Map<number, Truth>();
	let nextId = FIRST_ID;
	const model = new RowModel(
		event,
		({ EnergyConsumed }) => !filter || EnergyConsumed < SMALL,
		(what) => faults.push(what),
	);
	const parameters = { event, ...list(SESSION_LIST), ...fields, output, options: { pageSize: 4 } };
	const filters = filter ? { filters: smallerEnergy(SMALL) } : {};
	const rig = listRig(engine, { ...parameters, ...filters }, bench.credential());
	for (const row of before) bench.start(nextId++, row);
	await rig.activate();
	model.begin(truths());
	const alerts = await play<Change>({
		...{ bench, rig, steps, path: SESSION_LIST },
		change({ do: what, which: nth, status, energy }) {
			if (what === 'add') bench.start(nextId++, { status, energy });
			if (what === 'show') {
				for (const [id, row] of hidden) bench.start(id, { status: row.Status, energy: row.EnergyConsumed });
				hidden.clear();
			}
			const all = [...truths()];
			const [id, truth] = all[nth % all.length] ?? [];
			if (id === undefined || !truth) return;
			if (what === 'change') {
				bench.become(status, id);
				bench.energy(energy, id);
			}
			if (what === 'delete' || what === 'hide') bench.delete(id);
			if (what === 'hide') hidden.set(id, truth);
		},
		judge: (poll) => model.judge(poll, truths()),
	});
	return [...faults, ...alerts];
}

itHoldsInHistories('each change is reported once, and each row that is gone,', {
	...{ history, bench, faultsOf },
	begin() {
		bench.platform.behaviour.scopeDelayMs = 0;
	},
});
