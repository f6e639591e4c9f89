import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { LIST_TRIGGER, list, SESSION_LIST, told as toldOfRows } from '../../support/listTrigger/support.ts';
import { HOUR, SESSION_TRIGGER, SessionBench, told as toldOfSessions } from '../../support/sessionTrigger/support.ts';
import { MINUTE, short } from '../../support/stationTrigger/support.ts';
import { ENGINES, TriggerRig, type Engine, type TriggerName } from '../../support/trigger/rig.ts';

/** A trigger, something that happens to a station or session, and how it is reported. */
interface Case {
	type: TriggerName;
	parameters: INodeParameters;
	happen: (id: number) => void;
	event: string;
	told: (items: readonly IDataObject[]) => string[];
}

const bench = new SessionBench({ stations: 6 });
const minutes = bench.minutes.bind(bench);
const startSession = (id: number) => bench.start(id);

const CASES: Case[] = [
	{
		type: 'chargingStationStatusTrigger',
		parameters: { event: 'availability' },
		happen: (id) => bench.set({ NetworkStatus: 2 }, id),
		...{ event: 'offline', told: short },
	},
	{
		type: SESSION_TRIGGER,
		parameters: { events: ['started'] },
		...{ happen: startSession, event: 'started', told: toldOfSessions },
	},
	{
		type: LIST_TRIGGER,
		parameters: list(SESSION_LIST),
		...{ happen: startSession, event: 'newRow', told: toldOfRows },
	},
];

describe.each(CASES.flatMap((trigger) => ENGINES.map((engine) => ({ ...trigger, engine }))))(
	'$type, engine $engine',
	({ type, parameters, happen, event, told, engine }) => {
		async function underway(): Promise<TriggerRig> {
			const rig = new TriggerRig(engine satisfies Engine, parameters, bench.credential(), {}, type);
			await rig.activate();
			await minutes(rig, 1);
			return rig;
		}

		it('overlapping polls report nothing twice', async () => {
			const rig = await underway();
			happen(3);
			bench.platform.behaviour.latencyMs = 50;
			bench.clock.forward(MINUTE);
			const sent = await bench.requestsOf(async () => await Promise.all([rig.tick(), rig.tick(), rig.tick()]));
			expect(sent).toBe(1);
			expect(told(rig.items)).toEqual([`${event} 3`]);
		});

		it('a poll that is given an outdated state reports nothing twice', async () => {
			const rig = await underway();
			const older = { ...rig.database };
			for (const id of [3, 5]) {
				happen(id);
				await minutes(rig, 1);
			}
			await rig.tickFrom(older);
			await minutes(rig, 1);
			expect(told(rig.items)).toEqual([`${event} 3`, `${event} 5`]);
		});

		it('a poll before n8n has saved the last one reports nothing twice, and loses nothing if n8n never saves', async () => {
			const rig = await underway();
			happen(3);
			rig.loseSaves = true;
			await minutes(rig, 1);
			rig.loseSaves = false;
			await rig.tick();
			expect(told(rig.items)).toEqual([`${event} 3`]);
			await minutes(rig, 1);
			// The default engine continues from its memory.
			expect(told(rig.items)).toEqual(engine === 'memory' ? [`${event} 3`] : [`${event} 3`, `${event} 3`]);
			expect(new Set(rig.items.map(({ eventId }) => eventId)).size).toBe(1);
			happen(5);
			await minutes(rig, 2);
			expect(told(rig.items.slice(engine === 'memory' ? 1 : 2))).toEqual([`${event} 5`]);
		});

		it('an event raised again because n8n was killed keeps its id, and the next one gets a new id', async () => {
			const rig = await underway();
			happen(3);
			rig.loseSaves = true;
			await minutes(rig, 1);
			rig.loseSaves = false;
			await rig.restart();
			await minutes(rig, 2);
			happen(5);
			await minutes(rig, 1);
			expect(told(rig.items)).toEqual([`${event} 3`, `${event} 3`, `${event} 5`]);
			const [first, again, next] = rig.items.map(({ eventId }) => eventId);
			expect(again).toBe(first);
			expect(next).not.toBe(first);
		});

		it.each([
			['that asks to wait until 2025, in seconds since 1970', '1763800000', 0],
			["that asks to wait a minute, while n8n's clock is set back", '60', -3 * HOUR],
			["that asks to wait a minute, while n8n's clock is set forward", '60', 3 * HOUR],
		])('a rate limit %s silences the trigger for a quarter of an hour at most', async (_, retryAfter, setByMs) => {
			const rig = await underway();
			bench.platform.faults.add({ kind: 'status', status: 429, headers: { 'retry-after': retryAfter } });
			happen(3);
			await minutes(rig, 1);
			bench.clock.set(setByMs);
			await minutes(rig, 16);
			expect(told(rig.items)).toEqual([`${event} 3`]);
			expect(rig.errors).toEqual([]);
		});

		it('renaming the node while the platform is down raises no error and loses nothing', async () => {
			const rig = await underway();
			bench.platform.faults.add({ kind: 'status', status: 503, times: Infinity });
			happen(3);
			await rig.republish({ node: { name: 'Renamed' } });
			await minutes(rig, 2);
			bench.platform.faults.clear();
			await minutes(rig, 2);
			expect(told(rig.items)).toEqual([`${event} 3`]);
			expect(rig.errors).toEqual([]);
		});
	},
);
