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

interface SessionTypes {
	settings: SessionSettings;
	event: SessionEvent;
	state: SessionState;
	draft: SessionDraft;
	findings: Findings;
}

/** The log warns from this many open sessions on. */
const MANY_OPEN = 300;

/** The trigger that follows charging sessions. */
export const sessionTrigger: PollTrigger<SessionTypes> = {
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
		poll.memory.clockAheadMs = poll.connection.stats.clockAheadMs;
		warnOfMany(poll, draft);
	},
	handOver: async (poll, events, { rows }) => await handOver(poll, events, rows),
	samples: sampleEvents,
	nothingToShow,
};

/** The settings together with the place they apply to. */
function rulesOf({ connection: { baseUrl, environment }, settings }: Poll<SessionSettings>): SessionRules {
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

/** Sessions that are over, but in a status not chosen as an end, would cost requests unnoticed. */
function warnOfMany({ memory, context }: Poll, { openCount }: SessionDraft): void {
	if (openCount < MANY_OPEN || memory.hasWarned) return;
	memory.hasWarned = true;
	context.logger.warn(
		`${openCount} charging sessions count as still running, and each poll asks for all of them. If some of them are over, choose their Status under Options > Other End Status.`,
	);
}
