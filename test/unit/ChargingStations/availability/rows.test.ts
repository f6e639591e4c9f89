import { parseUptimeRows } from '../../../../nodes/ChargingStations/availability/rows';
import type { ReportedInterval, UptimeRows } from '../../../../nodes/ChargingStations/availability/uptimeRows';
import { UptimeCalculator } from '../../../../nodes/ChargingStations/availability/uptime';
import { LongWork } from '../../../../nodes/shared/longWork';
import { ValidationIssues } from '../../../../nodes/shared/dsquery/validationIssues';

const since = '2026-06-01T10:00:00Z';
const until = '2026-06-01T11:00:00Z';
const now = Date.parse('2026-12-31T00:00:00Z') / 1000;
const incident = { kind: 'incident', incidentId: 'a', stationId: 7, since, until };

const closed = { kind: 'closed', stationId: '*', weekdays: 'mon', since: '22:00', until: '06:00' };

const read = async (rows: unknown[], zone = 'UTC', issues = new ValidationIssues(), spellings: string[] = []) =>
	await parseUptimeRows(rows, { zone, now, spellings }, issues, new LongWork());

/** Outages and excluded times, as the rows tell them. */
const told = (rows: UptimeRows, state: ReportedInterval['state'] = 'down') =>
	rows
		.all()
		.flatMap(({ unit, stretches }) =>
			stretches.filter((each) => each.state === state).map((each) => ({ ...unit, ...each })),
		);

async function faultsOf(...rows: unknown[]): Promise<string[]> {
	const issues = new ValidationIssues();
	await read(rows, 'UTC', issues);
	try {
		issues.check();
		return [];
	} catch (error) {
		return String(error instanceof Error ? error.message : error).split('\n');
	}
}

it('blank rows are skipped, also between others and with what a table adds', async () => {
	expect(await faultsOf({})).toEqual([]);
	const blank = { id: 5, createdAt: since, kind: '', incidentId: null, stationId: ' ', since: null, until: undefined };
	expect(told(await read([{}, incident, blank, { ...incident, incidentId: 'b' }]))).toHaveLength(2);
	expect(await faultsOf(blank, { ...incident, since: 'x' })).toEqual([expect.stringMatching(/Row 2 > since/)]);
	expect(await faultsOf({ ...blank, stationId: 7 })).toEqual([expect.stringMatching(/Row 1 > kind/)]);
	expect(await faultsOf({ Id: 5, Name: 'a row of another table' })).toEqual([expect.stringMatching(/Row 1 > kind/)]);
});

it('headings are read in any case, without a byte order mark and blanks around them', async () => {
	const rows = [
		{ '\ufeffkind': 'incident', IncidentID: 'a', 'stationId ': 7, SINCE: since, Until: until },
		{ Event: 'watching', From: since, TO: until, Polls: '4.0', UNREADABLE: '[]' },
		{ Kind: 'closed', StationId: '*', Weekdays: 'mon', Since: '22:00', Until: '06:00', Reason: 'night' },
		{ ...incident, incidentId: 'b', Kind: 'excluded', StationId: 8, Sample: 'no' },
		{ ...incident, incidentId: 'c', SAMPLE: true },
	];
	expect(await faultsOf(...rows)).toEqual([]);
	const table = await read(rows);
	expect(told(table)).toMatchObject([{ station: '7', to: Date.parse(until) / 1000 }]);
	expect(told(table, 'excluded')).toMatchObject([{ station: '8' }]);
	expect(table.watched.get('offline')).toMatchObject({ polls: 4, spans: [{ to: Date.parse(until) / 1000 }] });
	expect(table.of('*')).toMatchObject([{ closed: [{ reason: 'night' }] }]);
});

it('an end that stands for no time is none: the outage goes on', async () => {
	for (const none of ['0001-01-01T00:00:00', '1970-01-01T00:00:00Z', '9999-12-31T23:59:59', '0001-01-01']) {
		const row = { ...incident, until: none };
		expect(await faultsOf(row)).toEqual([]);
		expect(told(await read([row]))).toMatchObject([{ to: now, end: 'seen' }]);
	}
});

