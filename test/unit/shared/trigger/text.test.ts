import { SENTENCES as CHARGE_POINT_SENTENCES } from '../../../../nodes/ChargePointTrigger/events';
import { pointText } from '../../../../nodes/ChargePointTrigger/items';
import { stationText } from '../../../../nodes/ChargingStationStatusTrigger/items';
import { SENTENCES as STATION_SENTENCES } from '../../../../nodes/ChargingStationStatusTrigger/events';
import { rowText } from '../../../../nodes/ChargingNetworkRowsTrigger/items';
import { ROW_EVENTS } from '../../../../nodes/ChargingNetworkRowsTrigger/parameters';
import { SESSION_EVENTS } from '../../../../nodes/ChargingSessionTrigger/events';
import { sessionText } from '../../../../nodes/ChargingSessionTrigger/items';
import { networkList } from '../../../../nodes/shared/list/networkList';
import { digestText, shown } from '../../../../nodes/shared/trigger/text';

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
	const event: Parameters<typeof stationText>[0] = {
		...{ ...times, name, station: `=${hostile}`, dimension: 'Status' },
		...{ from: hostile, to: hostile },
	};
	const texts = [event, { ...event, from: null }, { ...event, to: null }, { ...event, until: null }].map((each) =>
		stationText(each, hostile, 'utc'),
	);
	expect(texts.filter((text) => !isSafe(text))).toEqual([]);
	expect(texts[0]).toContain('‹@U123›');
});

it.each(Object.keys(SESSION_EVENTS))('session, %s', (name) => {
	const event = { name, session: `=${hostile}`, detectedAt: 120_000, durationSeconds: 1_800, id: '' };
	const texts = [event, { ...event, durationSeconds: null }].map((each) => sessionText(each, hostile, 0, 'utc'));
	expect(texts.filter((text) => !isSafe(text))).toEqual([]);
	expect(texts[0]).toContain('Session ‹@U123› ‹!here› (started 00:00)');
});

const ROW_CHOICES = Object.keys(ROW_EVENTS) as Array<keyof typeof ROW_EVENTS>;

it.each(ROW_CHOICES)('row, %s', (event) => {
	const change = { before: { [hostile]: hostile }, now: { [hostile]: null } };
	const about = { key: `=${hostile}`, row: { Id: hostile, Name: hostile }, change };
	const text = rowText({ event, list: networkList('/api/audit-trail/v1') }, about);
	expect(isSafe(text)).toBe(true);
	expect(text).toContain('Row ‹@U123› ‹!here› of audit-trail (‹@U123› ‹!here›)');
});

it('of many changed fields, the first three are named', () => {
	const before = { Price: 0.45, Currency: null, Name: 'AC', Note: '', Valid: true };
	const now = { Price: 0.49, Currency: 'EUR', Name: 'DC', Note: 'x', Valid: false };
	const row = { Id: 7, ...now };
	const settings = { event: 'changedRow' as const, list: networkList('/api/tariffs/v1') };
	expect(rowText(settings, { key: '7', row, change: { before, now } })).toBe(
		'Row 7 of tariffs (DC) has changed: Price from 0.45 to 0.49, Currency from no value to EUR, Name from AC to DC and 2 more.',
	);
});

describe('the text of a digest', () => {
	const lines = (count: number, length = 1) =>
		Array.from({ length: count }, (_, index) => `${index}`.padEnd(length, 'x'));

	it('is all lines of up to 20', () => {
		expect(digestText(lines(20)).split('\n')).toEqual(lines(20));
	});

	it('is the first 20 of more, and how many more there are', () => {
		expect(digestText(lines(1_220)).split('\n')).toEqual([...lines(20), 'and 1,200 more']);
	});

	it.each([
		[19, 100],
		[20, 100],
		[35, 80],
		[35, 100],
		[5_000, 450],
	])('of %d lines with %d characters has at most 1,900, and leaves no line out in silence', (count, length) => {
		const text = digestText(lines(count, length));
		const shownLines = text.split('\n').filter((line) => !line.startsWith('and '));
		const more = Number(/^and ([\d,]+) more$/m.exec(text)?.[1]?.replace(',', '') ?? 0);
		expect(text.length).toBeLessThanOrEqual(1_900);
		expect(shownLines.every((line) => line.length === length)).toBe(true);
		expect(shownLines.length + more).toBe(count);
		expect(shownLines.length).toBeGreaterThanOrEqual(Math.min(count, 20, Math.floor(1_880 / (length + 1))));
	});

	it('of the longest names and values there can be has at most 1,900 characters', () => {
		const long = 'y'.repeat(1_000);
		const fields = Object.fromEntries(['a', 'b', 'c', 'd'].map((letter) => [`${letter}${long}`, long]));
		const settings = { event: 'changedRow' as const, list: networkList(`/api/${'z'.repeat(190)}/v1`) };
		const row = rowText(settings, { key: long, row: { Id: 1, Name: long }, change: { before: fields, now: fields } });
		const event = { ...times, name: 'statusChanged', station: long, dimension: 'HardwareStatus' as const, from: long };
		const station = stationText({ ...event, to: long }, long, 'utc');
		const point = pointText({ ...event, point: long, to: long }, long, 'utc');
		for (const line of [row, station, point]) {
			const text = digestText(Array.from({ length: 1_000 }, () => line));
			expect(text.length).toBeLessThanOrEqual(1_900);
			expect(text.split('\n').length).toBeGreaterThan(1);
		}
	});
});
