import assert from 'node:assert/strict';

import { textOf, Watched, type Scene, type WatchedTrigger } from './watched.ts';

export { tell, textOf } from './watched.ts';

/** The name of the trigger node in the workflow. */
export const TRIGGER = 'Station Offline or Back';

const ONLINE = 1;
const OFFLINE = 2;

const STATUS_TRIGGER: WatchedTrigger = {
	name: TRIGGER,
	type: 'chargingStationStatusTrigger',
	parameters: { event: 'availability' },
	short: ({ event, stationId }) => `${textOf(event)} ${textOf(stationId)}`,
};

/** The station trigger in a workflow, see `Watched`, and stations of the stand-in to change. */
export class Incidents extends Watched {
	/** Stations that are online at the start. */
	readonly stations: readonly number[] = this.platform.db
		.prepare('SELECT Id FROM stations WHERE NetworkStatus = ? ORDER BY Id')
		.all(ONLINE)
		.map(({ Id }) => Number(Id));

	/** Imports the workflow without publishing it. Nothing else uses the key with this name. */
	static async prepare(scene: Scene, keyName: string): Promise<Incidents> {
		return new Incidents(
			scene.platform,
			STATUS_TRIGGER,
			keyName,
			await Watched.putInPlace(scene, STATUS_TRIGGER, keyName),
		);
	}

	/** Changes a station of the stand-in. */
	set(station: number | undefined, event: 'offline' | 'backOnline'): void {
		assert.ok(station !== undefined, 'the stand-in has too few stations');
		const status = event === 'offline' ? OFFLINE : ONLINE;
		this.platform.db.prepare('UPDATE stations SET NetworkStatus = ? WHERE Id = ?').run(status, station);
		this.done.push(`${event} ${station}`);
	}
}
