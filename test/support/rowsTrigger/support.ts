import range from 'lodash/range.js';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { SessionBench } from '../sessionTrigger/support.ts';
import { TriggerRig, type Engine } from '../trigger/rig.ts';

export const ROWS_TRIGGER = 'chargingNetworkRowsTrigger';

/** The parameter that selects a list by its path. */
export const list = (path: string): INodeParameters => ({ list: { __rl: true, mode: 'path', value: path } });

/** The stand-in's session list, watched like any other list. */
export const SESSION_LIST = '/api/charging-sessions/v1';

/** A filter on a field that the form does not know. */
export const smallerEnergy = (kWh: number): INodeParameters => ({
	other: [{ field: 'EnergyConsumed|number', numberOperator: 'Lt', value: String(kWh) }],
});

/** Rows with so many Ids, from this one on. */
export function rows(count: number, values: (id: number) => IDataObject = () => ({}), first = 1): IDataObject[] {
	return range(first, first + count).map((Id) => ({ Id, Name: `User ${Id}`, ...values(Id) }));
}

/** A platform and a clock for one test file about new rows, fresh for each test. Its rows are sessions. */
export class ListBench extends SessionBench {
	override inactive(engine: Engine, parameters: INodeParameters = {}): TriggerRig {
		return listRig(engine, { ...list(SESSION_LIST), ...parameters }, this.credential());
	}
}

/** The trigger in a workflow that is not active yet. */
export function listRig(engine: Engine, parameters: INodeParameters, credential: IDataObject): TriggerRig {
	return new TriggerRig(engine, parameters, credential, {}, ROWS_TRIGGER);
}
