import range from 'lodash/range.js';
import type { IDataObject } from 'n8n-workflow';

import { CHARGE_POINT_TRIGGER, ChargePointBench, OUT_OF_ORDER } from '../../support/chargePointTrigger/support.ts';
import { randomFrom } from '../../support/draws.ts';
import { runNode } from '../../support/harness.ts';
import { HOUR } from '../../support/sessionTrigger/support.ts';
import { MINUTE, text } from '../../support/stationTrigger/support.ts';
import { TriggerRig } from '../../support/trigger/rig.ts';

const DAYS = 9;
const STATIONS = range(1, 7);
const POLL = 5 * MINUTE;
/** Half of the stations in each poll: each is looked at every ten minutes. */
const LOOK = 2 * POLL;
/** Polls further apart leave a gap, as docs/uptime.md says. */
const LONGEST_GAP = 15 * MINUTE;
/** The test clock keeps running during a poll. */
const CLOCK_SLACK = 10_000;

const bench = new ChargePointBench({ stations: STATIONS.length });
const pointsOf = (station: number) => [1, 2, 3].map((place) => station * 10 + place);

/** Milliseconds since 1970. */
interface Span {
	from: number;
	to: number;
}

function common(spans: readonly Span[], by: readonly Span[]): Span[] {
	return spans
		.flatMap((span) => by.map((other) => ({ from: Math.max(span.from, other.from), to: Math.min(span.to, other.to) })))
		.filter(({ from, to }) => to > from);
}

/** How much of some spans others cover. */
function covered(spans: readonly Span[], by: readonly Span[]): number {
	return common(spans, by).reduce((sum, { from, to }) => sum + to - from, 0);
}

/** What really happened to a station or charge point. */
class Thing {
	readonly outages: Span[] = [];

	get isDown(): boolean {
		return this.outages.at(-1)?.to === Infinity;
	}

	/** Fails, or is repaired. */
	toggle(now: number): void {
		const last = this.outages.at(-1);
		if (last && this.isDown) last.to = now;
		else this.outages.push({ from: now, to: Infinity });
	}
}

/** Keeps what the example workflow keeps: one row for each incident and each watched span. */
function keep(table: Map<string, IDataObject>, items: readonly IDataObject[]): void {
	for (const { event, cause, chargePointId, ...item } of items) {
		const row =
			event === 'watching'
				? {
						kind: 'watching',
						cause,
						incidentId: item.eventId,
						since: item.from,
						until: item.to,
						stations: text(item.stations),
						polls: text(item.polls),
						openIncidents: JSON.stringify(item.openIncidents),
					}
				: {
						kind: 'incident',
						cause,
						incidentId: item.incidentId,
						stationId: text(item.stationId),
						...(chargePointId !== undefined && { chargePointId }),
						since: item.since,
						...(item.until && { until: item.until }),
					};
		const key = text(row.incidentId);
		table.set(key, { ...table.get(key), ...row } as IDataObject);
	}
}

/** When rows of the table say that somebody watched for a cause, within a period. */
function watchedIn(rows: readonly IDataObject[], cause: string, period: Span): Span[] {
	const spans = rows
		.filter((row) => row.kind === 'watching' && row.cause === cause)
		.map(({ since, until }) => ({ from: Date.parse(text(since)), to: Date.parse(text(until)) }));
	return common(spans, [period]);
}

