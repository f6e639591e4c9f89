/**
 * The sentences of triggers, where every text of the platform is hostile: Ids, names, statuses and fields. Sessions have
 * none in theirs: their Ids are numbers.
 */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { list, ROWS_TRIGGER } from '../../support/rowsTrigger/support.ts';
import { SessionBench } from '../../support/sessionTrigger/support.ts';
import { OddPlatform } from '../../support/trigger/oddPlatform.ts';
import { TriggerRig, type TriggerName } from '../../support/trigger/rig.ts';

const bench = new SessionBench();
const odd = new OddPlatform();

const hostile = '<@U123>\n<!here>';
const named = { Id: hostile, Name: hostile };
const station = (status: number | string, point: number | string) => ({
	...named,
	NetworkStatus: status,
	Status: status,
	HardwareStatus: status,
	EVSEs: [{ Id: hostile, Status: point }],
});

it.each<[TriggerName, INodeParameters, IDataObject[], IDataObject[]]>([
	['chargingStationStatusTrigger', { event: 'availability' }, [station(1, 1)], [station(hostile, 1)]],
	['chargingStationStatusTrigger', { event: 'statusChange' }, [station(`${hostile}1`, 1)], [station(hostile, 1)]],
	[
		'chargePointTrigger',
		{ event: 'statusChange', statusField: 'Status' },
		[station(1, `${hostile}1`)],
		[station(1, hostile)],
	],
	[
		ROWS_TRIGGER,
		{ ...list('/api/audit-trail/v1'), event: 'changedRow' },
		[{ ...named, [hostile]: `${hostile}1` }],
		[{ ...named, [hostile]: hostile }],
	],
])('%s, %j: no sentence mentions, links or begins a line', async (type, parameters, before, after) => {
	const rig = new TriggerRig('memory', parameters, odd.credential, {}, type);
	odd.rows = before;
	await rig.activate();
	await bench.minutes(rig, 2);
	odd.rows = after;
	await bench.minutes(rig, 4);
	const texts = rig.items.map(({ text }) => text as string);
	expect([rig.errors, texts.length > 0]).toEqual([[], true]);
	for (const text of texts) {
		expect(text).toContain('‹@U123›');
		expect(text).not.toMatch(/[<>\p{Cc}]/u);
	}
});
