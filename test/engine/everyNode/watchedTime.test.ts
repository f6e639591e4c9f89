import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { CHARGE_POINT_TRIGGER, ChargePointBench, OUT_OF_ORDER } from '../../support/chargePointTrigger/support.ts';
import { MINUTE, text } from '../../support/stationTrigger/support.ts';
import { ENGINES, TriggerRig, type TriggerName } from '../../support/trigger/rig.ts';

/** What every trigger with incidents promises with Report Watched Time Hourly, with a poll every five minutes. */
const bench = new ChargePointBench({ stations: 6 });
const polls = bench.polls.bind(bench);

interface Watched {
	type: TriggerName;
	parameters: INodeParameters;
	/** Begins an incident at a station, and ends it without an event, which is seen after some polls. */
	begin: (station: number) => unknown;
	vanish: (station: number) => unknown;
	seenAfter: number;
	event: string;
	/** What an open incident says of where it is. */
	idsOf: (station: number) => IDataObject;
	item: IDataObject;
	sentence: RegExp;
}

const WATCHED: Watched[] = [
	{
		type: 'chargingStationStatusTrigger',
		parameters: { event: 'availability', options: { reportWatching: true, outOfServiceValues: ['2'] } },
		begin: (station) => bench.set({ NetworkStatus: 2 }, station),
		vanish: (station) => bench.set({ Status: 2 }, station),
		...{ seenAfter: 1, event: 'offline', idsOf: (stationId) => ({ stationId }) },
		item: { polls: 12, stations: 6, cause: 'offline' },
		sentence: /^6 stations were watched from .* to .*\. Offline at the end: 1\.$/,
	},
	{
		type: CHARGE_POINT_TRIGGER,
		parameters: { ...OUT_OF_ORDER, options: { reportWatching: true } },
		begin: (station) => bench.points(station, 3, 1),
		vanish: (station) => bench.entries(station, { Id: station * 10 + 2, Status: 1 }),
		// The look that misses it for the first time proves nothing.
		...{ seenAfter: 2, event: 'outOfOrder' },
		idsOf: (stationId) => ({ stationId, chargePointId: `${stationId}1` }),
		item: { polls: 12, stations: 6, chargePoints: 12, cause: 'chargePoint' },
		sentence:
			/^12 charge points of 6 stations were watched from .* to .*, each about every 5 minutes\. Out of order at the end: 1\.$/,
	},
];

const watchingIn = ({ items }: TriggerRig) => items.filter(({ event }) => event === 'watching');
const time = (value: unknown) => Date.parse(text(value));
const minutesOf = ({ from, to }: IDataObject) => Math.round((time(to) - time(from)) / MINUTE);

/** Each in one engine of n8n. */
const RUNS = WATCHED.flatMap((watched, nth) => [
	{ ...watched, engine: ENGINES[nth] ?? 'memory' },
	{ ...watched, engine: ENGINES[2] ?? 'memory' },
]);

describe.each(RUNS)(
	'$type, engine $engine',
	({ type, parameters, engine, begin, vanish, seenAfter, event, ...told }) => {
		async function start(): Promise<TriggerRig> {
			const rig = new TriggerRig(engine, parameters, bench.credential(), {}, type);
			await rig.activate();
			return rig;
		}

		it('gives one item an hour without gaps, with how many were watched and what was open', async () => {
			const rig = await start();
			await polls(rig, 5);
			begin(3);
			await polls(rig, 34);
			const watching = watchingIn(rig);
			expect(watching.map(minutesOf)).toEqual([60, 60, 60]);
			const begun = rig.items.find(({ event: name }) => name === event);
			const open = { incidentId: begun?.eventId, ...told.idsOf(3), since: begun?.since };
			for (const [index, item] of watching.entries()) {
				if (index > 0) expect(item.from).toEqual(watching[index - 1]?.to);
				expect(item).toMatchObject({ ...told.item, openIncidents: [open] });
				expect(item.text).toMatch(told.sentence);
			}
			expect(new Set(rig.items.map(({ eventId }) => eventId)).size).toBe(rig.items.length);
		});

		it('names what was so before watching began, and an incident that ends without an event until then', async () => {
			begin(5);
			const rig = await start();
			await polls(rig, 7);
			const last = bench.clock.now();
			vanish(5);
			await polls(rig, seenAfter);
			const [first] = watchingIn(rig);
			expect(first?.openIncidents).toEqual([expect.objectContaining(told.idsOf(5))]);
			expect(Math.abs(time(first?.to) - last)).toBeLessThan(MINUTE);
			await polls(rig, 14);
			expect(watchingIn(rig)[1]).toMatchObject({ from: first?.to, openIncidents: [] });
			expect(rig.items).toEqual(watchingIn(rig));
			// The one that saved the first state.
			expect(rig.batches.filter((batch) => batch.length === 0)).toHaveLength(1);
		});

		it('leaves out times without polls, but none between polls every 15 minutes, a little early or late', async () => {
			const rig = await start();
			for (let poll = 0; poll < 41; poll++) await polls(rig, 1, 15 * MINUTE + (poll % 2 === 0 ? 20_000 : -20_000));
			const watched = watchingIn(rig).reduce((sum, item) => sum + minutesOf(item), 0);
			// The first distance is known only to later polls; the last hour is not reported yet.
			expect(watched).toBeGreaterThan(41 * 15 - 100);
			bench.clock.forward(50 * MINUTE);
			await polls(rig, 8, 15 * MINUTE);
			const [before, after] = watchingIn(rig).slice(-2);
			expect(time(after?.from) - time(before?.to)).toBeGreaterThan(50 * MINUTE);
		});
	},
);
