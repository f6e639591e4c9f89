import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';

import { evaluate, fieldOf, nodeOf } from '../support/expression';

// What the examples for a dashboard and for a status page make of their tables.

const ZONE = 'Europe/Berlin';
/** A quarter past two in summer; the 30 days before hold no change of clocks. */
const NOW = DateTime.fromISO('2026-07-20T14:15:00', { zone: ZONE });
const HOSTILE = `<script>alert("1")</script> & 'x'\n\\`;

const iso = (time: DateTime) => time.toUTC().toISO({ suppressMilliseconds: true });
const ago = (duration: Parameters<DateTime['minus']>[0], now = NOW) => iso(now.minus(duration));

describe('status-page.json', () => {
	interface Station {
		name: string;
		bars: string;
		state: string;
		detail: string;
		badDays: number;
	}
	interface PageData extends IDataObject {
		sentence: string;
		stations: Station[] & IDataObject[];
	}
	const watching = (
		from: DateTime,
		to: DateTime,
		openIncidents: IDataObject[] = [],
		cause = 'offline',
	): IDataObject => ({
		...{ kind: 'watching', cause, since: iso(from), until: iso(to), openIncidents: JSON.stringify(openIncidents) },
	});
	/** All 30 days, up to an hour ago. */
	const WATCHED = watching(NOW.minus({ days: 31 }), NOW.minus({ hours: 1 }));
	const outage = (since: string | null, until?: string | null, more: IDataObject = {}): IDataObject => ({
		...{ kind: 'incident', incidentId: since, stationId: '1', since, until: until ?? null, cause: 'offline', ...more },
	});
	const page = (
		rows: IDataObject[],
		{
			now = NOW,
			names = [
				['1', 'One'],
				['2', 'Two'],
			],
			causes = 'offline',
		} = {},
	) =>
		evaluate(nodeOf('status-page.json', 'Page Data').parameters.jsonOutput, {
			now,
			nodes: {
				'Your Settings': [{ title: 'Stations', causes }],
				'Kept Names': [{ text: JSON.stringify(names) }],
				Incidents: rows,
			},
		}) as PageData;
	const bars = (data: PageData, station = 'One') =>
		[...(data.stations.find(({ name }) => name === station)?.bars ?? '').matchAll(/<i(?: class="(\w)")?/g)].map(
			([, kind = 'u']) => kind,
		);
	const allGreen = 'u'.repeat(30);

	it('shows a station without an outage as online, with 30 green bars', () => {
		const data = page([WATCHED]);
		expect(data.sentence).toBe('All 2 stations are online.');
		expect(data.stations.map(({ name, state }) => [name, state])).toEqual([
			['One', 'Online'],
			['Two', 'Online'],
		]);
		expect(bars(data).join('')).toBe(allGreen);
	});

	it('colours the day of an outage by its length, and those at its edges', () => {
		const long = outage(ago({ days: 3, hours: 15 }), ago({ days: 3, hours: 13 }));
		const data = page([WATCHED, outage(ago({ days: 10 }), ago({ days: 10, minutes: -20 })), long]);
		// From 23:15 to 01:15: 45 minutes of one day, 75 of the next.
		expect(bars(data).join('')).toBe(`${'u'.repeat(19)}suuuuusduuu`.slice(0, 30));
		expect(data.stations.find(({ name }) => name === 'One')?.badDays).toBe(3);
		expect(data.stations[0]?.bars).toContain('title="16 Jul: down 45 min"');
	});

	it('puts open outages first, the longest first, then charge points', () => {
		const names = ['1', '2', '3', '4'].map((id) => [id, `Station ${id}`]);
		const data = page(
			[
				WATCHED,
				outage(ago({ minutes: 12 }), null, { stationId: '4' }),
				outage(ago({ hours: 3 }), null, { stationId: '3', cause: 'chargePoint', chargePointId: '31' }),
				outage(ago({ minutes: 50 }), null, { stationId: '2' }),
			],
			{ names },
		);
		expect(data.sentence).toBe('2 of 4 stations are down, 1 has a charge point out of order.');
		expect(data.stations.map(({ name, state, detail }) => [name, state, detail])).toEqual([
			['Station 2', 'Offline', 'since 20 Jul 13:25, 50 min'],
			['Station 4', 'Offline', 'since 20 Jul 14:03, 12 min'],
			['Station 3', 'A charge point is out of order', 'since 20 Jul 11:15, 3 h'],
			['Station 1', 'Online', ''],
		]);
	});

	it('an outage without an end is open only as long as what was watched names it', () => {
		const begun = ago({ days: 2 });
		const named = watching(NOW.minus({ days: 31 }), NOW.minus({ days: 1 }), [{ incidentId: begun }]);
		const later = (open: IDataObject[]) => watching(NOW.minus({ days: 1 }), NOW.minus({ minutes: 20 }), open);
		expect(page([outage(begun), named, later([{ incidentId: begun }])]).stations[0]?.state).toBe('Offline');
		const ended = page([outage(begun), named, later([])]);
		expect(ended.stations[0]?.state).toBe('Online');
		expect(bars(ended).join('')).toBe(`${'u'.repeat(27)}ddu`);
	});

	it('a time that nobody watched is grey, and old news is said to be old', () => {
		const data = page([watching(NOW.minus({ days: 20 }), NOW.minus({ hours: 5 }))]);
		expect(data.sentence).toBe('Nobody has watched since 20 Jul 09:15: what is below may have changed.');
		expect(data.stations[0]?.state).toBe('Not known');
		expect(bars(data).join('')).toBe(`${'n'.repeat(10)}${'u'.repeat(20)}`);
		expect(bars(page([])).join('')).toBe('n'.repeat(30));
	});

	it('needs every cause to have been watched, and counts each that is asked for', () => {
		const fault = outage(ago({ hours: 2 }), null, { cause: 'faulted' });
		expect(page([WATCHED, fault]).stations[0]?.state).toBe('Online');
		const both = { causes: 'offline, faulted' };
		expect(page([WATCHED], both).stations[0]?.state).toBe('Not known');
		const open = [{ incidentId: fault.incidentId }];
		const faults = watching(NOW.minus({ days: 31 }), NOW.minus({ minutes: 5 }), open, 'faulted');
		expect(page([WATCHED, faults, fault], both).stations[0]?.state).toBe('faulted');
	});

	it('leaves maintenance out', () => {
		const excluded = { kind: 'excluded', stationId: '*', since: ago({ days: 4 }), until: ago({ days: 3 }) };
		const data = page([WATCHED, outage(ago({ days: 3, hours: 20 }), ago({ days: 3, hours: 2 })), excluded]);
		expect(bars(data).join('')).toBe(allGreen);
	});

	it('has 30 bars of local days when clocks change', () => {
		const now = DateTime.fromISO('2026-11-05T00:30:00', { zone: ZONE });
		const at = DateTime.fromISO('2026-10-25T23:30:00', { zone: ZONE });
		const data = page([watching(now.minus({ days: 31 }), now), outage(iso(at), iso(at.plus({ minutes: 20 })))], {
			now,
		});
		expect(bars(data).join('')).toBe(`${'u'.repeat(18)}s${'u'.repeat(11)}`);
	});

	it('without names of stations, says what to do', () => {
		expect(page([WATCHED], { names: [] }).sentence).toContain('run the workflow once');
	});

	it('no name, cause or title gets markup into the page', () => {
		const rows = [
			watching(NOW.minus({ days: 31 }), NOW.minus({ hours: 1.5 }), [], HOSTILE),
			outage(ago({ hours: 1 }), null, { cause: HOSTILE }),
		];
		const data = page(rows, { names: [['1', HOSTILE]], causes: HOSTILE });
		expect(data.stations[0]?.detail).toContain('1 h');
		const { html } = nodeOf('status-page.json', 'Page').parameters;
		const text = String(evaluate(html, { now: NOW, input: [data] }));
		expect(text).toContain('&#60;script&#62;alert');
		expect(text).not.toContain('<script');
		expect(text).not.toMatch(/"1"|'x'/);
	});
});

