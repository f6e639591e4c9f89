import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { randomFrom } from '../../support/draws.ts';
import { runNode } from '../../support/harness.ts';
import { Bench, MINUTE, statusFilter, text } from '../../support/stationTrigger/support.ts';
import { TriggerRig } from '../../support/trigger/rig.ts';
import { common, covered, keep, watchedIn, type Span } from '../../support/uptime.ts';

const DAYS = 31;
const STATIONS = 5;
const POLL = 5 * MINUTE;
const HOUR = 60 * MINUTE;
/** Polls further apart leave a gap, as docs/uptime.md says. */
const LONGEST_GAP = 15 * MINUTE;
/** The test clock keeps running during a poll. */
const CLOCK_SLACK = 10_000;
const ONLINE = 1;
const IN_SERVICE = 1;
const HEALTHY = 1;
const FAULTY = 3;

const bench = new Bench({ stations: STATIONS });

const CAUSES = ['offline', 'faulted'] as const;
type Cause = (typeof CAUSES)[number];
/** The trigger of each cause, as the example workflow has them. */
const TRIGGERS: Record<Cause, INodeParameters> = {
	offline: { event: 'availability', options: { reportWatching: true, outOfServiceValues: ['2'] } },
	faulted: {
		event: 'filterMatch',
		filters: statusFilter('hardwareStatus', String(FAULTY)),
		options: { reportWatching: true, outOfServiceValues: ['2'], cause: 'faulted' },
	},
};

interface Condition {
	NetworkStatus: number;
	HardwareStatus: number;
	Status: number;
}

/** Lets stations fail, be repaired and be taken out of service, and records what really happened. */
class Truth {
	readonly outages: Record<Cause, Map<number, Span[]>> = { offline: new Map(), faulted: new Map() };
	/** By station, how many outages ended because it was taken out of service. */
	readonly quietEnds = new Map<number, number>();
	private readonly conditions = new Map<number, Condition>();

	constructor() {
		for (let id = 1; id <= STATIONS; id++) {
			for (const cause of CAUSES) this.outages[cause].set(id, []);
			this.conditions.set(id, { NetworkStatus: ONLINE, HardwareStatus: HEALTHY, Status: IN_SERVICE });
		}
	}

	change(id: number, now: number, change: Partial<Condition>): void {
		const condition = { ...this.of(id), ...change };
		this.conditions.set(id, condition);
		bench.set({ ...condition }, id);
		for (const cause of CAUSES) {
			const outages = this.outages[cause].get(id) ?? [];
			const open = outages.at(-1);
			const isDown = this.is(cause, id) && condition.Status === IN_SERVICE;
			if (isDown && open?.to !== Infinity) outages.push({ from: now, to: Infinity });
			else if (!isDown && open?.to === Infinity) {
				open.to = now;
				if (change.Status !== undefined) this.quietEnds.set(id, (this.quietEnds.get(id) ?? 0) + 1);
			}
		}
	}

	is(cause: Cause, id: number): boolean {
		const { NetworkStatus, HardwareStatus } = this.of(id);
		return cause === 'offline' ? NetworkStatus !== ONLINE : HardwareStatus === FAULTY;
	}

	of(id: number): Condition {
		const found = this.conditions.get(id);
		if (!found) throw new Error(`There is no station ${id}`);
		return found;
	}
}

