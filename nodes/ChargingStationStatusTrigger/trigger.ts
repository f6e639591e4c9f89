import { STATIONS } from '../shared/resources';
import { configOf } from '../shared/trigger/hash';
import { usualDistanceMs } from '../shared/trigger/memory';
import { sayOverdue } from '../shared/trigger/overdue';
import type { Poll } from '../shared/trigger/poll';
import { sayOddIds } from '../shared/trigger/reading/byKey';
import type { PollTrigger } from '../shared/trigger/run';
import { longestGapMs } from '../shared/trigger/watch/watched';
import { handOver } from './handOver';
import { readStations } from './read';
import type { Findings } from './read';
import { readUnusual } from './readUnusual';
import { nothingToShow, sampleEvents } from './samples';
import { readSettings } from './settings';
import type { StationSettings } from './settings';
import type { Draft } from './state/draft';
import { begin, compare } from './state/step';
import type { StationRules, StationState, TriggerEvent } from './state/types';

interface StationTypes {
	settings: StationSettings;
	event: TriggerEvent;
	state: StationState;
	draft: Draft;
	findings: Findings;
}

/** The trigger that watches charging stations. */
export const stationTrigger: PollTrigger<StationTypes> = {
	plural: 'charging stations',
	readSettings,
	begin(poll, { state, isFirst, hasCurrentNotes, source }) {
		const { now, clockSetByMs, memory } = poll;
		return begin(rulesOf(poll), { state, isFirst, hasCurrentNotes, source, now, clockSetByMs, gapMs: memory.gapMs });
	},
	async read(poll, draft) {
		return (await readUnusual(poll, draft)) ?? (await readStations(poll, draft));
	},
	compare(poll, draft, { sighting, whereabouts }) {
		compare(draft, rulesOf(poll), sighting, whereabouts, poll.isCutShort);
		sayOddIds(poll, STATIONS);
		sayOverdue(poll, draft.unreadable);
	},
	handOver: async (poll, events, { rows }) => await handOver(poll, events, rows),
	samples: sampleEvents,
	nothingToShow,
};

/** The settings together with the place they apply to. */
function rulesOf({ connection, settings, memory }: Poll<StationSettings>): StationRules {
	const { baseUrl, environment } = connection;
	const config = configOf([settings.event, baseUrl, environment], settings.meaning);
	return { config, longestGapMs: longestGapMs(usualDistanceMs(memory)), ...settings };
}
