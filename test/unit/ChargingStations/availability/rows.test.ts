import { readRows } from '../../../../nodes/ChargingStations/availability/rows';
import { Uptime } from '../../../../nodes/ChargingStations/availability/uptime';
import { Faults } from '../../../../nodes/shared/dsquery/faults';

const since = '2026-06-01T10:00:00Z';
const until = '2026-06-01T11:00:00Z';
const incident = { kind: 'incident', incidentId: 'a', stationId: 7, since, until };

function faultsOf(...rows: unknown[]): string[] {
	const faults = new Faults();
	readRows(rows, 'UTC', faults);
	try {
		faults.check();
		return [];
	} catch (error) {
		return String(error instanceof Error ? error.message : error).split('\n');
	}
}

it('one item without any field means no rows', () => {
	expect(faultsOf({})).toEqual([]);
	expect(faultsOf({}, incident)).not.toEqual([]);
});

it.each([
	['an unknown kind', { ...incident, kind: 'outage' }, /Row 1 > kind.*"outage".*incident, watching, excluded/],
	['no kind', { ...incident, kind: '' }, /Row 1 > kind.*nothing is filled in/],
	['no station', { ...incident, stationId: ' ' }, /Row 1 > stationId.*nothing is filled in/],
	['no beginning', { ...incident, since: null }, /Row 1 > since.*nothing is filled in/],
	['a time that is none', { ...incident, since: 'yesterday' }, /Row 1 > since.*"yesterday" is not a date/],
	['an end before the beginning', { ...incident, since: until, until: since }, /Row 1 > until.*before/],
	['an ID that is an object', { ...incident, incidentId: {} }, /Row 1 > incidentId.*cannot be an ID/],
	['a long ID', { ...incident, incidentId: 'x'.repeat(501) }, /Row 1 > incidentId/],
	['maintenance without a station', { kind: 'excluded', since, until }, /Row 1 > stationId/],
	['maintenance without an end', { kind: 'excluded', stationId: '*', since }, /Row 1 > until/],
	['watching without an end', { kind: 'watching', since }, /Row 1 > until/],
	[
		'open incidents that are no list',
		{ kind: 'watching', since, until, openIncidents: '{' },
		/Row 1 > openIncidents.*a list, or the JSON text of one/,
	],
	[
		'an open incident without a time',
		{ kind: 'watching', since, until, openIncidents: [{ incidentId: 1, stationId: 7 }] },
		/Row 1 > openIncidents > 1 > since/,
	],
	['no object', 'text', /Row 1 > kind/],
])('refuses a row and says its number: %s', (_, row, message) => {
	expect(faultsOf(row).join(' ')).toMatch(message);
});

it('accepts ids such as __proto__ and constructor like any other', () => {
	const names = ['__proto__', 'constructor', 'toString'];
	const rows = readRows(
		names.map((name) => ({ ...incident, incidentId: name, stationId: name })),
		'UTC',
		new Faults(),
	);
	const at = Date.parse(since) / 1000;
	const uptime = new Uptime(rows, { from: at, to: at + 86_400 }, at + 86_400);
	expect([...names, 'valueOf'].map((name) => uptime.figuresOf(name).down)).toEqual([3600, 3600, 3600, 0]);
	expect(uptime.offlineStations()).toEqual(names);
});

it('figures for 10,000 stations from 60,000 rows take under five seconds', () => {
	const many = 20_000;
	const at = Date.parse(since);
	const iso = (minutes: number) => new Date(at + minutes * 60_000).toISOString();
	const rows = Array.from({ length: many }, (_, n) => {
		const span = { since: iso(n * 3), until: iso(n * 3 + 2) };
		return [
			{ kind: 'incident', incidentId: `i${n}`, stationId: 7, ...span },
			{ kind: 'excluded', stationId: n % 2 ? '*' : 7, since: iso(n * 3 + 1), until: iso(n * 3 + 2) },
			{ kind: 'watching', ...span, openIncidents: [] },
		];
	}).flat();
	const read = readRows(rows, 'UTC', new Faults());
	const end = at / 1000 + many * 3 * 60;
	const uptime = new Uptime(read, { from: at / 1000, to: end }, end);
	const started = performance.now();
	for (let id = 0; id < 10_000; id++) uptime.figuresOf(String(id));
	expect(uptime.figuresOf('7')).toMatchObject({ down: many * 60, excluded: many * 60, unknown: many * 60 });
	expect(performance.now() - started).toBeLessThan(5_000);
});
