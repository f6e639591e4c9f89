import range from 'lodash/range.js';
import type { INodeParameters } from 'n8n-workflow';

import type { PlatformOptions } from '../../platform/index.ts';
import { TriggerRig, type Engine } from '../trigger/rig.ts';
import { Bench } from '../stationTrigger/support.ts';

export const SESSION_TRIGGER = 'chargingSessionTrigger';

/** Codes of the stand-in. Of these, only finished and failed are public. */
export const ACTIVE = 1;
export const SUSPENDED = 2;
export const FINISHED = 4;
export const EXPIRED = 5;
export const FAILED = 6;

export const HOUR = 3_600_000;

interface Session {
	status?: number;
	ago?: number;
	energy?: number;
}

/** A filter on sessions. */
export const smallerEnergy = (kWh: number): INodeParameters => ({
	energyConsumed: [{ operator: 'Lt', value: String(kWh) }],
});

/** A platform and a clock for one test file about sessions, fresh for each test. */
export class SessionBench extends Bench {
	protected override readonly scopes = ['charging-sessions:read', 'charging-stations:read'];

	constructor(options: PlatformOptions = {}, speed?: number) {
		super({ stations: 0, sessions: 0, ...options }, speed);
	}

	/** Starts a session, now or some time ago. */
	start(id: number, { status = ACTIVE, ago = 0, energy = 0 }: Session = {}): void {
		this.platform.startSession({ id, status, energy, startedAt: this.clock.now() - ago });
	}

	/** Starts sessions with these Ids and all between. */
	startAll(first: number, last: number, session?: Session): void {
		for (const id of range(first, last + 1)) this.start(id, session);
	}

	/** Gives sessions another status. */
	become(status: number, ...ids: number[]): void {
		this.platform.db.exec(`UPDATE sessions SET Status = ${status} WHERE Id IN (${ids.join(',')})`);
	}

	energy(kWh: number, ...ids: number[]): void {
		this.platform.db.exec(`UPDATE sessions SET EnergyConsumed = ${kWh} WHERE Id IN (${ids.join(',')})`);
	}

	/** Changes when sessions started. */
	startedAgo(ms: number, ...ids: number[]): void {
		const startedAt = new Date(this.clock.now() - ms).toISOString().slice(0, 19);
		this.platform.db.exec(`UPDATE sessions SET StartedAtUtc = '${startedAt}' WHERE Id IN (${ids.join(',')})`);
	}

	delete(...ids: number[]): void {
		this.platform.db.exec(`DELETE FROM sessions WHERE Id IN (${ids.join(',')})`);
	}

	/** The trigger in an active workflow. */
	async rig(engine: Engine, parameters: INodeParameters): Promise<TriggerRig> {
		const rig = this.inactive(engine, parameters);
		await rig.activate();
		return rig;
	}

	/** Activates the trigger, which polls. @param meetsNothing whether a gateway answers first @returns when the poll began that met the list */
	async activateAfter(meetsNothing: boolean, rig: TriggerRig): Promise<number> {
		if (meetsNothing) this.platform.faults.add({ kind: 'reply', status: 204, times: Infinity });
		const at = this.clock.now();
		await rig.activate();
		if (!meetsNothing) return at;
		this.platform.faults.clear();
		const again = this.clock.now();
		await rig.tick();
		return again;
	}

	inactive(engine: Engine, parameters: INodeParameters): TriggerRig {
		return new TriggerRig(engine, parameters, this.credential(), {}, SESSION_TRIGGER);
	}
}
