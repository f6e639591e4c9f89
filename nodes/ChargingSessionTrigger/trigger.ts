import { shortHash } from '../shared/trigger/hash';
import type { Poll } from '../shared/trigger/poll';
import type { PollTrigger } from '../shared/trigger/run';
import { handOver } from './handOver';
import { ofSessions, platformTime, type ReadResult, readSessions } from './read';
import { nothingToShow, sampleEvents } from './samples';
import { readSettings, type SessionSettings } from './settings';
import { SessionDraft } from './state/draft';

/** The log warns from this many open sessions on. */
const MANY_OPEN = 300;

export const sessionTrigger: PollTrigger<SessionSettings, SessionDraft, ReadResult> = {
	plural: 'charging sessions',
	readSettings,
	begin(poll, { state, isFirst }) {
		const { connection, settings, now, began } = poll;
		const own = ofSessions(poll);
		if (!isFirst) own.clockAheadMs ??= 0;
		const platformId = shortHash([connection.baseUrl, connection.environment]);
		return new SessionDraft(state, settings, { platformId, isFirst, now, elapsed: began }, own.standing);
	},
	read: readSessions,
	compare(poll, draft, { fresh, long, open, lookedUp, sessions }) {
		const platform = platformTime(poll);
		if (fresh) draft.discover(fresh, platform);
		for (const [part, seen] of long) part.observe(seen.sessions, seen.coverage, platform);
		if (open) draft.adopt(open.sessions, open.coverage, platform);
		if (lookedUp) draft.open.lookedUp(sessions, lookedUp, platform);
		for (const part of draft.inState) {
			warnOfUnknown(
				poll,
				part.observe(sessions.values(), draft.open, lookedUp?.isComplete === true),
				part.rule.unknown,
			);
		}
		ofSessions(poll).clockAheadMs = poll.connection.stats.clockAheadMs;
		warnOfMany(poll, draft);
	},
	handOver: async (poll, events, { rows }) => await handOver(poll, events, rows),
	samples: sampleEvents,
	nothingToShow,
};

/** Sessions that are over, but in a status not chosen as an end, would cost requests unnoticed. */
function warnOfMany(poll: Poll, { open }: SessionDraft): void {
	if (open.count < MANY_OPEN) return;
	const fact = `${open.count} charging sessions count as still running, and each poll asks for all of them`;
	poll.warnOnce(`${fact}. If some of them are over, choose their Status under Options > Other End Status.`, 'many');
}

/** Nothing is reported of sessions without the value that decides about an event. */
function warnOfUnknown(poll: Poll, sessions: number, what: string): void {
	if (sessions === 0) return;
	poll.warnOnce(`${sessions} running charging ${sessions === 1 ? 'session has' : 'sessions have'} ${what}`, what);
}
