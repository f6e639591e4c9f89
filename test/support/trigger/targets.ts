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
	/** What its key must be allowed to read. */
	area: 'charging-stations' | 'charging-sessions';
	parameters: INodeParameters;
	/** Settings under which the same things are reported. */
	otherParameters: INodeParameters;
	happen(bench: SessionBench, id: number): void;
	event: string;
	told(items: readonly IDataObject[]): string[];
	/** Requests of a poll without news, if more than one: the list, and each of the six stations. */
	requestsOfPoll?: number;
}

const start = (bench: SessionBench, id: number) => bench.start(id);

const STATION_LIST = list('/api/charging-stations/v1');

export const TARGETS: readonly Target[] = [
	{
		type: 'chargingStationStatusTrigger',
		displayName: 'Charging Station Status Trigger',
		area: 'charging-stations',
		parameters: { event: 'availability' },
		otherParameters: { event: 'availability', options: { onlineValues: ['1', '3'] } },
		happen: (bench, id) => bench.set({ NetworkStatus: 2 }, id),
		event: 'offline',
		told,
	},
	{
		type: SESSION_TRIGGER,
		displayName: 'Charging Session Events Trigger',
		area: 'charging-sessions',
		parameters: { events: ['started'] },
		otherParameters: { events: ['started', 'ended'], options: { otherEndStatuses: ['5'] } },
		happen: start,
		event: 'started',
		told,
	},
	{
		type: ROWS_TRIGGER,
		displayName: 'Charging Network Rows Trigger',
		area: 'charging-sessions',
		parameters: list(SESSION_LIST),
		otherParameters: { ...list(SESSION_LIST), options: { pageSize: 8 } },
		happen: start,
		event: 'newRow',
		told,
	},
	{
		type: CHARGE_POINT_TRIGGER,
		displayName: 'Charge Point Trigger',
		area: 'charging-stations',
		parameters: STATUS_CHANGE,
		otherParameters: { ...STATUS_CHANGE, statusField: 'status' },
		happen: (bench, id) => setPoints(bench, id, points(id, 9)),
		event: 'statusChanged',
		told,
		requestsOfPoll: 7,
	},
	{
		type: ROWS_TRIGGER,
		displayName: 'Charging Network Rows Trigger',
		area: 'charging-stations',
		parameters: { ...STATION_LIST, event: 'changedRow' },
		otherParameters: { ...STATION_LIST, event: 'changedRow', ignoredFields: ['Name'] },
		happen: (bench, id) => bench.set({ NetworkStatus: 2 }, id),
		event: 'changedRow',
		told,
	},
];

/** A target in one of n8n's engines, and what happens to it there. */
export type InTurn<Kind = string> = Target & { engine: Engine; kind: Kind };

/**
 * Targets, engines and kinds of what happens take turns: each is met, in as few tests as that takes.
 *
 * @param promise the number of the test: another one meets other pairs
 */
export function inTurns<Kind extends string>(
	targets: readonly Target[],
	promise: number,
	kinds: readonly Kind[] = [],
): Array<InTurn<Kind>> {
	return Array.from({ length: Math.max(targets.length, kinds.length) }, (_, turn) => ({
		...(targets[turn % targets.length] as Target),
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
export function rigOf({ type, parameters }: Target, engine: Engine, credential: IDataObject): TriggerRig {
	return new TriggerRig(engine, parameters, credential, {}, type);
}
