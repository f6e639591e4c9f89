import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { CHARGE_POINT_TRIGGER, setPoints, points, STATUS_CHANGE } from '../chargePointTrigger/support.ts';
import { ROWS_TRIGGER, list, SESSION_LIST, told as toldOfRows } from '../rowsTrigger/support.ts';
import { SESSION_TRIGGER, told as toldOfSessions, type SessionBench } from '../sessionTrigger/support.ts';
import { short, text } from '../stationTrigger/support.ts';
import { TriggerRig, type Engine, type TriggerName } from './rig.ts';

/** A trigger, and something that happens to a station or session and how it is reported. All pass the same tests. */
export interface Target {
	type: TriggerName;
	displayName: string;
	/** What its key must be allowed to read, and what else there is. */
	area: string;
	otherArea: string;
	parameters: INodeParameters;
	/** Settings under which the same things are reported, and a filter with nothing filled in. */
	otherParameters: INodeParameters;
	emptyFilter: INodeParameters;
	happen(bench: SessionBench, id: number): void;
	event: string;
	told(items: readonly IDataObject[]): string[];
	/** Requests of a poll without news, if more than one: the list, and each of the six stations. */
	requestsOfPoll?: number;
	/** A state of version 1 is replaced. */
	firstVersion: IDataObject;
}

const start = (bench: SessionBench, id: number) => bench.start(id);

const STATION_LIST = list('/api/charging-stations/v1');
const WATCHED_ROWS = {
	...{ type: ROWS_TRIGGER, displayName: 'Charging Network Rows Trigger' },
	...{ area: 'charging-stations', otherArea: 'charging-sessions' },
	emptyFilter: { other: [{ field: 'Status|number', numberOperator: 'Eq', value: '' }] },
	told: toldOfRows,
} satisfies Partial<Target>;

export const TARGETS: readonly Target[] = [
	{
		type: 'chargingStationStatusTrigger',
		displayName: 'Charging Station Status Trigger',
		...{ area: 'charging-stations', otherArea: 'charging-sessions' },
		parameters: { event: 'availability' },
		otherParameters: { event: 'availability', options: { onlineValues: ['1', '3'] } },
		emptyFilter: { status: [{ operator: 'Eq', value: '' }] },
		happen: (bench, id) => bench.set({ NetworkStatus: 2 }, id),
		...{ event: 'offline', told: (items) => short(items.filter(({ event }) => event !== 'watching')) },
		firstVersion: {
			...{ version: 1, config: '9c81702858852b7576c8162d.9a6e7ae091d40c8dcb5134c7', epoch: '7da2b034', batch: 3 },
			...{ quiet: 0, stations: { '3': 'mwr36stc', '4': 'mwr3ao6z' }, known: '1 1 1 1 1 1|[]', waiting: {} },
		},
	},
	{
		type: SESSION_TRIGGER,
		displayName: 'Charging Session Events Trigger',
		...{ area: 'charging-sessions', otherArea: 'charging-stations' },
		parameters: { events: ['started'] },
		otherParameters: { events: ['started', 'ended'], options: { otherEndStatuses: ['5'] } },
		emptyFilter: { status: [{ operator: 'Eq', value: '' }] },
		...{ happen: start, event: 'started', told: toldOfSessions },
		firstVersion: {
			...{ version: 1, config: '6e27d0086931b1be3eb1bb79.7c941276b407a4c58a1d8e02.75aa3ac33d1571e0ab9aaf88' },
			...{ batch: 2, quiet: 0, recent: '1 1 1|[]', open: '1.htbkf 2.htbsr|[]', overCodes: '4,6', long: '1.htbkf|[]' },
		},
	},
	{
		type: ROWS_TRIGGER,
		displayName: 'Charging Network Rows Trigger',
		...{ area: 'charging-sessions', otherArea: 'charging-stations' },
		parameters: list(SESSION_LIST),
		otherParameters: { ...list(SESSION_LIST), options: { pageSize: 8 } },
		emptyFilter: { other: [{ field: 'Status|number', numberOperator: 'Eq', value: '' }] },
		...{ happen: start, event: 'newRow', told: toldOfRows },
		firstVersion: { version: 1, config: '6e27d0086931b1be3eb1bb79', batch: 2, recent: '1 1 1|[]' },
	},
	{
		type: CHARGE_POINT_TRIGGER,
		displayName: 'Charge Point Trigger',
		...{ area: 'charging-stations', otherArea: 'charging-sessions' },
		parameters: STATUS_CHANGE,
		otherParameters: { ...STATUS_CHANGE, statusField: 'status' },
		emptyFilter: { status: [{ operator: 'Eq', value: '' }] },
		happen: (bench, id) => setPoints(bench, id, points(id, 9)),
		...{ event: 'statusChanged', told: toldOfPoints, requestsOfPoll: 7 },
		firstVersion: { version: 1, config: '6e27d0086931b1be3eb1bb79', batch: 2 },
	},
	{
		...WATCHED_ROWS,
		...{ parameters: { ...STATION_LIST, event: 'changedRow' }, event: 'changedRow' },
		otherParameters: { ...STATION_LIST, event: 'changedRow', ignoredFields: ['Name'] },
		happen: (bench, id) => bench.set({ NetworkStatus: 2 }, id),
		firstVersion: { version: 1, config: '6e27d0086931b1be3eb1bb79', batch: 2 },
	},
];

/** What is asked while the platform refuses. */
export type RefusedTarget = Omit<Target, 'otherParameters' | 'firstVersion'> & { pollsUntilTold?: number };

/** A row that is gone is reported by the second poll that does not find it, which the tests of saved state do not await. */
export const GONE_ROW: RefusedTarget = {
	...WATCHED_ROWS,
	...{ parameters: { ...STATION_LIST, event: 'goneRow' }, event: 'goneRow' },
	happen: (bench, id) => bench.platform.db.exec(`DELETE FROM stations WHERE Id = ${id}`),
	pollsUntilTold: 2,
};

/** Events by their station: `statusChanged 3`. */
function toldOfPoints(items: readonly IDataObject[]): string[] {
	return items.map(({ event, stationId }) => `${text(event)} ${text(stationId)}`);
}

/** The trigger of a target in a workflow that is not active yet. */
export function rigOf({ type, parameters }: RefusedTarget, engine: Engine, credential: IDataObject): TriggerRig {
	return new TriggerRig(engine, parameters, credential, {}, type);
}
