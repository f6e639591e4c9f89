import { STATIONS } from '../shared/resources';
import { rulesOf } from '../shared/trigger/events/settings';
import { sayOverdue } from '../shared/trigger/overdue';
import { sayOddIds } from '../shared/trigger/reading/byKey';
import type { PollTrigger } from '../shared/trigger/run';
import { toJson, toWatchingJson } from './items';
import { ofChargePoints, type ReadResult, readRound } from './read';
import { nothingToShow, sampleEvents } from './samples';
import { type ChargePointSettings, readSettings } from './settings';
import type { Draft } from './state/draft';
import { pointId } from './state/points';
import { begin, compare } from './state/step';

export const chargePointTrigger: PollTrigger<ChargePointSettings, Draft, ReadResult> = {
	plural: 'charge points',
	readSettings,
	begin: (poll, start) => begin(rulesOf(poll), start),
	read: readRound,
	compare(poll, draft, { seen }) {
		compare(draft, rulesOf(poll), seen);
		sayOddIds(poll, STATIONS);
		// If no detail can be read, that is said instead.
		if (!ofChargePoints(poll).detailsRefused) sayOverdue(poll, draft.unreadable, pointId);
	},
	handOver(poll, events, { stations }) {
		const ready = events.map((event) =>
			'station' in event ? toJson(poll, event, stations.get(event.station)) : toWatchingJson(poll, event),
		);
		return { ready, waiting: [] };
	},
	samples: sampleEvents,
	nothingToShow,
};