it('two triggers, their table and Availability agree with the stand-in, and unwatched time is unknown', async () => {
	const random = randomFrom(20_261_127);
	const chance = (of: number) => random() < of;
	// Starts in the past, so that the period of Availability is over at the end, and always at midnight UTC, so that the
	// pauses, drawn with one seed, are always at the same hours.
	bench.clock.set(-(DAYS + 1) * 24 * HOUR - (bench.clock.now() % (24 * HOUR)));
	const things = new Map(STATIONS.flatMap((id) => [id, ...pointsOf(id)]).map((id) => [id, new Thing()]));
	const thing = (id: unknown) => things.get(Number(id)) ?? new Thing();
	const offline = { event: 'availability', options: { reportWatching: true } };
	const broken = { ...OUT_OF_ORDER, options: { reportWatching: true, mostStations: STATIONS.length / 2 } };
	const rigs = [
		new TriggerRig('memory', offline, bench.credential()),
		new TriggerRig('memory', broken, bench.credential(), {}, CHARGE_POINT_TRIGGER),
	];
	const table = new Map<string, IDataObject>();
	const pauses: Span[] = [];
	const counts = { killed: 0, lostSaves: 0, stopped: 0, failed: 0 };

	const each = async (act: (rig: TriggerRig) => Promise<void>) => {
		for (const rig of rigs) await act(rig);
	};
	/** Lets time pass. What happens then, happens at a random time. */
	const wait = (ms: number) => {
		const first = Math.floor(random() * ms);
		bench.clock.forward(first);
		const now = bench.clock.now();
		for (const each of things.values()) if (chance(each.isDown ? 0.06 : 0.005)) each.toggle(now);
		for (const id of STATIONS) {
			bench.set({ NetworkStatus: thing(id).isDown ? 2 : 1 }, id);
			bench.points(id, ...pointsOf(id).map((point) => (thing(point).isDown ? 3 : 1)));
		}
		bench.clock.forward(ms - first);
	};
	const pause = (ms: number) => {
		const from = bench.clock.now();
		wait(ms);
		if (ms > LONGEST_GAP) pauses.push({ from, to: bench.clock.now() });
	};

	const began = bench.clock.now();
	await each(async (rig) => await rig.activate());
	while (bench.clock.now() - began < DAYS * 24 * HOUR) {
		wait(POLL);
		if (chance(0.006)) {
			counts.killed++;
			if (chance(0.5)) {
				counts.lostSaves++;
				await each(async (rig) => await rig.unsaved(() => rig.tick()));
			}
			pause(chance(0.5) ? MINUTE : 3 * HOUR);
			await each(async (rig) => await rig.restart());
		} else if (chance(0.003)) {
			counts.stopped++;
			pause(5 * HOUR);
			await each(async (rig) => await rig.republish());
		} else if (chance(0.01)) {
			counts.failed++;
			bench.platform.faults.add({ kind: 'status', status: 500, times: Infinity });
			await each(async (rig) => await rig.tick());
			bench.platform.faults.clear();
		} else {
			await each(async (rig) => await rig.tick());
		}
		bench.platform.requests.length = 0;
		for (const rig of rigs) keep(table, rig.take());
	}
	expect(rigs.flatMap(({ errors }) => errors)).toEqual([]);
	expect(Object.entries(counts).filter(([, count]) => count === 0)).toEqual([]);

	const rows = [...table.values()];
	const { json, error, hints } = await runNode({
		type: 'chargingStations',
		credential: bench.credential(),
		parameters: { operation: 'availability', result: 'chargePoints', period: 'lastDays', days: DAYS - 1 },
		items: rows,
	});
	// One that ended while n8n was killed before it had saved that it began. It lasted for a poll, as far as it was watched.
	const others = hints.filter(({ message }) => !message.startsWith('Incidents of unknown length'));
	expect([error, others]).toEqual([undefined, []]);
	expect(json.map(({ chargePointId }) => Number(chargePointId))).toEqual(STATIONS.flatMap(pointsOf));

	const period = { from: Date.parse(text(json[0]?.from)), to: Date.parse(text(json[0]?.to)) };
	const watched = common(watchedIn(rows, 'offline', period), watchedIn(rows, 'chargePoint', period));
	const known = covered(watched, [period]);
	const unknown = period.to - period.from - known;
	// A kill loses what was not saved, at most an hour, and some polls; so may a pause and the end.
	const lost = covered(pauses, [period]) + (pauses.length + counts.killed + 1) * (HOUR + 3 * LOOK);
	expect(unknown).toBeLessThan(lost + counts.failed * 3 * LOOK);
	expect(covered(watched, pauses)).toBeLessThan(pauses.length * CLOCK_SLACK);

	const touching = ({ outages }: Thing) => outages.filter((outage) => covered([outage], watched) > 0).length;
	/** An outage is seen by the look after it, and one of a batch that was lost by a later one. */
	const slackOf = (of: Thing, look: number) => touching(of) * (look + CLOCK_SLACK) + counts.lostSaves * 2 * look;
	const expectMinutes = (minutes: unknown, ms: number, slack: number) =>
		expect(Math.abs(Number(minutes) - ms / MINUTE)).toBeLessThanOrEqual((slack + CLOCK_SLACK) / MINUTE);
	for (const { stationId, chargePointId, downMinutes, downMinutesByCause, unknownMinutes, basis } of json) {
		const [station, point] = [thing(stationId), thing(chargePointId)];
		const both = covered(common(station.outages, point.outages), watched);
		const [byStation, byPoint] = [covered(station.outages, watched), covered(point.outages, watched)];
		const [stationSlack, slack] = [slackOf(station, POLL), slackOf(point, LOOK)];
		const causes = downMinutesByCause as Record<string, number>;
		expectMinutes(downMinutes, byStation + byPoint - both, stationSlack + slack);
		expectMinutes(causes.offline, byStation, stationSlack);
		expectMinutes(causes.chargePoint, byPoint, slack);
		expectMinutes(unknownMinutes, unknown, 0);
		expect(basis).toMatch(
			/^by charge point, as seen: offline every 5(\.\d)? minutes; chargePoint every 1\d(\.\d)? minutes$/,
		);
	}
	const seen = [...things.values()].reduce((sum, each) => sum + touching(each), 0);
	expect(seen).toBeGreaterThan(things.size);
}, 3_600_000);
