import type { IDataObject } from 'n8n-workflow';

import { runNode } from '../../support/harness.ts';
import { text } from '../../support/stationTrigger/support.ts';
import { Bench, MINUTE } from '../../support/stationTrigger/support.ts';
import { TriggerRig } from '../../support/trigger/rig.ts';
import { IS_DEEP } from '../../support/draws.ts';

/** A month if DEEP is set. */
const DAYS = IS_DEEP ? 31 : 5;
const STATIONS = 5;
const POLL = 5 * MINUTE;
const HOUR = 60 * MINUTE;
/** Polls further apart leave a gap, as docs/uptime.md says. */
const LONGEST_GAP = 15 * MINUTE;
/** The test clock keeps running during a poll. */
const CLOCK_SLACK = 10_000;
const ONLINE = 1;
const IN_SERVICE = 1;

interface Span {
	from: number;
	to: number;
}

const bench = new Bench({ stations: STATIONS });

/** Random numbers from 0 to 1, the same in every run. */
function randomFrom(seed: number): () => number {
	let state = seed;
	return () => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return state / 2 ** 32;
	};
}

const overlap = (a: Span, b: Span) => Math.max(0, Math.min(a.to, b.to) - Math.max(a.from, b.from));
const covered = (spans: readonly Span[], by: readonly Span[]) =>
	spans.reduce((sum, span) => sum + by.reduce((inner, other) => inner + overlap(span, other), 0), 0);

/** Lets stations fail, be repaired and be taken out of service, and records what really happened. */
class Truth {
	readonly outages = new Map<number, Span[]>();
	/** By station, how many outages ended because it was taken out of service. */
	readonly quietEnds = new Map<number, number>();
	private readonly state = new Map<number, { network: number; status: number }>();

	constructor() {
		for (let id = 1; id <= STATIONS; id++) {
			this.outages.set(id, []);
			this.state.set(id, { network: ONLINE, status: IN_SERVICE });
		}
	}

	change(id: number, now: number, change: { network?: number; status?: number }): void {
		const state = { ...this.state.get(id), ...change } as { network: number; status: number };
		this.state.set(id, state);
		bench.set({ NetworkStatus: state.network, Status: state.status }, id);
		const outages = this.outages.get(id) ?? [];
		const open = outages.at(-1);
		const isDown = state.network !== ONLINE && state.status === IN_SERVICE;
		if (isDown && open?.to !== Infinity) outages.push({ from: now, to: Infinity });
		else if (!isDown && open?.to === Infinity) {
			open.to = now;
			if (change.status !== undefined) this.quietEnds.set(id, (this.quietEnds.get(id) ?? 0) + 1);
		}
	}

	isOffline(id: number): boolean {
		return this.state.get(id)?.network !== ONLINE;
	}

	isInService(id: number): boolean {
		return this.state.get(id)?.status === IN_SERVICE;
	}
}

/** Keeps what the example workflow keeps: one row for each incident and each watched span. */
function keep(table: Map<string, IDataObject>, items: readonly IDataObject[]): void {
	for (const item of items) {
		const row: IDataObject =
			item.event === 'watching'
				? {
						...{ kind: 'watching', incidentId: item.eventId, since: item.from, until: item.to },
						...{ stations: text(item.stations), polls: text(item.polls) },
						openIncidents: JSON.stringify(item.openIncidents),
					}
				: {
						...{ kind: 'incident', incidentId: item.incidentId, stationId: text(item.stationId) },
						since: item.since,
						...(item.until ? { until: item.until } : {}),
					};
		const key = text(row.incidentId);
		table.set(key, { ...table.get(key), ...row });
	}
}

