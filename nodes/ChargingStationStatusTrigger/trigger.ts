import { STATIONS } from '../shared/resources';
import { rulesOf } from '../shared/trigger/events/settings';
import { sayOverdue } from '../shared/trigger/overdue';
import { sayOddIds } from '../shared/trigger/reading/byKey';
import type { PollTrigger } from '../shared/trigger/run';
import { handOver } from './handOver';
import { type ReadResult, readStations } from './read';
import { nothingToShow, sampleEvents } from './samples';
import { readSettings, type StationSettings } from './settings';
import type { Draft } from './state/draft';
import { begin, compare } from './state/step';

export const stationTrigger: PollTrigger<StationSettings, Draft, ReadResult> = {
	plural: 'charging stations',
	readSettings,
	begin: (poll, start) => begin(rulesOf(poll), start),
	read: readStations,
	compare(poll, draft, { seen, whereabouts }) {
		compare(draft, rulesOf(poll), seen, whereabouts, poll.isCutShort);
		sayOddIds(poll, STATIONS);
		sayOverdue(poll, draft.unreadable);
	},
	handOver: async (poll, events, { rows }) => await handOver(poll, events, rows),
	samples: sampleEvents,
	nothingToShow,
};
