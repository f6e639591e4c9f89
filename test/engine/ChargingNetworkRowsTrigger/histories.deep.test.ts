import * as fc from 'fast-check';

import { ROWS_TRIGGER, list, ListBench, SESSION_LIST, smallerEnergy } from '../../support/rowsTrigger/support.ts';
import { playHistories, type Played } from '../../support/sessionTrigger/histories.ts';
import { ENGINES } from '../../support/trigger/rig.ts';

const bench = new ListBench();

/** A new row of the session list is a session that starts, so the session trigger's model fits here, too. */
const rowsTrigger: Played = {
	type: ROWS_TRIGGER,
	settings: { events: fc.constant(['started']), emitInitial: fc.constant(false) },
	parameters: ({ filter, digest, energyBelow, pageSize }) => ({
		...list(SESSION_LIST),
		filters: filter ? smallerEnergy(energyBelow) : {},
		output: digest ? 'digest' : 'items',
		options: { pageSize },
	}),
	toSessionItem: ({ event, rowId, ...item }) => ({
		...item,
		event: event === 'newRow' ? 'started' : event,
		sessionId: rowId,
	}),
};

it.each(ENGINES)(
	'no row is lost, invented or reported twice in random histories, engine %s',
	async (engine) => await playHistories(bench, rowsTrigger, engine),
	3_600_000,
);
