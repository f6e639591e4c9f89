import { STATIONS } from '../shared/resources';
import { configOf } from '../shared/trigger/hash';
import { usualDistanceMs } from '../shared/trigger/memory';
import { sayOverdue } from '../shared/trigger/overdue';
import type { Poll } from '../shared/trigger/poll';
import { sayOddIds } from '../shared/trigger/reading/byKey';
import type { PollTrigger } from '../shared/trigger/run';
import { longestGapMs } from '../shared/trigger/watch/watched';
import { toJson, toWatchingJson } from './items';
import { ofChargePoints, readRound } from './read';
import type { Findings } from './read';
import { nothingToShow, sampleEvents } from './samples';
import { readSettings } from './settings';
import type { ChargePointSettings } from './settings';
import type { Draft } from './state/draft';
import { pointId } from './state/points';
import { begin, compare } from './state/step';
import type { ChargePointRules, ChargePointState, TriggerEvent } from './state/types';

interface ChargePointTypes {
	settings: ChargePointSettings;
	event: TriggerEvent;
	state: ChargePointState;
	draft: Draft;
	findings: Findings;
}

/** The trigger that watches the charge points of stations. */
export const chargePointTrigger: PollTrigger<ChargePointTypes> = {
	plural: 'charge points',
	readSettings,
	begin(poll, { state, isFirst, hasCurrentNotes, source }) {
		const { now, clockSetByMs, memory } = poll;
		return begin(rulesOf(poll), { state, isFirst, hasCurrentNotes, source, now, clockSetByMs, gapMs: memory.gapMs });
	},
	read: readRound,
	compare(poll, draft, { seen }) {
		compare(draft, rulesOf(poll), seen);
		sayOddIds(poll, STATIONS);
		// If no detail can be read, that is said instead.
		if (!ofChargePoints(poll).detailsRefused) sayOverdue(poll, draft.unreadable, pointId);
	},
	async handOver(poll, events, { stations }) {
		const ready = events.map((event) =>
			'station' in event ? toJson(poll, event, stations.get(event.station) ?? {}) : toWatchingJson(poll, event),
		);
		return await Promise.resolve({ ready, waiting: [] });
	},
	samples: sampleEvents,
	nothingToShow,
};

/** The settings together with the place they apply to. */
function rulesOf({ connection, settings, memory }: Poll<ChargePointSettings>): ChargePointRules {
	const { baseUrl, environment } = connection;
	const config = configOf([settings.event, baseUrl, environment], settings.meaning);
	return { config, longestGapMs: longestGapMs(usualDistanceMs(memory)), ...settings };
}
