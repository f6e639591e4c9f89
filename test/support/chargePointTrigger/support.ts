import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { Bench } from '../stationTrigger/support.ts';
import type { Engine, TriggerRig } from '../trigger/rig.ts';

export const CHARGE_POINT_TRIGGER = 'chargePointTrigger';

/** Settings of each event. In the tests, 1 and 2 are in order, 3 and 4 are not. */
export const STATUS_CHANGE: INodeParameters = { event: 'statusChange', statusField: 'Status' };
export const OUT_OF_ORDER: INodeParameters = {
	event: 'outOfOrder',
	statusField: 'Status',
	outOfOrderValues: ['3', '4'],
};
/** The same codes, held for a minute. */
export const IN_STATUS: INodeParameters = {
	event: 'inStatus',
	statusField: 'Status',
	heldStatuses: ['3', '4'],
	minutesInState: 1,
};

export type Entries = Array<IDataObject | string>;

/** Charge points of a station in these statuses, with Ids: 71, 72, ... of station 7. */
export const points = (station: number, ...statuses: unknown[]): Entries =>
	statuses.map((Status, index) => ({ Id: station * 10 + index + 1, Status }) as IDataObject);

/** Sets the charge points of one station, or those of all, to the same statuses. */
export function setPoints({ platform }: Bench, station: number, entries: Entries): void {
	platform.db.prepare('UPDATE stations SET EVSEs = ? WHERE Id = ?').run(JSON.stringify(entries), station);
}

/** A platform and a clock for one test file, fresh for each test: each station has two charge points in status 1. */
export class ChargePointBench extends Bench {
	constructor(...options: ConstructorParameters<typeof Bench>) {
		super(...options);
		beforeEach(() => {
			for (const id of this.stations()) this.points(id, 1, 1);
		});
	}

	stations(): number[] {
		return this.platform.db
			.prepare('SELECT Id FROM stations ORDER BY Id')
			.all()
			.map(({ Id: id }) => Number(id));
	}

	/** Sets the charge points of a station to these statuses, with Ids. */
	points(station: number, ...statuses: unknown[]): void {
		this.entries(station, ...points(station, ...statuses));
	}

	entries(station: number, ...entries: Entries): void {
		setPoints(this, station, entries);
	}

	/** The trigger in a workflow that is live. */
	async rig(engine: Engine, parameters: INodeParameters): Promise<TriggerRig> {
		return await this.live(parameters, CHARGE_POINT_TRIGGER, engine);
	}

	/** The stations whose details were asked for since the last call, in order. */
	looks(): number[] {
		const looks = this.platform.requests.flatMap(({ path }) => {
			const id = /^\/api\/charging-stations\/v1\/(\d+)$/.exec(path)?.[1];
			return id === undefined ? [] : Number(id);
		});
		this.platform.requests.length = 0;
		return looks;
	}
}
