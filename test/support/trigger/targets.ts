import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { shortHash } from '../../../nodes/shared/trigger/hash';
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
	/** What the release of November 2026 saved after event 3; it must be read. A state of version 1 is replaced. */
	saved: { kept: IDataObject; notes: IDataObject };
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
		saved: {
			kept: {
				config: '',
				incidents: { '3': [1795387823309, true, 'e336bd98a5cf4c26d08375d8'] },
				statuses: {},
				backlog: [],
			},
			notes: { waiting: {}, away: [] },
		},
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
		saved: {
			kept: { place: '', overCodes: [4, 6], backlog: [], newSince: 2 },
			notes: { recent: [1, 2, 3], unsaved: 0, open: {}, long: {} },
		},
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
		saved: { kept: { place: '', backlog: [], newSince: 2 }, notes: { recent: [1, 2, 3], unsaved: 0 } },
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
		saved: {
			kept: {
				config: '',
				points: [
					[[[9, [31]]], [3]],
					[[[2, [51]]], [5]],
				],
				incidents: {},
			},
			notes: { waiting: {}, missing: [], ended: {} },
		},
		firstVersion: { version: 1, config: '6e27d0086931b1be3eb1bb79', batch: 2 },
	},
	{
		...WATCHED_ROWS,
		...{ parameters: { ...STATION_LIST, event: 'changedRow' }, event: 'changedRow' },
		otherParameters: { ...STATION_LIST, event: 'changedRow', ignoredFields: ['Name'] },
		happen: (bench, id) => bench.set({ NetworkStatus: 2 }, id),
		firstVersion: { version: 1, config: '6e27d0086931b1be3eb1bb79', batch: 2 },
		saved: {
			kept: { config: '', ids: [[1, 6]] },
			notes: {
				values: {
					NetworkStatus: [
						[
							1,
							[
								[1, 2],
								[4, 6],
							],
						],
						[2, [3]],
					],
				},
				missing: [],
			},
		},
	},
];

/** What is asked while the platform refuses. */
export type RefusedTarget = Omit<Target, 'otherParameters' | 'saved' | 'firstVersion'> & { pollsUntilTold?: number };

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

/** A saved state with its check, as n8n keeps it. `place` or `config`, which depend on the address, are taken from `now`. */
export function recordOf({ kept, notes }: Target['saved'], now: IDataObject): IDataObject {
	const { place, config } = JSON.parse(now.kept as string) as IDataObject;
	const where = place === undefined ? { config } : { place };
	const record = {
		...{ epoch: '9f89b2ca', batch: 2 },
		...{ kept: JSON.stringify({ ...kept, ...where }), notes: JSON.stringify(notes) },
	};
	return { version: 2, ...record, check: shortHash(record) };
}
