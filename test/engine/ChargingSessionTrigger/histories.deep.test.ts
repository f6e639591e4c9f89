import * as fc from 'fast-check';

import { beginWith, changes, sessionsBefore, truthsIn } from '../../support/sessionTrigger/changes.ts';
import { SessionModel } from '../../support/sessionTrigger/model.ts';
import { FAILED, FINISHED, HOUR, SessionBench, smallerEnergy } from '../../support/sessionTrigger/support.ts';
import { MINUTE } from '../../support/stationTrigger/support.ts';
import { eventsIn, itHoldsInHistories } from '../../support/trigger/history.ts';

const bench = new SessionBench();
const EVENTS = ['started', 'failed', 'ended', 'runningLong', 'stalled', 'resumed'];
const LONG_HOURS = 0.2;
const STALLED_MINUTES = 4;
/** Sessions with less energy match the filter. */
const SMALL = 10;

const isLong = ({ query = '' }: { query?: string }) => query.includes('"GteLte"');

itHoldsInHistories('no event is lost, invented or doubled', {
	bench,
	path: '/api/charging-sessions/v1',
	// Sometimes the part of a poll with long sessions does not come.
	changes: fc.oneof({ weight: 12, arbitrary: changes }, fc.constant({ do: 'noLong' as const })),
	settings: fc.record({
		events: fc.subarray(EVENTS, { minLength: 1 }),
		endStatuses: fc.constantFrom<string[]>(['4', '6'], ['4'], ['4', '5']),
		others: fc.constantFrom<string[]>([], ['5']),
		filter: fc.boolean(),
		reportsFirst: fc.boolean(),
		before: sessionsBefore,
		meetsNothing: fc.boolean(),
	}),
	async begin({ events, endStatuses, others, filter, output, reportsFirst, before, ...first }, engine, complain) {
		bench.platform.behaviour.scopeDelayMs = 0;
		const ends = events.includes('ended') ? endStatuses.map(Number) : [];
		const model = new SessionModel(
			{
				events: new Set(events),
				endOf: (code) =>
					code === FAILED && events.includes('failed') ? 'failed' : ends.includes(code) ? 'ended' : undefined,
				isOver: ({ status }) => [FINISHED, FAILED, ...ends, ...others.map(Number)].includes(status),
				longMs: LONG_HOURS * HOUR,
				stalledMs: STALLED_MINUTES * MINUTE,
				matches: ({ energy }) => !filter || energy < SMALL,
				reportsFirst,
			},
			complain,
		);
		const rig = bench.inactive(engine, {
			events,
			endStatuses,
			output,
			runningHours: LONG_HOURS,
			stalledMinutes: STALLED_MINUTES,
			filters: filter ? smallerEnergy(SMALL) : {},
			options: { otherEndStatuses: others, emitInitialState: reportsFirst, pageSize: 8 },
		});
		const { change, endGeneration } = beginWith(bench, before);
		const at = await bench.activateAfter(first.meetsNothing, rig);
		model.begin(at, truthsIn(bench), eventsIn(rig.take()));
		const begins = (again: number) => model.beginAgain(again, truthsIn(bench));
		// Ids tell new sessions: where these do not matter, nobody sees that Ids begin again.
		const watchesIds = events.some((event) => event !== 'runningLong');
		return {
			rig,
			change(step) {
				if (step.do !== 'noLong') change(step);
				else bench.platform.faults.add({ kind: 'status', status: 504, match: isLong, times: Infinity });
			},
			judge(poll) {
				const seesLong = !bench.platform.requests.some((request) => isLong(request) && request.status !== 200);
				model.judge(poll, truthsIn(bench), seesLong);
			},
			...(watchesIds && { generation: { ends: endGeneration, begins } }),
		};
	},
});