describe('figures-for-prometheus.json', () => {
	const figures = (stations: IDataObject[], byStatus: IDataObject[] = []) =>
		String(
			evaluate(fieldOf('figures-for-prometheus.json', 'Figures', 'text'), {
				now: NOW,
				nodes: { 'All Stations': stations, 'Sessions Today': [{ byStatus }] },
			}),
		);

	/** Reads the text format 0.0.4 as its specification has it, and refuses everything else. */
	function parse(text: string): Array<{ name: string; labels: Record<string, string>; value: number }> {
		if (!text.endsWith('\n')) throw new Error('The last line has no end.');
		const types = new Map<string, string>();
		const seen = new Set<string>();
		return text
			.slice(0, -1)
			.split('\n')
			.flatMap((line) => {
				const [, keyword, about = '', rest = ''] = /^# (HELP|TYPE) ([a-zA-Z_:][\w:]*) (.+)$/.exec(line) ?? [];
				if (keyword === 'TYPE') {
					if (types.has(about)) throw new Error(`Two types of ${about}`);
					types.set(about, rest);
				}
				if (keyword) return [];
				const label = '[a-zA-Z_]\\w*="(?:[^"\\\\\\n]|\\\\["\\\\n])*"';
				const sample = new RegExp(`^([a-zA-Z_:][\\w:]*)(?:\\{(${label}(?:,${label})*)\\})? (NaN|-?\\d+(?:\\.\\d+)?)$`);
				const [, name, labels = '', value] = sample.exec(line) ?? [];
				if (name === undefined) throw new Error(`No sample: ${line}`);
				if (types.get(name) !== 'gauge') throw new Error(`${name} has no type before it`);
				if (seen.has(`${name}{${labels}}`)) throw new Error(`Twice: ${line}`);
				seen.add(`${name}{${labels}}`);
				const read = (escaped: string) =>
					escaped.replace(/\\(["\\n])/g, (_, sign: string) => (sign === 'n' ? '\n' : sign));
				const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key = '', of = '']) => [
					key,
					read(of),
				]);
				return [{ name, labels: Object.fromEntries(pairs) as Record<string, string>, value: Number(value) }];
			});
	}

	it('are in the text format, with names as they are', () => {
		const samples = parse(
			figures(
				[
					{ Id: 1, Name: HOSTILE, NetworkStatus: 1 },
					{ Id: 2, Name: 'Two', NetworkStatus: 3 },
					{ Id: 3, Name: null, NetworkStatus: null },
				],
				[{ status: 4, StatusName: 'Finished', count: 12, energyConsumed: 40.25 }],
			),
		);
		expect(samples).toEqual([
			{ name: 'charging_station_online', labels: { station: '1', name: HOSTILE }, value: 1 },
			{ name: 'charging_station_online', labels: { station: '2', name: 'Two' }, value: 0 },
			{ name: 'charging_station_online', labels: { station: '3', name: '' }, value: NaN },
			{ name: 'charging_sessions_today', labels: { status: '4', name: 'Finished' }, value: 12 },
			{ name: 'charging_energy_today', labels: { status: '4', name: 'Finished' }, value: 40.25 },
			{ name: 'charging_figures_updated_timestamp_seconds', labels: {}, value: NOW.toSeconds() },
		]);
	});

	it('hold only the time where there is no station and no session', () => {
		expect(parse(figures([{}])).map(({ name }) => name)).toEqual(['charging_figures_updated_timestamp_seconds']);
	});
});