describe('dates without a time', () => {
	const spansOf = async (from: string, to: string, zone: string) => {
		const row = { kind: 'excluded', stationId: 7, since: from, until: to };
		return told(await read([row], zone), 'excluded').map((span) =>
			[span.from, span.to].map((at) => new Date(at * 1000).toISOString().slice(0, 16)),
		);
	};

	it.each([
		['one day', '2026-10-05', ' 2026-10-05 ', 'UTC', '2026-10-05T00:00', '2026-10-06T00:00'],
		['a day of 25 hours', '2026-10-25', '2026-10-25', 'Europe/Berlin', '2026-10-24T22:00', '2026-10-25T23:00'],
		['from a time on', '2026-10-05T10:00', '2026-10-05', 'UTC', '2026-10-05T10:00', '2026-10-06T00:00'],
		['up to a time', '2026-10-04', '2026-10-05T00:00', 'UTC', '2026-10-04T00:00', '2026-10-05T00:00'],
	])('begin and end whole days: %s', async (_, from, to, zone, begin, end) => {
		expect(await spansOf(from, to, zone)).toEqual([[begin, end]]);
	});
});

const watching = { kind: 'watching', since, until };
const excluded = { kind: 'excluded', stationId: 7, since, until };
const open = { incidentId: 1, stationId: 7, since };

it.each<[string, unknown, string, RegExp]>([
	['an unknown kind', { ...incident, kind: 'outage' }, 'kind', /"outage".*incident, watching, excluded/],
	['no kind', { ...incident, kind: '' }, 'kind', /nothing is filled in/],
	['no station', { ...incident, stationId: ' ' }, 'stationId', /nothing is filled in/],
	['no beginning', { ...incident, since: null }, 'since', /nothing is filled in/],
	['a time that is none', { ...incident, since: 'yesterday' }, 'since', /"yesterday" is not a date/],
	['a begin that stands for no time', { ...incident, since: '1970-01-01T00:00:00' }, 'since', /stands for no time/],
	['a year cut short', { ...incident, since: '0026-06-01' }, 'since', /is in the year 26/],
	['a year cut short, with a time', { ...incident, since: '0026-06-01T10:00:00' }, 'since', /is in the year 26/],
	['an end in a year cut short', { ...incident, until: '0026-06-01T10:00:00' }, 'until', /is in the year 26/],
	['a begin on a day that stands for no time', { ...incident, since: '0001-01-01' }, 'since', /stands for no time/],
	['an end before the beginning', { ...incident, since: until, until: since }, 'until', /before/],
	['an ID that is an object', { ...incident, incidentId: {} }, 'incidentId', /cannot be an ID/],
	['an open incident without an ID', { ...incident, incidentId: '', until: null }, 'incidentId', /nothing/],
	['a cause that is none', { ...incident, cause: 'a,b' }, 'cause', /"a,b" cannot be a cause/],
	['a match without a cause', { ...incident, event: 'startedMatching' }, 'cause', /option Cause in the trigger/],
	['an outage of every station', { ...incident, stationId: '*' }, 'stationId', /Write a row for each station/],
	['an outage of no charge point', { ...incident, cause: 'ChargePoint' }, 'chargePointId', /in a column, too/],
	['a digest with a bad event', { event: 'digest', events: [{ event: 'offline' }] }, 'events > 1 > incidentId', /./],
	['watching without an end', { ...watching, until: undefined }, 'until', /nothing is filled in/],
	[
		'stations with a separator of thousands',
		{ ...watching, stations: '1,000' },
		'stations',
		/"1,000" is no whole number/,
	],
	['polls with one', { ...watching, polls: '1.000' }, 'polls', /"1\.000" is no whole number/],
	['a station whose Id has one', { ...incident, stationId: '1.000' }, 'stationId', /"1\.000" is not an ID/],
	['a charge point with one', { ...excluded, chargePointId: '1,003' }, 'chargePointId', /"1,003" is not an ID/],
	['open incidents that are no list', { ...watching, openIncidents: '{' }, 'openIncidents', /the JSON text of one/],
	[
		'an open incident of none',
		{ ...watching, openIncidents: [{ ...open, since: undefined }] },
		'openIncidents > 1 > since',
		/./,
	],
	[
		'all as not readable',
		{ ...watching, unreadable: [{ stationId: '*' }] },
		'unreadable > 1 > stationId',
		/every station/,
	],
	['maintenance of no length', { ...excluded, until: since }, 'until', /no time between/],
	[
		'a charge point of every station',
		{ ...excluded, stationId: '*', chargePointId: 1 },
		'stationId',
		/a charge point of one/,
	],
	['closing times of no length', { ...closed, since: '24:00', until: '0:00' }, 'until', /no time between/],
	['closing times that end when they begin', { ...closed, until: '22:00' }, 'until', /no time between.*00:00 to 24:00/],
	['closing times from midnight to midnight', { ...closed, since: '0:00', until: '00:00' }, 'until', /no time between/],
	['closing times without weekdays', { ...closed, weekdays: '' }, 'weekdays', /nothing is filled in.*mon,tue/],
	['a weekday that is none', { ...closed, weekdays: 'mon, Sonntag' }, 'weekdays', /"sonntag" is no weekday/],
	['a time of day as a sheet keeps it', { ...closed, since: 0.9375 }, 'since', /0\.9375 is no time of day/],
	['a time of day as a date', { ...closed, until: '1899-12-30T06:00:00Z' }, 'until', /is no time of day/],
	['a time of day that is none', { ...closed, since: '22:60' }, 'since', /"22:60" is no time of day.*22:00/],
])('refuses a row and says its number: %s', async (_, row, place, message) => {
	const issues = await faultsOf(row);
	expect(issues).toEqual(expect.arrayContaining([expect.stringContaining(`Row 1 > ${place}:`)]));
	expect(issues.join(' ')).toMatch(message);
});

