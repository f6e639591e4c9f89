import type { INodeParameters } from 'n8n-workflow';

import {
	CHARGE_POINT_TRIGGER,
	OUT_OF_ORDER,
	STATUS_CHANGE,
	type ChargePointBench,
} from '../chargePointTrigger/support.ts';
import { statusFilter } from '../stationTrigger/support.ts';
import type { TriggerName } from './rig.ts';

/** What an earlier version saved, and what has to follow from it. */
export interface Story {
	type: TriggerName;
	parameters: INodeParameters;
	/** What happened until the state was saved: what is set at the end still holds when it is read. */
	before: Array<(bench: ChargePointBench) => unknown>;
	/** How many polls follow each of these, five minutes apart. */
	polls: number[];
	/** What happens then, with a poll after each, and the events that follow. */
	after: Array<[happens: (bench: ChargePointBench) => unknown, polls: number, events: string[]]>;
}

const STATIONS: TriggerName = 'chargingStationStatusTrigger';
const nothing = () => {};

export const STORIES: Readonly<Record<string, Story>> = {
	availability: {
		type: STATIONS,
		parameters: {
			event: 'availability',
			minutesInState: 10,
			options: { backAfterMinutes: 10, reportWatching: true, fetchDetail: false, outOfServiceValues: ['2'] },
		},
		before: [
			nothing,
			(bench) => bench.set({ NetworkStatus: 2 }, 1, 3),
			(bench) => {
				bench.set({ NetworkStatus: 2 }, 1, 2);
				bench.set({ NetworkStatus: 1 }, 3);
				bench.set({ NetworkStatus: 2, Status: '[2]' }, 4);
			},
		],
		polls: [1, 3, 1],
		after: [
			[nothing, 2, ['offline 2 since 10 min', 'backOnline 3 of 3 since 15 min']],
			[(bench) => bench.set({ NetworkStatus: 1 }, 1), 3, ['backOnline 1 of 1 since 30 min']],
			[nothing, 12, ['watching: open 2, unreadable 4']],
		],
	},
	statusChange: {
		type: STATIONS,
		parameters: {
			...{ event: 'statusChange', dimensions: ['NetworkStatus', 'HardwareStatus'], minutesInState: 10 },
			options: { fetchDetail: false },
		},
		before: [
			nothing,
			(bench) => {
				bench.set({ HardwareStatus: null }, 1);
				bench.set({ NetworkStatus: '[2]' }, 2);
			},
		],
		polls: [1, 1],
		after: [
			[nothing, 2, ['statusChanged 1 1>null since 10 min']],
			[(bench) => bench.set({ NetworkStatus: 3 }, 2), 3, ['statusChanged 2 1>3 since 10 min']],
		],
	},
	filterMatch: {
		type: STATIONS,
		parameters: {
			...{ event: 'filterMatch', filters: statusFilter('hardwareStatus', '3') },
			options: { cause: 'faulted', stationChanges: ['added', 'removed'], fetchDetail: false },
		},
		before: [nothing, (bench) => bench.set({ HardwareStatus: 3 }, 1)],
		polls: [1, 2],
		after: [
			[(bench) => bench.add(77, 'New'), 1, ['added 77 since 0 min']],
			[(bench) => bench.set({ HardwareStatus: 1 }, 1), 1, ['stoppedMatching 1 of 1 since 15 min']],
		],
	},
	outOfOrder: {
		type: CHARGE_POINT_TRIGGER,
		parameters: { ...OUT_OF_ORDER, minutesInState: 10, options: { reportWatching: true } },
		before: [
			nothing,
			(bench) => bench.points(1, 3, 1),
			(bench) => {
				bench.points(1, 3, 1);
				bench.points(2, 1, 3);
				bench.points(3, 1, null);
			},
		],
		polls: [1, 3, 1],
		after: [
			[nothing, 2, ['outOfOrder 22 since 10 min']],
			[(bench) => bench.points(1, 1, 1), 1, ['backInOrder 11 of 11 since 30 min']],
			[nothing, 12, ['watching: open 22, unreadable 32']],
		],
	},
	round: {
		type: CHARGE_POINT_TRIGGER,
		parameters: { ...OUT_OF_ORDER, options: { mostStations: 2, reportWatching: true } },
		before: [nothing, (bench) => bench.points(1, 3, 1), (bench) => bench.points(3, 3, 1)],
		polls: [3, 3, 1],
		after: [
			[(bench) => bench.points(5, 3, 1), 1, ['outOfOrder 51 since 0 min']],
			[(bench) => bench.points(1, 1, 1), 2, ['backInOrder 11 of 11 since 15 min']],
		],
	},
	pointStatus: {
		type: CHARGE_POINT_TRIGGER,
		parameters: { ...STATUS_CHANGE, minutesInState: 10 },
		before: [nothing, (bench) => bench.points(1, 2, 1)],
		polls: [1, 1],
		after: [[nothing, 2, ['statusChanged 11 1>2 since 10 min']]],
	},
};
