import { shortHash } from '../shared/trigger/hash';
import type { Poll } from '../shared/trigger/poll';
import type { PollTrigger } from '../shared/trigger/run';
import { handOver } from './handOver';
import { clocksOf, ofSessions, readSessions } from './read';
import type { Findings } from './read';
import { nothingToShow, sampleEvents } from './samples';
import { readSettings } from './settings';
import type { SessionSettings } from './settings';
import { SessionDraft } from './state/draft';
import { eventsOf } from './state/events';
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
		const own = ofSessions(poll);
		if (!isFirst) own.clockAheadMs ??= 0;
		return new SessionDraft(state, rulesOf(poll), isFirst, own.standing);
	},
	read: async (poll, draft) => await readSessions(poll, draft, rulesOf(poll)),
	compare(poll, draft, { fresh, inState, open, lookedUp, sights }) {
		const clocks = clocksOf(poll);
		if (fresh) draft.discover(fresh, clocks);
		for (const [part, found] of inState) part.observe(found.sights, found.coverage, clocks);
		if (open) draft.adoptOpen(open.sights, open.coverage, clocks);
		if (lookedUp) draft.open.lookedUp(sights, lookedUp, clocks);
		const unknown = draft.stalled.observe(sights.values(), (session) => draft.open.has(session), clocks);
		warnOfUnknown(poll, unknown);
		ofSessions(poll).clockAheadMs = poll.connection.stats.clockAheadMs;
		warnOfMany(poll, draft);
	},
	handOver: async (poll, events, { rows }) => await handOver(poll, events, rows),
	samples: sampleEvents,
	nothingToShow,
};

/** The settings together with the place they apply to. */
function rulesOf({ connection: { baseUrl, environment }, settings }: Poll<SessionSettings>): SessionRules {
	const { events, overCodes, watchMs, storedFilter } = settings;
	const over = [...overCodes].map(String).sort();
	const configs: SessionRules['configs'] = {};
	const ofOpen = [...eventsOf('end'), ...eventsOf('stall')];
	if (ofOpen.some(([name]) => events.has(name))) configs.open = shortHash([over, watchMs]);
	for (const [name, { slice, afterMs }] of eventsOf('state')) {
		if (events.has(name)) configs[slice] = shortHash([over, watchMs, afterMs(settings), storedFilter]);
	}
	return { ...settings, place: shortHash([baseUrl, environment]), configs };
}

/** Sessions that are over, but in a status not chosen as an end, would cost requests unnoticed. */
function warnOfMany(poll: Poll, { open }: SessionDraft): void {
	if (open.count < MANY_OPEN) return;
	const fact = `${open.count} charging sessions count as still running, and each poll asks for all of them`;
	poll.warnOnce(`${fact}. If some of them are over, choose their Status under Options > Other End Status.`, 'many');
}

/** A session without energy is never reported as stalled. */
function warnOfUnknown(poll: Poll, sessions: number): void {
	if (sessions === 0) return;
	const fact = `${sessions} running charging ${sessions === 1 ? 'session has' : 'sessions have'} no value in EnergyConsumed`;
	poll.warnOnce(`${fact}. Whether they stand still cannot be told as long as there is none.`, 'energy');
}