it('accepts weekdays and times of day as people write them', async () => {
	expect(await faultsOf({ ...closed, weekdays: 'Mon, tuesday; SUN', since: '7:05', until: '24:00' })).toEqual([]);
	expect(await faultsOf({ ...closed, weekdays: ['mon', 'fri'], since: '22:00:30' })).toEqual([]);
});

it.each([
	['2026-06-01T10:00:00.999+05:45', '2026-06-01T04:15:00'],
	['2026-02-28T23:30:00-01:00', '2026-03-01T00:30:00'],
	['2026-02-29T10:00:00Z', undefined],
	['2026-06-30T24:00:00Z', '2026-07-01T00:00:00'],
])('reads the time %s as %s, or refuses it', async (written, utc) => {
	const rows = await read([{ kind: 'watching', since: written, until: '2026-12-01T00:00:00Z' }]);
	expect(rows.watched.get('offline')?.spans[0]?.from).toBe(utc && Date.parse(`${utc}Z`) / 1000);
});

describe('rows with one incidentId', () => {
	const hour = (n: number) => `2026-06-01T${String(n).padStart(2, '0')}:00:00Z`;
	const row = (from: number, to?: number, more = {}) => ({
		...incident,
		since: hour(from),
		until: to === undefined ? null : hour(to),
		...more,
	});
	const hoursOf = async (...rows: unknown[]) =>
		told(await read(rows)).map(({ from, to }) => [from, to].map((at) => new Date(at * 1000).getUTCHours()));

	it.each([
		['another station', [row(1, 2), row(1, 2, { stationId: 8 })], /Row 2 > stationId.*Row 1 has the same incidentId/],
		[
			'another charge point',
			[row(1, 2, { chargePointId: 1 }), row(1, 2, { chargePointId: 2 })],
			/Row 2 > chargePointId.*Row 1 has the same incidentId, but another charge point/,
		],
		['another cause', [row(1, 2, { cause: 'a' }), row(1, 2, { cause: 'b' })], /Row 2 > cause.*Row 1 has/],
		['a later span', [row(1, 2), row(5), row(12, 13)], /Row 3 > since.*Row 1 has.*ended before/],
		['spans apart, and one around them', [row(1, 13), row(1, 2), row(12, 13)], /Row 3 > since.*Row 2 has/],
	])('are refused with both numbers: %s', async (_, rows, message) => {
		expect((await faultsOf(...rows)).join(' ')).toMatch(message);
		expect(await faultsOf(...[...rows].reverse())).not.toEqual([]);
	});

	it('are one incident otherwise: the earliest begin, and the later of two ends, in any order', async () => {
		const rows = [row(3, 5), row(2, 4), row(3), row(3, 5, { cause: 'offline' })];
		expect(await faultsOf(...rows)).toEqual([]);
		for (const each of [rows, [...rows].reverse()]) expect(await hoursOf(...each)).toEqual([[2, 5]]);
	});

	it('are also named by watched times: the earliest begin counts, unless the incident has a row of its own', async () => {
		const named = [3, 2].map((from) => ({ ...watching, since: hour(0), until: hour(6), openIncidents: [row(from)] }));
		for (const rows of [named, [...named].reverse()]) {
			expect(await hoursOf(...rows)).toEqual([[2, 6]]);
			expect(await hoursOf(...rows, row(5))).toEqual([[5, 6]]);
		}
	});

	it('are needed only for incidents without an end', async () => {
		const rows = [row(1, 2, { incidentId: '' }), row(5, 6, { incidentId: undefined })];
		expect(await faultsOf(...rows)).toEqual([]);
		expect(await hoursOf(...rows)).toEqual([
			[1, 2],
			[5, 6],
		]);
	});
});

