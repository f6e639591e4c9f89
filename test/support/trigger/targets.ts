import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { CHARGE_POINT_TRIGGER, setPoints, points, STATUS_CHANGE } from '../chargePointTrigger/support.ts';
import { ROWS_TRIGGER, list, SESSION_LIST } from '../rowsTrigger/support.ts';
import { SESSION_TRIGGER, type SessionBench } from '../sessionTrigger/support.ts';
import { text } from './events.ts';
import { ENGINES, TriggerRig, type Engine, type TriggerName } from './rig.ts';

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
}

const start = (bench: SessionBench, id: number) => bench.start(id);

const STATION_LIST = list('/api/charging-stations/v1');
const WATCHED_ROWS = {
	...{ type: ROWS_TRIGGER, displayName: 'Charging Network Rows Trigger' },
	...{ area: 'charging-stations', otherArea: 'charging-sessions' },
	emptyFilter: { other: [{ field: 'Status|number', numberOperator: 'Eq', value: '' }] },
	told,
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
		...{ event: 'offline', told },
	},
	{
		type: SESSION_TRIGGER,
		displayName: 'Charging Session Events Trigger',
		...{ area: 'charging-sessions', otherArea: 'charging-stations' },
		parameters: { events: ['started'] },
		otherParameters: { events: ['started', 'ended'], options: { otherEndStatuses: ['5'] } },
		emptyFilter: { status: [{ operator: 'Eq', value: '' }] },
		...{ happen: start, event: 'started', told },
	},
	{
		type: ROWS_TRIGGER,
		displayName: 'Charging Network Rows Trigger',
		...{ area: 'charging-sessions', otherArea: 'charging-stations' },
		parameters: list(SESSION_LIST),
		otherParameters: { ...list(SESSION_LIST), options: { pageSize: 8 } },
		emptyFilter: { other: [{ field: 'Status|number', numberOperator: 'Eq', value: '' }] },
		...{ happen: start, event: 'newRow', told },
	},
	{
		type: CHARGE_POINT_TRIGGER,
		displayName: 'Charge Point Trigger',
		...{ area: 'charging-stations', otherArea: 'charging-sessions' },
		parameters: STATUS_CHANGE,
		otherParameters: { ...STATUS_CHANGE, statusField: 'status' },
		emptyFilter: { status: [{ operator: 'Eq', value: '' }] },
		happen: (bench, id) => setPoints(bench, id, points(id, 9)),
		...{ event: 'statusChanged', told, requestsOfPoll: 7 },
	},
	{
		...WATCHED_ROWS,
		...{ parameters: { ...STATION_LIST, event: 'changedRow' }, event: 'changedRow' },
		otherParameters: { ...STATION_LIST, event: 'changedRow', ignoredFields: ['Name'] },
		happen: (bench, id) => bench.set({ NetworkStatus: 2 }, id),
	},
];

/** What is asked while the platform refuses. */
export type RefusedTarget = Omit<Target, 'otherParameters'> & { pollsUntilTold?: number };

/** A row that is gone is reported by the second poll that does not find it, which the tests of saved state do not await. */
export const GONE_ROW: RefusedTarget = {
	...WATCHED_ROWS,
	...{ parameters: { ...STATION_LIST, event: 'goneRow' }, event: 'goneRow' },
	happen: (bench, id) => bench.platform.db.exec(`DELETE FROM stations WHERE Id = ${id}`),
	pollsUntilTold: 2,
};

/** A target in one of n8n's engines, and what happens to it there. */
export type InTurn<T = RefusedTarget, Kind = string> = T & { engine: Engine; kind: Kind };

/**
 * Targets, engines and kinds of what happens take turns: each is met, in as few tests as that takes.
 *
 * @param promise the number of the test: another one meets other pairs
 */
export function inTurns<T extends RefusedTarget, Kind extends string>(
	targets: readonly T[],
	promise: number,
	kinds: readonly Kind[] = [],
): Array<InTurn<T, Kind>> {
	return Array.from({ length: Math.max(targets.length, kinds.length) }, (_, turn) => ({
		...(targets[turn % targets.length] as T),
		kind: kinds[(turn + promise) % kinds.length] as Kind,
		engine: ENGINES[(turn + promise) % ENGINES.length] as Engine,
	}));
}

/** The trigger of a target in a workflow that is live, after one more poll. */
export async function underway(bench: SessionBench, target: InTurn): Promise<TriggerRig> {
	const rig = rigOf(target, target.engine, bench.credential());
	await rig.activate();
	await bench.minutes(rig, 1);
	return rig;
}

/** Events by their station, session or row, without the hourly items: `statusChanged 3`. */
function told(items: readonly IDataObject[]): string[] {
	return items
		.filter(({ event }) => event !== 'watching')
		.map(({ event, rowId, sessionId, stationId }) => `${text(event)} ${text(rowId ?? sessionId ?? stationId)}`);
}

/** The trigger of a target in a workflow that is not active yet. */
export function rigOf({ type, parameters }: RefusedTarget, engine: Engine, credential: IDataObject): TriggerRig {
	return new TriggerRig(engine, parameters, credential, {}, type);
}
