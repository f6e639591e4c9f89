import type { INodeParameters } from 'n8n-workflow';

import { OUT_OF_ORDER } from '../../support/chargePointTrigger/support.ts';
import { TIME_OF_DAY } from '../../support/clock.ts';
import { list, ROWS_TRIGGER, SESSION_LIST, smallerEnergy } from '../../support/rowsTrigger/support.ts';
import { EXPIRED, FINISHED, SESSION_TRIGGER, SessionBench } from '../../support/sessionTrigger/support.ts';
import { MINUTE, short } from '../../support/stationTrigger/support.ts';
import { ENGINES, type TriggerName } from '../../support/trigger/rig.ts';

/** Polls that report nothing: which of them make an execution, so that what they saw is saved. */
const bench = new SessionBench({ stations: 6 });
const STATION = 'chargingStationStatusTrigger';

const live = async (type: TriggerName, parameters: INodeParameters, engine = ENGINES[0]) =>
	await bench.live(parameters, type, engine);

describe('an execution without items', () => {
	const offline = () => bench.set({ NetworkStatus: 2 }, 3);
	const online = () => bench.set({ NetworkStatus: 1 }, 3);
	const another = () => bench.add(7, 'New one');
	const started = () => bench.start(2, { energy: 20 });
	const ended = () => bench.become(FINISHED, 1);
	const only = (change: string) => ({ event: 'availability', availabilityChanges: [change] });
	const stationChanges = { event: 'availability', options: { stationChanges: ['removed'] } };
	const lessThanHalf = { filters: { energyConsumed: [{ operator: 'Lt', value: '0.5' }] } };
	const newRows = { event: 'newRow', ...list(SESSION_LIST), filters: smallerEnergy(0.5) };

	type Case = [what: string, type: TriggerName, parameters: INodeParameters, happen: () => void, before?: () => void];

	const MADE: Case[] = [
		['a begin where only ends are reported', STATION, only('back'), offline],
		['an end that the first poll found', STATION, only('offline'), online, offline],
		['an outage that is counted', STATION, { event: 'unstable' }, offline],
		['a new station where those that go are reported', STATION, stationChanges, another],
		['a new station whose status is watched', STATION, { event: 'statusChange' }, another],
		['a status that is not chosen', STATION, { event: 'statusChange', toValues: ['NetworkStatus=3'] }, offline],
		['a session that the filter leaves out', SESSION_TRIGGER, { events: ['started'], ...lessThanHalf }, started],
		['an end that the filter leaves out', SESSION_TRIGGER, { events: ['ended'], ...lessThanHalf }, ended],
	];
	const NOT_MADE: Case[] = [
		['what is shorter than Alert Only After', STATION, { event: 'availability', minutesInState: 10 }, offline],
		['an end that is not chosen', SESSION_TRIGGER, { events: ['failed'] }, ended],
		['a new session where ends are reported', SESSION_TRIGGER, { events: ['ended'] }, started],
		['a new row that the filter leaves out', ROWS_TRIGGER, newRows, started],
	];

	async function executionsOf([, type, parameters, happen, before]: Case): Promise<unknown[][]> {
		bench.start(1, { energy: 20 });
		before?.();
		const rig = await live(type, parameters);
		await bench.minutes(rig, 2);
		const { length } = rig.batches;
		happen();
		await bench.minutes(rig, 3);
		expect(rig.errors).toEqual([]);
		return rig.batches.slice(length);
	}

	it.each(MADE)('is made for %s', async (...made) => expect(await executionsOf(made)).toEqual([[]]));
	it.each(NOT_MADE)('is not made for %s', async (...made) => expect(await executionsOf(made)).toEqual([]));
});

/** A day on which there is nothing to tell. Sessions come and go as on any other day. */
describe('a quiet day has two executions at most', () => {
	const [memory, scheduler, cursors] = ENGINES;
	const stationChanges = { event: 'availability', options: { stationChanges: ['added', 'removed'] } };
	const sessionEvents = { events: ['failed', 'stalled', 'resumed', 'runningLong'], stalledMinutes: 600 };
	const others = { other: [{ field: 'Status|number', numberOperator: 'Eq', value: '6' }] };

	it.each<[typeof memory, TriggerName, INodeParameters]>([
		[memory, STATION, stationChanges],
		[scheduler, 'chargePointTrigger', { ...OUT_OF_ORDER, options: { reportWatching: false } }],
		[cursors, SESSION_TRIGGER, { ...sessionEvents, options: { otherEndStatuses: [String(EXPIRED)] } }],
		[memory, ROWS_TRIGGER, { ...list(SESSION_LIST), filters: others }],
		[scheduler, ROWS_TRIGGER, { ...list('/api/charging-stations/v1'), event: 'changedRow' }],
	])('engine %s, %s, %j', async (engine, type, parameters) => {
		const rig = await live(type, parameters, engine);
		const { length: atFirst } = rig.batches;
		for (let poll = 1; poll <= 72; poll++) {
			bench.start(poll);
			bench.energy(poll, poll);
			if (poll > 5) bench.become(poll % 7 === 0 ? EXPIRED : FINISHED, poll - 5);
			await bench.polls(rig, 1, 20 * MINUTE);
		}
		expect([rig.items, rig.errors]).toEqual([[], []]);
		expect(rig.batches.length - atFirst).toBeLessThanOrEqual(2);
	});
});

it('polls that take longer than n8n allows say so, and what they found is reported once one is in time', async () => {
	const rig = await live(STATION, { event: 'availability', options: { fetchDetail: false } });
	await bench.minutes(rig, 1);
	rig.budgetMs = 2_000;
	bench.slow(2_100);
	bench.set({ NetworkStatus: 2 }, 2);
	await bench.minutes(rig, 1);
	expect(rig.logs).toEqual([
		'A poll took longer than the 2 seconds that n8n allows, so what it found about charging stations is left to the next one. Narrow the filter, so that there is less to read and to compare, or run n8n on a faster machine.',
	]);
	expect(rig.errors).toEqual([]);
	await bench.minutes(rig, 35);
	expect(rig.errors.map(({ message }) => message)).toEqual([
		expect.stringMatching(new RegExp(`^The charging stations could not be read since ${TIME_OF_DAY}$`)),
	]);
	bench.platform.faults.clear();
	await bench.minutes(rig, 1);
	expect(short(rig.items)).toEqual(['offline 2']);
});
