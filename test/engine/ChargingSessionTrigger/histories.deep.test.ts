import * as fc from 'fast-check';

import {
	beginWith,
	changes,
	type SessionChange,
	sessionsBefore,
	truthsIn,
} from '../../support/sessionTrigger/changes.ts';
import { EVENTS, SessionModel } from '../../support/sessionTrigger/model.ts';
import { FAILED, FINISHED, SessionBench } from '../../support/sessionTrigger/support.ts';
import { eventsIn, interruptions, itHoldsInHistories, play } from '../../support/trigger/history.ts';
import type { Engine } from '../../support/trigger/rig.ts';

const bench = new SessionBench();
const LONG_HOURS = 0.2;
const STALLED_MINUTES = 4;
/** Sessions with less energy match the filter. */
const SMALL = 10;

const history = fc.record({
	events: fc.subarray(EVENTS, { minLength: 1 }),
	endStatuses: fc.constantFrom<string[]>(['4', '6'], ['4'], ['4', '5']),
	others: fc.constantFrom<string[]>([], ['5']),
	filter: fc.boolean(),
	output: fc.constantFrom('items', 'digest'),
	/** Pages that are cut. */
	clamp: fc.constantFrom(undefined, undefined, 3),
	reportsFirst: fc.boolean(),
	before: sessionsBefore,
	steps: fc.array(fc.oneof({ weight: 1, arbitrary: changes }, { weight: 1, arbitrary: interruptions }), {
		minLength: 8,
		maxLength: 40,
		size: 'max',
	}),
});
type Story = ReturnType<typeof history.generate>['value'];

function modelOf({ events, endStatuses, others, filter, reportsFirst }: Story, faults: string[]): SessionModel {
	const ends = events.includes('ended') ? endStatuses.map(Number) : [];
	return new SessionModel(
		{
			events: new Set(events),
			endOf: (code) =>
				code === FAILED && events.includes('failed') ? 'failed' : ends.includes(code) ? 'ended' : undefined,
			overCodes: [FINISHED, FAILED, ...ends, ...others.map(Number)],
			...{ longMs: LONG_HOURS * 3_600_000, stalledMs: STALLED_MINUTES * 60_000 },
			matches: ({ energy }) => !filter || energy < SMALL,
			reportsFirst,
		},
		(what) => faults.push(what),
	);
}

async function faultsOf(story: Story, engine: Engine): Promise<string[]> {
	const faults: string[] = [];
	const model = modelOf(story, faults);
	const { events, endStatuses, others, filter, output, reportsFirst, steps } = story;
	const rig = bench.inactive(engine, {
		...{ events, endStatuses, output, runningHours: LONG_HOURS, stalledMinutes: STALLED_MINUTES },
		filters: filter ? { energyConsumed: [{ operator: 'Lt', value: String(SMALL) }] } : {},
		options: { otherEndStatuses: others, emitInitialState: reportsFirst, pageSize: 8 },
	});
	const change = beginWith(bench, story.before);
	const at = bench.clock.now();
	await rig.activate();
	model.begin(at, truthsIn(bench), eventsIn(rig.take()));
	const alerts = await play<SessionChange>({
		...{ bench, rig, steps, path: '/api/charging-sessions/v1', change },
		judge: (poll) => model.judge(poll, truthsIn(bench)),
	});
	return [...faults, ...alerts];
}

itHoldsInHistories('no event is lost, invented or doubled', {
	...{ history, bench, faultsOf },
	begin() {
		bench.platform.behaviour.scopeDelayMs = 0;
	},
});
