import type { INodeParameters } from 'n8n-workflow';

import type { Bench } from './support.ts';
import { statusFilter } from '../trigger/events.ts';

/** What the model knows of one event, independently of its record in the trigger. */
interface EventRule {
	/** Whether Report Initial State reports it for what was already so before the first poll. */
	isReportedAtFirst: boolean;
	/** Settings of a trigger on this event. */
	parameters: INodeParameters;
	/** What makes it happen to a station that was as at the start of the test, in one or two polls. */
	happen: Array<(bench: Bench, id: number) => void>;
}

const offline = (bench: Bench, id: number) => bench.set({ NetworkStatus: 2 }, id);
const online = (bench: Bench, id: number) => bench.set({ NetworkStatus: 1 }, id);
const availability = { event: 'availability' };
const filterMatch = { event: 'filterMatch', filters: statusFilter('networkStatus', '2') };

/** One rule for each event of the station trigger. */
export const RULES: Readonly<Record<string, EventRule>> = {
	offline: { isReportedAtFirst: true, parameters: availability, happen: [offline] },
	backOnline: {
		isReportedAtFirst: false,
		parameters: { ...availability, availabilityChanges: ['back'] },
		happen: [offline, online],
	},
	unstable: {
		isReportedAtFirst: false,
		parameters: { event: 'unstable', outages: 2 },
		happen: [offline, online, offline],
	},
	startedMatching: { isReportedAtFirst: true, parameters: filterMatch, happen: [offline] },
	stoppedMatching: {
		isReportedAtFirst: false,
		parameters: { ...filterMatch, matchChanges: ['stops'] },
		happen: [offline, online],
	},
	statusChanged: { isReportedAtFirst: true, parameters: { event: 'statusChange' }, happen: [offline] },
	added: {
		isReportedAtFirst: false,
		parameters: { ...availability, options: { stationChanges: ['added'] } },
		happen: [(bench, id) => bench.add(10 + id, 'New')],
	},
	removed: {
		isReportedAtFirst: false,
		parameters: { ...availability, options: { stationChanges: ['removed'] } },
		happen: [(bench, id) => bench.remove(id), () => {}],
	},
};
