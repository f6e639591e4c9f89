import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { OUT_OF_ORDER, points, setPoints } from '../../support/chargePointTrigger/support.ts';
import { list } from '../../support/rowsTrigger/support.ts';
import { SessionBench } from '../../support/sessionTrigger/support.ts';
import { testManually, type TriggerName } from '../../support/trigger/rig.ts';

/** One digest for each value of a field, in every trigger. */
const bench = new SessionBench({ stations: 6 });
const STATION_LIST = '/api/charging-stations/v1';
const DEPOTS = [1, 2, 3];
const site = (name: string | null, ...ids: number[]) => bench.set({ LocationName: name }, ...ids);

beforeEach(() => {
	site('Depot North', ...DEPOTS);
	site(null, 4);
	site('Harbour <!here>', 5, 6);
});

const rigOf = async (type: TriggerName, parameters: INodeParameters) =>
	await bench.live({ output: 'digest', ...parameters }, type);

const inShort = (items: readonly IDataObject[], id: string) =>
	items.map(({ digestField, digestValue, events }) => [
		digestField,
		digestValue,
		(events as Array<Record<string, string>>).map((event) => event[id]).join(),
	]);

it.each<[TriggerName, INodeParameters, () => void, string]>([
	[
		'chargingStationStatusTrigger',
		{ event: 'availability' },
		() => bench.set({ NetworkStatus: 2 }, 1, 2, 3, 4, 5),
		'stationId',
	],
	[
		'chargePointTrigger',
		OUT_OF_ORDER,
		() => [1, 2, 3, 4, 5].forEach((id) => setPoints(bench, id, points(id, 3))),
		'stationId',
	],
	[
		'chargingNetworkRowsTrigger',
		{ ...list(STATION_LIST), event: 'changedRow', watchedFields: ['Status'] },
		() => bench.set({ Status: 2 }, 1, 2, 3, 4, 5),
		'rowId',
	],
	[
		'chargingNetworkRowsTrigger',
		{ ...list(STATION_LIST), event: 'goneRow' },
		() => bench.remove(1, 2, 3, 4, 5),
		'rowId',
	],
])('%s %j: one message for each site, and one for what has none', async (type, parameters, happen, id) => {
	for (const station of [1, 2, 3, 4, 5, 6]) setPoints(bench, station, points(station, 1));
	const rig = await rigOf(type, { ...parameters, digestField: 'LocationName' });
	happen();
	await bench.minutes(rig, 3);
	expect(inShort(rig.items, id)).toEqual([
		['LocationName', 'Depot North', '1,2,3'],
		['LocationName', null, '4'],
		['LocationName', 'Harbour <!here>', '5'],
	]);
	const [north, none, harbour] = rig.items;
	const events = north?.events as Array<{ text: string }>;
	expect(north?.text).toBe(['LocationName Depot North:', ...events.map(({ text }) => text)].join('\n'));
	expect(none?.text).toMatch(/^Without LocationName:\n\S/);
	expect(harbour?.text).toMatch(/^LocationName Harbour ‹!here›:\n\S/);
	expect(north).toMatchObject({ event: 'digest', eventCount: 3 });
	expect(new Set(rig.items.map(({ eventId }) => eventId)).size).toBe(3);
});

it('sessions, by a code', async () => {
	const rig = await rigOf('chargingSessionTrigger', { events: ['started'], digestField: 'status' });
	bench.start(11, { status: 1 });
	bench.start(12, { status: 2 });
	bench.start(13, { status: 1 });
	await bench.minutes(rig, 1);
	expect(inShort(rig.items, 'sessionId')).toEqual([
		['status', 1, '11,13'],
		['status', 2, '12'],
	]);
	expect(rig.items[0]?.text).toMatch(/^status 1:\nSession 11 .*\nSession 13 /);
});

it('a field inside an object, of what a manual test shows', async () => {
	bench.set({ Firmware: '{"Model":"A"}' }, 1, 3);
	bench.set({ Firmware: '{"Model":"B"}' }, 2);
	const parameters = { event: 'availability', output: 'digest', digestField: 'Firmware.Model' };
	bench.set({ NetworkStatus: 2 }, 1, 2, 3);
	const options = { fetchDetail: true, reportWatching: true };
	const items = (await testManually({ ...parameters, options }, bench.credential())) ?? [];
	expect(inShort(items, 'event')).toEqual([
		['Firmware.Model', 'A', 'offline,offline'],
		['Firmware.Model', 'B', 'offline'],
		['Firmware.Model', null, 'watching'],
	]);
});
