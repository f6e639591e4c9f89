import * as fc from 'fast-check';

import { list, ListBench, SESSION_LIST, smallerEnergy } from '../../support/rowsTrigger/support.ts';
import {
	beginWith,
	changes,
	type SessionChange,
	sessionsBefore,
	truthsIn,
} from '../../support/sessionTrigger/changes.ts';
import { SessionModel } from '../../support/sessionTrigger/model.ts';
import { interruptions, itHoldsInHistories, play } from '../../support/trigger/history.ts';
import type { Engine } from '../../support/trigger/rig.ts';

const bench = new ListBench();
/** Rows with less energy match the filter. */
const SMALL = 10;

const history = fc.record({
	filter: fc.boolean(),
	output: fc.constantFrom('items', 'digest'),
	/** Pages that are cut. */
	clamp: fc.constantFrom(undefined, undefined, 3),
	before: sessionsBefore,
	steps: fc.array(fc.oneof({ weight: 1, arbitrary: changes }, { weight: 1, arbitrary: interruptions }), {
		minLength: 8,
		maxLength: 40,
		size: 'max',
	}),
});
type Story = ReturnType<typeof history.generate>['value'];

/** A new row of the session list is a session that starts, so the session trigger's model fits here, too. */
async function faultsOf({ filter, output, before, steps }: Story, engine: Engine): Promise<string[]> {
	const faults: string[] = [];
	const model = new SessionModel(
		{
			...{ events: new Set(['started']), endOf: () => undefined, overCodes: [], longMs: 0, stalledMs: 0 },
			...{ matches: ({ energy }) => !filter || energy < SMALL, reportsFirst: false },
		},
		(what) => faults.push(what),
	);
	const filters = filter ? smallerEnergy(SMALL) : {};
	const rig = bench.inactive(engine, { ...list(SESSION_LIST), filters, output, options: { pageSize: 8 } });
	const change = beginWith(bench, before);
	const at = bench.clock.now();
	await rig.activate();
	model.begin(at, truthsIn(bench), []);
	const alerts = await play<SessionChange>({
		...{ bench, rig, steps, path: SESSION_LIST, change },
		judge({ items, ...poll }) {
			const named = items.map((item) => ({ ...item, event: 'started', sessionId: item.rowId }));
			model.judge({ ...poll, items: named }, truthsIn(bench));
		},
	});
	return [...faults, ...alerts];
}

itHoldsInHistories('each new row is reported once', {
	...{ history, bench, faultsOf },
	begin() {
		bench.platform.behaviour.scopeDelayMs = 0;
	},
});
