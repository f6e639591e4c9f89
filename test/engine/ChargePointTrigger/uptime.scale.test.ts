import type { IDataObject } from 'n8n-workflow';

import { randomFrom } from '../../support/draws.ts';
import { CHARGE_POINT_TRIGGER, ChargePointBench, OUT_OF_ORDER } from '../../support/chargePointTrigger/support.ts';
import { runNode } from '../../support/harness.ts';
import { MINUTE, text } from '../../support/stationTrigger/support.ts';
import { TriggerRig } from '../../support/trigger/rig.ts';
import { common, covered, keep, watchedIn, type Span } from '../../support/uptime.ts';

const DAYS = 8;
const STATIONS = 6;
const POINTS = 3;
const POLL = 5 * MINUTE;
/** Half of the stations in each poll: each is looked at every ten minutes. */
const LOOK = 2 * POLL;
const HOUR = 60 * MINUTE;
/** The test clock keeps running during a poll. */
const CLOCK_SLACK = 10_000;
const WORKS = 1;
const BROKEN = 3;
const ONLINE = 1;
const OFFLINE = 2;

const bench = new ChargePointBench({ stations: STATIONS });

/** Lets stations and charge points fail and be repaired, and records what really happened. */
class Truth {
	/** By station, and by charge point, such as 71 of station 7. */
	readonly outages = new Map<number, Span[]>();

	constructor() {
		for (let station = 1; station <= STATIONS; station++) {
			bench.set({ NetworkStatus: ONLINE, Status: 1 }, station);
			this.outages.set(station, []);
			for (const point of this.points(station)) this.outages.set(point, []);
			this.write(station);
		}
	}

	points(station: number): number[] {
		return Array.from({ length: POINTS }, (_, index) => station * 10 + index + 1);
	}

	of(id: number): Span[] {
		return this.outages.get(id) ?? [];
	}

	isDown(id: number): boolean {
		return this.of(id).at(-1)?.to === Infinity;
	}

	/** Begins or ends an outage of a station or charge point. */
	toggle(id: number, now: number): void {
		const open = this.of(id).at(-1);
		if (open?.to === Infinity) open.to = now;
		else this.of(id).push({ from: now, to: Infinity });
	}

	write(station: number): void {
		bench.set({ NetworkStatus: this.isDown(station) ? OFFLINE : ONLINE }, station);
		bench.points(station, ...this.points(station).map((point) => (this.isDown(point) ? BROKEN : WORKS)));
	}
}

it('uptime by charge point of a week equals what the stand-in knows, within one look per outage', async () => {
	const random = randomFrom(20_261_127);
	const chance = (of: number) => random() < of;
	// Starts in the past, so that the period of Availability is over at the end, and always at midnight UTC, so that the
	// pauses, drawn with one seed, are always at the same hours.
	bench.clock.set(-(DAYS + 1) * 24 * HOUR - (bench.clock.now() % (24 * HOUR)));
	const truth = new Truth();
	const pointParameters = { ...OUT_OF_ORDER, options: { reportWatching: true, mostStations: STATIONS / 2 } };
	const stationParameters = { event: 'availability', options: { reportWatching: true } };
	const rigs = [
		new TriggerRig('memory', stationParameters, bench.credential()),
		new TriggerRig('memory', pointParameters, bench.credential(), {}, CHARGE_POINT_TRIGGER),
	];
	const table = new Map<string, IDataObject>();
	const counts = { killed: 0, stopped: 0, failed: 0 };
	const began = bench.clock.now();

	const each = async (act: (rig: TriggerRig) => Promise<void>) => {
		for (const rig of rigs) await act(rig);
		bench.looks();
	};
	const wait = (ms: number) => {
		// Changes happen at a random time between two polls.
		const first = Math.floor(random() * ms);
		bench.clock.forward(first);
		for (let station = 1; station <= STATIONS; station++) {
			const [breaks, comesBack] = [0.004, 0.06];
			for (const id of [station, ...truth.points(station)]) {
				if (chance(truth.isDown(id) ? comesBack : breaks)) truth.toggle(id, bench.clock.now());
			}
			truth.write(station);
		}
		bench.clock.forward(ms - first);
	};

	await each(async (rig) => await rig.activate());
	while (bench.clock.now() - began < DAYS * 24 * HOUR) {
		wait(POLL);
		if (chance(0.006)) {
			counts.killed++;
			wait(chance(0.5) ? MINUTE : 3 * HOUR);
			await each(async (rig) => await rig.restart());
		} else if (chance(0.003)) {
			counts.stopped++;
			wait(5 * HOUR);
			await each(async (rig) => await rig.republish());
		} else if (chance(0.01)) {
			counts.failed++;
			bench.platform.faults.add({ kind: 'status', status: 500, times: Infinity });
			await each(async (rig) => await rig.tick());
			bench.platform.faults.clear();
		} else {
			await each(async (rig) => await rig.tick());
		}
		for (const rig of rigs) keep(table, rig.take());
	}
	expect(rigs.flatMap(({ errors }) => errors)).toEqual([]);
	for (const [name, count] of Object.entries(counts)) expect([name, count > 0]).toEqual([name, true]);

	const rows = [...table.values()];
	const { json, error, hints } = await runNode({
		type: 'chargingStations',
		credential: bench.credential(),
		parameters: { operation: 'availability', result: 'chargePoints', period: 'lastDays', days: DAYS - 1 },
		items: rows,
	});
	expect([error, hints]).toEqual([undefined, []]);
	expect(json.map(({ chargePointId }) => Number(chargePointId))).toEqual(
		Array.from({ length: STATIONS }, (_, index) => truth.points(index + 1)).flat(),
	);
	const period = { from: Date.parse(text(json[0]?.from)), to: Date.parse(text(json[0]?.to)) };
	const watched = common(watchedIn(rows, 'offline', period), watchedIn(rows, 'chargePoint', period));
	const known = covered(watched, [period]);
	expect(known / (period.to - period.from)).toBeGreaterThan(0.7);

	let outagesSeen = 0;
	for (const item of json) {
		const [offline, own] = [truth.of(Number(item.stationId)), truth.of(Number(item.chargePointId))];
		const touching = (outages: readonly Span[]) => outages.filter((outage) => covered([outage], watched) > 0).length;
		outagesSeen += touching(own);
		const down = covered([...offline, ...own], watched) - covered(common(offline, own), watched);
		const [stationSlack, slack] = [touching(offline) * (POLL + CLOCK_SLACK), touching(own) * (LOOK + CLOCK_SLACK)];
		const within = (minutes: unknown, ms: number, tolerance: number) =>
			expect(Math.abs(Number(minutes) - ms / MINUTE)).toBeLessThanOrEqual((tolerance + CLOCK_SLACK) / MINUTE);
		within(item.downMinutes, down, stationSlack + slack);
		const { offline: byStation, chargePoint: byPoint } = item.downMinutesByCause as Record<string, number>;
		within(byStation, covered(offline, watched), stationSlack);
		within(byPoint, covered(own, watched), slack);
		within(item.unknownMinutes, period.to - period.from - known, 0);
		expect(item.basis).toMatch(
			/^by charge point, as seen: offline every 5(\.\d)? minutes; chargePoint every 1\d(\.\d)? minutes$/,
		);
	}
	expect(outagesSeen).toBeGreaterThan(STATIONS * POINTS);
}, 3_600_000);
