import { SENTENCES as CHARGE_POINT_SENTENCES } from '../../../../nodes/ChargePointTrigger/events';
import { pointText } from '../../../../nodes/ChargePointTrigger/items';
import type { StationEvent } from '../../../../nodes/ChargingStationStatusTrigger/state/types';
import { stationText } from '../../../../nodes/ChargingStationStatusTrigger/items';
import { SENTENCES as STATION_SENTENCES } from '../../../../nodes/ChargingStationStatusTrigger/events';
import { shown } from '../../../../nodes/shared/trigger/text';

it.each([
	['Zürich Market Square 003 & Co.', 'Zürich Market Square 003 & Co.'],
	['<!channel>', '‹!channel›'],
	['<https://evil.example|Log in>', '‹https://evil.example|Log in›'],
	['one\r\ntwo\u2028three\tfour\u0000five', 'one two three four five'],
	['safe\u202Eelif', 'safe elif'],
	['😀'.repeat(101), `${'😀'.repeat(99)}…`],
	['😀'.repeat(100), '😀'.repeat(100)],
	['\n\u0007', '?'],
	[7, '7'],
])('%j is shown as %j', (value, text) => {
	expect(shown(value)).toBe(text);
});

it('a name of 15 MB costs what 100 characters cost', () => {
	expect(shown(`${'\n'.repeat(15_000_000)}x`)).toBe('?');
	expect(shown('y'.repeat(15_000_000))).toHaveLength(100);
});

const hostile = '<@U123>\n<!here>';
const isSafe = (text: string) => !/[<>\p{Cc}]/u.test(text);
const times = { since: 0, until: 60_000, detectedAt: 120_000, incidentId: null, id: '' };

it.each(Object.keys(CHARGE_POINT_SENTENCES))('charge point, %s', (name) => {
	const event = { ...times, name, station: `=${hostile}`, point: `=${hostile}`, from: hostile, to: hostile };
	const texts = [event, { ...event, from: null }, { ...event, to: null }].map((each) =>
		pointText(each, hostile, 'utc'),
	);
	expect(texts.filter((text) => !isSafe(text))).toEqual([]);
	expect(texts[0]).toContain('‹@U123›');
});

it.each(Object.keys(STATION_SENTENCES))('station, %s', (name) => {
	const event: StationEvent = {
		...{ ...times, name, station: `=${hostile}`, dimension: 'Status' },
		...{ from: hostile, to: hostile },
	};
	const texts = [event, { ...event, from: null }, { ...event, to: null }, { ...event, until: null }].map((each) =>
		stationText(each, hostile, 'utc'),
	);
	expect(texts.filter((text) => !isSafe(text))).toEqual([]);
	expect(texts[0]).toContain('‹@U123›');
});