it('a digest counts by its events, and a sample not at all', async () => {
	const event = { event: 'offline', incidentId: 'a', stationId: 7, since };
	const rows = [
		{
			event: 'digest',
			events: [event, { ...event, event: 'backOnline', until }, { ...event, incidentId: 'b', sample: true }],
		},
		{ ...incident, incidentId: 'c', sample: 'true' },
		{ event: 'watching', from: since, to: until, openIncidents: [], sample: true },
	];
	const table = await read(rows);
	expect(told(table)).toMatchObject([{ station: '7', cause: 'offline', to: Date.parse(until) / 1000 }]);
	expect(table.watched.size).toBe(0);
});

it('a cause is one in any case, and offline where none is given', async () => {
	const causes = ['Faulted', 'FAULTED', undefined, 'OffLine', ' faulted '];
	const rows = causes.map((cause, index) => ({ ...incident, incidentId: index, cause }));
	const table = await read(rows, 'UTC', new ValidationIssues(), ['faulted']);
	expect(told(table).map(({ cause }) => cause)).toEqual(['faulted', 'faulted', 'offline', 'offline', 'faulted']);
	expect(table.causes()).toEqual(['faulted', 'offline']);
});

// Quadratic code takes minutes, and Jest ends it.
it('other work has its turn every 20 ms while 50,000 rows become the figures of 1,000 stations', async () => {
	const at = Date.parse(since);
	const iso = (minutes: number) => new Date(at + minutes * 60_000).toISOString();
	const rows = Array.from({ length: 50_000 }, (_, n) => {
		const begin = Math.floor(n / 1000) * 100;
		return { ...incident, stationId: n % 1000, incidentId: n, since: iso(begin), until: iso(begin + 50) };
	});
	let turns = 0;
	const before = process.cpuUsage();
	const others = setInterval(() => turns++, 1);
	const span = { from: at / 1000, to: at / 1000 + 5_000 * 60 };
	const uptime = new UptimeCalculator(await read(rows), span, {
		causes: ['offline'],
		assumeAlwaysWatched: true,
		zone: 'UTC',
	});
	const stations = Array.from({ length: 1000 }, (_, id) => ({ station: String(id) }));
	const figures = await new LongWork().map(stations, (station) => uptime.figuresOf(station));
	clearInterval(others);
	expect(figures.map(({ down }) => down)).toEqual(Array(1000).fill(150_000));
	const { user, system } = process.cpuUsage(before);
	expect((user + system) / 1000 / turns).toBeLessThan(20);
});