it('trigger, table and Availability agree with the stand-in, and unwatched time is unknown', async () => {
	const random = randomFrom(20_261_122);
	const chance = (of: number) => random() < of;
	// Starts in the past, so that the period of Availability is over at the end.
	bench.clock.set(-(DAYS + 1) * 24 * HOUR);
	const truth = new Truth();
	const parameters = { event: 'availability', options: { reportWatching: true, outOfServiceValues: ['2'] } };
	const rig = new TriggerRig('memory', parameters, bench.credential());
	const table = new Map<string, IDataObject>();
	const seen: number[] = [];
	const counts = { killed: 0, lostSaves: 0, stopped: 0, failed: 0 };
	const began = bench.clock.now();

	const look = async (act: () => Promise<void>) => {
		const first = bench.platform.requests.length;
		const at = bench.clock.now();
		await act();
		const answers = bench.platform.requests.slice(first).filter(({ path }) => path === '/api/charging-stations/v1');
		if (answers.some(({ status }) => status === 200)) seen.push(at);
	};
	const wait = (ms: number) => {
		// Changes happen at a random time between two polls.
		const first = Math.floor(random() * ms);
		bench.clock.forward(first);
		for (let id = 1; id <= STATIONS; id++) {
			const now = bench.clock.now();
			if (chance(truth.isOffline(id) ? 0.06 : 0.006)) truth.change(id, now, { network: truth.isOffline(id) ? 1 : 2 });
			else if (chance(0.002)) truth.change(id, now, { status: truth.isInService(id) ? 2 : 1 });
		}
		bench.clock.forward(ms - first);
	};

	await look(async () => await rig.activate());
	while (bench.clock.now() - began < DAYS * 24 * HOUR) {
		wait(POLL);
		if (chance(0.006)) {
			counts.killed++;
			rig.loseSaves = chance(0.3);
			if (rig.loseSaves) {
				counts.lostSaves++;
				await look(async () => await rig.tick());
				rig.loseSaves = false;
			}
			wait(chance(0.5) ? MINUTE : 3 * HOUR);
			await look(async () => await rig.restart());
		} else if (chance(0.001)) {
			counts.stopped++;
			wait(5 * HOUR);
			await look(async () => await rig.republish());
		} else if (chance(0.02)) {
			counts.failed++;
			bench.platform.faults.add({ kind: 'status', status: 500, times: Infinity });
			await look(async () => await rig.tick());
			bench.platform.faults.clear();
		} else {
			await look(async () => await rig.tick());
		}
		keep(table, rig.take());
	}
	expect(rig.errors).toEqual([]);
	for (const [name, count] of Object.entries(counts)) expect([name, count > 0]).toEqual([name, true]);

	const rows = [...table.values()];
	const { json, error, hints } = await runNode({
		type: 'chargingStations',
		credential: bench.credential(),
		parameters: { operation: 'availability', period: 'lastDays', days: DAYS - 1 },
		items: rows,
	});
	expect(error).toBeUndefined();
	expect(hints).toEqual([]);
	expect(json).toHaveLength(STATIONS);
	const period = { from: Date.parse(text(json[0]?.from)), to: Date.parse(text(json[0]?.to)) };

	// In a watched span, successful polls follow each other without a long gap.
	const watched = rows
		.filter(({ kind }) => kind === 'watching')
		.map(({ since, until }) => ({ from: Date.parse(text(since)), to: Date.parse(text(until)) }));
	for (const span of watched) {
		const polls = seen.filter((at) => at > span.from - CLOCK_SLACK && at < span.to + CLOCK_SLACK);
		const steps = polls.map((at, index) => at - (polls[index - 1] ?? span.from));
		expect(Math.max(...steps, span.to - (polls.at(-1) ?? 0))).toBeLessThan(LONGEST_GAP + CLOCK_SLACK);
	}
	const within = watched.map((span) => ({ from: Math.max(span.from, period.from), to: Math.min(span.to, period.to) }));
	const inPeriod = within.filter(({ from, to }) => to > from);
	const known = covered(inPeriod, [period]);
	// A kill loses what was not saved: at most an hour, and the time until the next poll.
	const gaps = seen.map((at, index) => at - (seen[index - 1] ?? at)).filter((gap) => gap > LONGEST_GAP);
	const after = Math.max(0, period.to - (seen.at(-1) ?? 0)) + HOUR + POLL;
	const lost = after + gaps.reduce((sum, gap) => sum + gap, 0) + counts.killed * (HOUR + 3 * POLL);
	const unknownMinutes = Number(json[0]?.unknownMinutes);
	expect(unknownMinutes).toBeCloseTo((period.to - period.from - known) / MINUTE, 0);
	expect(unknownMinutes).toBeLessThan((lost + gaps.length * POLL + CLOCK_SLACK) / MINUTE);

	let incidents = 0;
	for (const station of json) {
		// Each outage as successful polls saw it: it starts and ends with the first poll that shows the change.
		const outages = (truth.outages.get(Number(station.stationId)) ?? []).map(({ from, to }) => ({
			from: seen.find((at) => at >= from) ?? Infinity,
			to: seen.find((at) => at >= to) ?? Infinity,
		}));
		const touched = outages.filter((outage) => covered([outage], inPeriod) > 0);
		incidents += touched.length;
		// An end without an event is the time of the poll before, and a lost batch comes again with a later poll.
		const inexact = (truth.quietEnds.get(Number(station.stationId)) ?? 0) * LONGEST_GAP + counts.lostSaves * 2 * POLL;
		const difference = Number(station.downMinutes) - covered(outages, inPeriod) / MINUTE;
		expect(Math.abs(difference)).toBeLessThanOrEqual((inexact + (1 + touched.length) * CLOCK_SLACK) / MINUTE);
		expect(station.basis).toMatch(/^by station, as seen every (?:5|5\.\d) minutes$/);
	}
	expect(incidents).toBeGreaterThan(STATIONS);
}, 3_600_000);
