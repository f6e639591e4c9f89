import type { INodeParameters } from 'n8n-workflow';

import { list, ROWS_TRIGGER, SESSION_LIST, smallerEnergy } from '../../support/rowsTrigger/support.ts';
import { FINISHED, SESSION_TRIGGER, SessionBench } from '../../support/sessionTrigger/support.ts';
import { statusFilter } from '../../support/stationTrigger/support.ts';
import { TriggerRig, type TriggerName } from '../../support/trigger/rig.ts';

/** Polls that report nothing: which of them make an execution, so that what they saw is saved. */
const bench = new SessionBench({ stations: 6 });

const offline = () => bench.set({ NetworkStatus: 2 }, 3);
const online = () => bench.set({ NetworkStatus: 1 }, 3);
const another = () => bench.add(7, 'New one');
const lessThanHalf = { filters: { energyConsumed: [{ operator: 'Lt', value: '0.5' }] } };
const sessionStarts = () => bench.start(2, { energy: 20 });
const sessionEnds = () => bench.become(FINISHED, 1);
const STATION: TriggerName = 'chargingStationStatusTrigger';
const only = (change: string) => ({ event: 'availability', availabilityChanges: [change] });

interface Case {
	what: string;
	type: TriggerName;
	parameters: INodeParameters;
	/** What happens before the trigger goes live. */
	before?: () => void;
	happen: () => void;
	/** How many executions without items it makes. */
	makes: number;
}

const CASES: Case[] = [
	{ what: 'a begin where only ends are reported', type: STATION, parameters: only('back'), happen: offline, makes: 1 },
	{
		what: 'an end that the first poll found',
		type: STATION,
		parameters: only('offline'),
		before: offline,
		happen: online,
		makes: 1,
	},
	{ what: 'an outage that is counted', type: STATION, parameters: { event: 'unstable' }, happen: offline, makes: 1 },
	{ what: 'a new station', type: STATION, parameters: { event: 'availability' }, happen: another, makes: 0 },
	{
		...{ what: 'a new station where those that go are reported', type: STATION, happen: another, makes: 1 },
		parameters: { event: 'availability', options: { stationChanges: ['removed'] } },
	},
	{
		...{ what: 'a new station whose status is watched', type: STATION, happen: another, makes: 1 },
		parameters: { event: 'statusChange' },
	},
	{
		...{ what: 'a status that is not chosen', type: STATION, happen: offline, makes: 1 },
		parameters: { event: 'statusChange', toValues: ['NetworkStatus=3'] },
	},
	{
		...{ what: 'an outage shorter than Alert Only After', type: STATION, happen: offline, makes: 0 },
		parameters: { event: 'availability', minutesInState: 10 },
	},
	{
		...{ what: 'a station that the filter leaves out', type: STATION, happen: offline, makes: 0 },
		parameters: { event: 'availability', filters: statusFilter('status', '2') },
	},
	{
		...{ what: 'a new session that the filter leaves out', type: SESSION_TRIGGER, happen: sessionStarts, makes: 1 },
		parameters: { events: ['started'], ...lessThanHalf },
	},
	{
		...{ what: 'an end that the filter leaves out', type: SESSION_TRIGGER, happen: sessionEnds, makes: 1 },
		parameters: { events: ['ended'], ...lessThanHalf },
	},
	{
		...{ what: 'an end that is not chosen', type: SESSION_TRIGGER, happen: sessionEnds, makes: 0 },
		parameters: { events: ['failed'] },
	},
	{
		...{ what: 'a new session where ends are reported', type: SESSION_TRIGGER, happen: sessionStarts, makes: 0 },
		parameters: { events: ['ended'] },
	},
	{
		...{ what: 'a new row that the filter leaves out', type: ROWS_TRIGGER, happen: sessionStarts, makes: 0 },
		parameters: { event: 'newRow', ...list(SESSION_LIST), filters: smallerEnergy(0.5) },
	},
	{
		...{ what: 'a new row where changes are reported', type: ROWS_TRIGGER, happen: sessionStarts, makes: 1 },
		parameters: { event: 'changedRow', ...list(SESSION_LIST) },
	},
	{
		...{ what: 'a new row where those that go are reported', type: ROWS_TRIGGER, happen: sessionStarts, makes: 1 },
		parameters: { event: 'goneRow', ...list(SESSION_LIST) },
	},
];

it.each(CASES)('$what: $makes', async ({ type, parameters, before, happen, makes }) => {
	bench.start(1, { energy: 20 });
	before?.();
	const rig = new TriggerRig('memory', parameters, bench.credential(), {}, type);
	await rig.activate();
	await bench.minutes(rig, 2);
	const { length } = rig.batches;
	happen();
	await bench.minutes(rig, 3);
	expect(rig.batches.slice(length)).toEqual(Array(makes).fill([]));
	expect(rig.errors).toEqual([]);
});
