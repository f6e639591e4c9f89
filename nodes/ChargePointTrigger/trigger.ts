import { configOf } from '../shared/trigger/hash';
import type { Poll } from '../shared/trigger/poll';
import type { PollTrigger } from '../shared/trigger/run';
import { toJson, toWatchingJson } from './items';
import { readTurn } from './read';
import type { Findings } from './read';
import { nothingToShow, sampleEvents } from './samples';
import { readSettings } from './settings';
import type { ChargePointSettings } from './settings';
import type { Draft } from './state/draft';
import { begin, compare } from './state/step';
import type { WatchRules } from './state/step';
import type { ChargePointState, TriggerEvent } from './state/types';

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
	read: readTurn,
	compare(poll, draft, { sighting }) {
		compare(draft, rulesOf(poll), sighting);
	},
	async handOver(poll, events, { stations }) {
		const ready = events.map((event) =>
			event.name === 'watching' ? toWatchingJson(poll, event) : toJson(poll, event, stations.get(event.station) ?? {}),
		);
		return await Promise.resolve({ ready, waiting: [] });
	},
	samples: sampleEvents,
	nothingToShow,
};

/** The settings together with the place they apply to. */
function rulesOf({ connection, settings }: Poll<ChargePointSettings>): WatchRules {
	const { baseUrl, environment } = connection;
	return { config: configOf([settings.event, baseUrl, environment], settings.meaning), ...settings };
}
