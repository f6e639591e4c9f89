import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { startPlatform, type PlatformOptions, type StandIn } from '../../platform/index.ts';
import { credentialFor } from '../harness.ts';
import { installFastClock, type FastClock } from '../clock.ts';
import { type Engine, forgetProcess, TriggerRig, type TriggerName } from '../trigger/rig.ts';

export { short, statusFilter, text } from '../trigger/events.ts';

export const MINUTE = 60_000;
const STATION_TRIGGER = 'chargingStationStatusTrigger';

/** What happens, how many minutes pass after it, and what has been told by then, in any order. */
export type Scene = readonly [happens: () => unknown, minutes: number, told: readonly string[]];

/** Only time passes. */
export const nothing = (): void => {};

/** A platform and a clock for one test file, fresh for each test: all stations online, in service and healthy. */
export class Bench {
	platform!: StandIn;
	clock!: FastClock;
	/** What its keys may read. */
	protected readonly scopes: string[] = ['charging-stations:read'];

	constructor(options: PlatformOptions, speed?: number) {
		beforeAll(async () => {
			this.platform = await startPlatform({ sessions: 0, ...options });
			this.clock = installFastClock(speed);
		});
		afterAll(async () => {
			this.clock.restore();
			await this.platform.close();
		});
		beforeEach(async () => {
			this.platform.reset();
			await forgetProcess();
			this.set({ NetworkStatus: 1, Status: 1, HardwareStatus: 1 });
		});
	}

	/** Sets columns of one station, or of all. */
	set(values: Record<string, number | string | null>, ...ids: number[]): void {
		const assignments = Object.keys(values)
			.map((name) => `${name} = ?`)
			.join(', ');
		const where = ids.length === 0 ? '' : ` WHERE Id IN (${ids.join(',')})`;
		this.platform.db.prepare(`UPDATE stations SET ${assignments}${where}`).run(...Object.values(values));
	}

	add(id: number, name: string, networkStatus = 1): void {
		this.platform.db
			.prepare('INSERT INTO stations (Id, Name, NetworkStatus, Status, HardwareStatus) VALUES (?, ?, ?, 1, 1)')
			.run(id, name, networkStatus);
	}

	remove(...ids: number[]): void {
		this.platform.db.exec(`DELETE FROM stations WHERE Id IN (${ids.join(',')})`);
	}

	/** A new key each time: a hold of the process is shared by all users of a key. */
	credential(): IDataObject & { apiKey: string } {
		const { secret } = this.platform.createKey({ scopes: this.scopes });
		return { ...credentialFor(this.platform), apiKey: secret };
	}

	/** A trigger in a workflow that is live. */
	async live(
		parameters: INodeParameters,
		type: TriggerName = STATION_TRIGGER,
		engine: Engine = 'memory',
	): Promise<TriggerRig> {
		const rig = new TriggerRig(engine, parameters, this.credential(), {}, type);
		await rig.activate();
		return rig;
	}

	/** Lets time pass, with a poll at the end of each minute. */
	async minutes(rig: TriggerRig, count: number): Promise<void> {
		await this.polls(rig, count, MINUTE);
	}

	/** Lets time pass, with polls every five minutes. */
	async polls(rig: TriggerRig, count: number, apartMs = 5 * MINUTE): Promise<void> {
		let due = this.clock.now();
		for (let poll = 0; poll < count; poll++) {
			// By a schedule, a little late each time, and no later where a slow machine takes long for a poll.
			due += apartMs + 200;
			this.clock.forward(Math.max(0, due - this.clock.now()));
			await rig.tick();
		}
	}

	/** Plays a story, a poll a minute: what happens in it is told, and nothing else. */
	async plays(rig: TriggerRig, ...story: readonly Scene[]): Promise<void> {
		for (const [index, [happens, minutes, told]] of story.entries()) {
			await happens();
			await this.minutes(rig, minutes);
			expect({ scene: index + 1, told: rig.told().sort() }).toEqual({ scene: index + 1, told: [...told].sort() });
		}
		expect(rig.errors).toEqual([]);
	}

	/** From now on, this much time passes with every request, in milliseconds. */
	slow(ms: number): void {
		const passes = () => {
			this.clock.forward(ms);
			return false;
		};
		this.platform.faults.add({ kind: 'drop', match: passes, times: Infinity });
	}

	/** Counts the requests that `work` sends. */
	async requestsOf(work: () => Promise<unknown>): Promise<number> {
		const before = this.platform.requests.length;
		await work();
		return this.platform.requests.length - before;
	}
}
