import { shortHash } from '../shared/trigger/hash';
import type { Poll } from '../shared/trigger/poll';
import type { PollTrigger } from '../shared/trigger/run';
import { handOver } from './handOver';
import { clocksOf, readSessions } from './read';
import type { Findings } from './read';
import { nothingToShow, sampleEvents } from './samples';
import { FAILED_CODES, readSettings } from './settings';
import type { SessionSettings } from './settings';
import { SessionDraft } from './state/draft';
import type { SessionEvent, SessionRules, SessionState } from './state/types';

/** From this many open sessions on, the log says so. */
const MANY_OPEN = 300;

/** The trigger that follows charging sessions. */
export const sessionTrigger: PollTrigger<SessionSettings, SessionEvent, SessionState, SessionDraft, Findings> = {
	plural: 'charging sessions',
	readSettings,
	begin(poll, { state, isFirst }) {
		if (!isFirst) poll.memory.clockAheadMs ??= 0;
		return new SessionDraft(state, rulesOf(poll), isFirst);
	},
	read: async (poll, draft) => await readSessions(poll, draft, rulesOf(poll)),
	compare(poll, draft, { fresh, long, open, lookedUp, sights }) {
		const clocks = clocksOf(poll);
		if (fresh) draft.discover(fresh, clocks);
		if (long) draft.observeLong(long.sights, long.coverage, clocks);
		if (open) draft.adoptOpen(open.sights, open.coverage, clocks);
		if (lookedUp) draft.lookedUp(sights, lookedUp, clocks);
		poll.memory.clockAheadMs = poll.platform.stats.clockAheadMs;
		warnOfMany(poll, draft, sights);
	},
	handOver: async (poll, events, { rows }) => await handOver(poll, events, rows),
	samples: sampleEvents,
	nothingToShow,
};

/** The settings together with the place they apply to. */
function rulesOf({ platform: { baseUrl, environment }, settings }: Poll<SessionSettings>): SessionRules {
	const { events, overCodes, watchMs, longMs, storedFilter } = settings;
	const over = [...overCodes].map(String).sort();
	const followsOpen = events.has('ended') || events.has('failed');
	return {
		...settings,
		failedCodes: FAILED_CODES,
		place: shortHash([baseUrl, environment]),
		openConfig: followsOpen ? shortHash([over, watchMs]) : undefined,
		longConfig: events.has('runningLong') ? shortHash([over, watchMs, longMs, storedFilter]) : undefined,
	};
}

/** Sessions that are over, in a status nobody has chosen as such, cost requests without anybody noticing. */
function warnOfMany({ memory, context }: Poll, draft: SessionDraft, sights: Findings['sights']): void {
	const counts = [...draft.countOpen(sights)].sort(([, a], [, b]) => b - a);
	const open = counts.reduce((sum, [, count]) => sum + count, 0);
	const [most] = counts;
	if (!most || open < MANY_OPEN || memory.hasWarned) return;
	memory.hasWarned = true;
	const [code = 'unknown', count] = most;
	context.logger.warn(
		`${open} charging sessions count as still running, ${count} of them with Status code ${code}; each poll asks for all of them. If that code means that a session is over, choose it under Options > Also Over.`,
	);
}