it('triggers, table and Availability agree with the stand-in, by cause, and unwatched time is unknown', async () => {
	const random = randomFrom(20_261_122);
	const chance = (of: number) => random() < of;
	// Starts in the past, so that the period of Availability is over at the end, and always at midnight UTC, so that the
	// pauses, drawn with one seed, are always at the same hours.
	bench.clock.set(-(DAYS + 1) * 24 * HOUR - (bench.clock.now() % (24 * HOUR)));
	const truth = new Truth();
	const rigs = CAUSES.map((cause) => ({
		rig: new TriggerRig('memory', TRIGGERS[cause], bench.credential()),
		/** When a poll of this trigger saw the stations. */
		seen: [] as number[],
	}));
	const table = new Map<string, IDataObject>();
	const counts = { killed: 0, lostSaves: 0, stopped: 0, failed: 0 };
	const began = bench.clock.now();

	const look = async (act: (rig: TriggerRig) => Promise<void>) => {
		for (const { rig, seen } of rigs) {
			const first = bench.platform.requests.length;
			const at = bench.clock.now();
			await act(rig);
			const answers = bench.platform.requests.slice(first).filter(({ path }) => path === '/api/charging-stations/v1');
			if (answers.some(({ status }) => status === 200)) seen.push(at);
		}
	};
	const wait = (ms: number) => {
		// Changes happen at a random time between two polls.
		const first = Math.floor(random() * ms);
		bench.clock.forward(first);
		for (let id = 1; id <= STATIONS; id++) {
			const now = bench.clock.now();
			const [isOffline, isFaulty] = [truth.is('offline', id), truth.is('faulted', id)];
			if (chance(isOffline ? 0.06 : 0.006)) truth.change(id, now, { NetworkStatus: isOffline ? ONLINE : 2 });
			else if (chance(isFaulty ? 0.04 : 0.005)) truth.change(id, now, { HardwareStatus: isFaulty ? HEALTHY : FAULTY });
			else if (chance(0.002)) truth.change(id, now, { Status: truth.of(id).Status === IN_SERVICE ? 2 : IN_SERVICE });
		}
		bench.clock.forward(ms - first);
	};

	await look(async (rig) => await rig.activate());
	while (bench.clock.now() - began < DAYS * 24 * HOUR) {
		wait(POLL);
		if (chance(0.012)) {
			counts.killed++;
			if (chance(0.5)) {
				counts.lostSaves++;
				await look(async (rig) => await rig.unsaved(() => rig.tick()));
			}
			wait(chance(0.5) ? MINUTE : 3 * HOUR);
			await look(async (rig) => await rig.restart());
		} else if (chance(0.003)) {
			counts.stopped++;
			wait(5 * HOUR);
			await look(async (rig) => await rig.republish());
		} else if (chance(0.02)) {
			counts.failed++;
			bench.platform.faults.add({ kind: 'status', status: 500, times: Infinity });
			await look(async (rig) => await rig.tick());
			bench.platform.faults.clear();
		} else {
			await look(async (rig) => await rig.tick());
		}
		for (const { rig } of rigs) keep(table, rig.take());
	}
	expect(rigs.flatMap(({ rig }) => rig.errors)).toEqual([]);
	for (const [name, count] of Object.entries(counts)) expect([name, count > 0]).toEqual([name, true]);

	const rows = [...table.values()];
	const stationsBy = async (countsAsDown: string) => {
		const { json, error, hints } = await runNode({
			type: 'chargingStations',
			credential: bench.credential(),
			parameters: { operation: 'availability', period: 'lastDays', days: DAYS - 1, options: { countsAsDown } },
			items: rows,
		});
		expect(error).toBeUndefined();
		expect(json).toHaveLength(STATIONS);
		return { json, hints };
	};
	/** Each outage as successful polls saw it: it starts and ends with the first poll that shows the change. */
	const seenOutages = (index: number, id: number): Span[] =>
		(truth.outages[CAUSES[index] ?? 'offline'].get(id) ?? []).map(({ from, to }) => ({
			from: rigs[index]?.seen.find((at) => at >= from) ?? Infinity,
			to: rigs[index]?.seen.find((at) => at >= to) ?? Infinity,
		}));
	// An end without an event is the time of the poll before, and a lost batch comes again with a later poll.
	const inexactOf = (id: number) => (truth.quietEnds.get(id) ?? 0) * LONGEST_GAP + counts.lostSaves * 2 * POLL;
	const both = await stationsBy('offline,faulted');
	expect(both.hints).toEqual([]);
	const period = { from: Date.parse(text(both.json[0]?.from)), to: Date.parse(text(both.json[0]?.to)) };
	const watchedBoth = common(watchedIn(rows, 'offline', period), watchedIn(rows, 'faulted', period));

	for (const [index, cause] of CAUSES.entries()) {
		const seen = rigs[index]?.seen ?? [];
		const { json } = await stationsBy(cause);
		const watched = watchedIn(rows, cause, period);
		// In a watched span, successful polls follow each other without a long gap.
		for (const span of watched) {
			const polls = seen.filter((at) => at > span.from - CLOCK_SLACK && at < span.to + CLOCK_SLACK);
			const steps = polls.map((at, place) => at - (polls[place - 1] ?? span.from));
			expect(Math.max(...steps, span.to - (polls.at(-1) ?? 0))).toBeLessThan(LONGEST_GAP + CLOCK_SLACK);
		}
		const known = covered(watched, [period]);
		// A kill loses what was not saved: at most an hour, and the time until the next poll.
		const gaps = seen.map((at, place) => at - (seen[place - 1] ?? at)).filter((gap) => gap > LONGEST_GAP);
		const after = Math.max(0, period.to - (seen.at(-1) ?? 0)) + HOUR + POLL;
		const lost = after + gaps.reduce((sum, gap) => sum + gap, 0) + counts.killed * (HOUR + 3 * POLL);
		const unknownMinutes = Number(json[0]?.unknownMinutes);
		expect(unknownMinutes).toBeCloseTo((period.to - period.from - known) / MINUTE, 0);
		expect(unknownMinutes).toBeLessThan((lost + gaps.length * POLL + CLOCK_SLACK) / MINUTE);

		let incidents = 0;
		for (const [place, station] of json.entries()) {
			const id = Number(station.stationId);
			const outages = seenOutages(index, id);
			const touched = outages.filter((outage) => covered([outage], watched) > 0);
			incidents += touched.length;
			const tolerance = (inexactOf(id) + (1 + touched.length) * CLOCK_SLACK) / MINUTE;
			const difference = Number(station.downMinutes) - covered(outages, watched) / MINUTE;
			expect(Math.abs(difference)).toBeLessThanOrEqual(tolerance);
			// The same minutes are in the figure of both causes together, as far as both were watched.
			const { [cause]: together } = both.json[place]?.downMinutesByCause as Record<string, number>;
			const expected = covered(outages, watchedBoth) / MINUTE;
			expect(Math.abs(Number(together) - expected)).toBeLessThanOrEqual(tolerance);
			expect(station.basis).toMatch(/as seen:?(?: faulted)? every (?:5|5\.\d) minutes$/);
		}
		expect(incidents).toBeGreaterThan(STATIONS);
	}

	for (const station of both.json) {
		const id = Number(station.stationId);
		const [offline = [], faulted = []] = CAUSES.map((_, index) => seenOutages(index, id));
		const twice = covered(common(offline, faulted), watchedBoth);
		const expected = covered([...offline, ...faulted], watchedBoth) - twice;
		const tolerance = 2 * inexactOf(id) + (2 + offline.length + faulted.length) * CLOCK_SLACK;
		expect(Math.abs(Number(station.downMinutes) - expected / MINUTE)).toBeLessThanOrEqual(tolerance / MINUTE);
	}
}, 3_600_000);
