import { playHistories, type Played } from '../../support/sessionTrigger/histories.ts';
import { RULES } from '../../support/sessionTrigger/model.ts';
import { SESSION_TRIGGER, SessionBench } from '../../support/sessionTrigger/support.ts';
import { ENGINES } from '../../support/trigger/rig.ts';

const bench = new SessionBench();

const sessionTrigger: Played = {
	type: SESSION_TRIGGER,
	parameters: ({ events, endStatuses, others, filter, digest, emitInitial, ...limits }) => ({
		...events.reduce((all, name) => ({ ...all, ...RULES[name]?.parameters }), {}),
		events,
		endStatuses: [...endStatuses],
		runningHours: limits.longHours,
		stalledMinutes: limits.stalledMinutes,
		filters: filter ? { energyConsumed: [{ operator: 'Lt', value: String(limits.energyBelow) }] } : {},
		output: digest ? 'digest' : 'items',
		options: { otherEndStatuses: [...others], emitInitialState: emitInitial, pageSize: limits.pageSize },
	}),
};

it.each(ENGINES)(
	'no event is lost, invented or doubled in random histories, engine %s',
	async (engine) => await playHistories(bench, sessionTrigger, engine),
	3_600_000,
);
