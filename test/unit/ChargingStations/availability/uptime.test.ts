import { FORMULAS, uptimePercent } from '../../../../nodes/ChargingStations/availability/formulas';
import { readRows } from '../../../../nodes/ChargingStations/availability/rows';
import { Uptime } from '../../../../nodes/ChargingStations/availability/uptime';
import { LongWork } from '../../../../nodes/shared/longWork';
import { Faults } from '../../../../nodes/shared/dsquery/faults';

const MINUTE = 60;

describe('the worked example in docs/uptime.md', () => {
	const day = (clock: string) => `2026-06-01T${clock}:00Z`;
	const at = (time: string) => Date.parse(time) / 1000;
	const rows = [
		{ kind: 'incident', incidentId: 'a', stationId: 7, since: '2026-05-31T23:30:00Z', until: day('01:00') },
		{ kind: 'incident', incidentId: 'b', stationId: 7, since: day('10:00'), until: day('13:00') },
		{ kind: 'incident', incidentId: 'c', stationId: 7, since: day('20:30'), until: null },
		{ kind: 'excluded', stationId: 7, since: day('12:00'), until: day('14:00') },
		{ kind: 'watching', since: '2026-05-31T00:00:00Z', until: day('16:00'), openIncidents: [] },
		{
			kind: 'watching',
			since: day('18:00'),
			until: day('21:00'),
			openIncidents: [{ incidentId: 'c', stationId: 7, since: day('20:30') }],
		},
		{ kind: 'watching', since: day('21:00'), until: '2026-06-02T00:00:00Z', openIncidents: '[]' },
	];
	const faultRows = rows
		.filter(({ kind }) => kind === 'watching')
		.map((row) => ({ ...row, cause: 'faulted', openIncidents: [] }));
	const withFault = [
		...rows,
		...faultRows,
		{ kind: 'incident', stationId: 7, cause: 'faulted', since: day('09:00'), until: day('11:00') },
		{ kind: 'closed', stationId: 7, weekdays: 'mon', since: '08:00', until: '09:30' },
	];
	const uptimeOf = async (table: unknown[], ...causes: string[]) =>
		new Uptime(
			await readRows(table, { zone: 'UTC', now: at('2026-06-02T03:00:00Z') }, new Faults(), new LongWork()),
			{ from: at(day('00:00')), to: at('2026-06-02T00:00:00Z') },
			{ causes, assumeAlwaysWatched: false, zone: 'UTC' },
		);
	const seven = async (table: unknown[], ...causes: string[]) =>
		(await uptimeOf(table, ...causes)).figuresOf({ station: '7' });
	const eight = async (table: unknown[], ...causes: string[]) =>
		(await uptimeOf(table, ...causes)).figuresOf({ station: '8' });

	it('has the minutes of the table', async () => {
		const { outages, ...figures } = await seven(withFault, 'offline', 'faulted');
		expect(figures).toEqual({
			up: 870 * MINUTE,
			down: 240 * MINUTE,
			downByCause: { offline: 210 * MINUTE, faulted: 90 * MINUTE },
			excluded: 210 * MINUTE,
			unknown: 120 * MINUTE,
			incidentsOfUnknownLength: 0,
		});
		expect(outages.map(({ down, excluded }) => [down / MINUTE, excluded / MINUTE])).toEqual([
			[60, 0],
			[150, 90],
			[30, 0],
		]);
	});

	it('has the percentages of the table, by every formula', async () => {
		const percent: Record<string, number | null> = {};
		for (const formula of FORMULAS) {
			percent[formula.value] = uptimePercent(formula, [await seven(withFault, 'offline', 'faulted')]);
			const ofFault = await seven(withFault, 'faulted');
			if (formula.value === 'unknownUp') percent.withoutOffline = uptimePercent(formula, [ofFault]);
		}
		expect(percent).toEqual({
			share: 78.3783,
			unknownUp: 80.4878,
			minutesOfYear: 99.9543,
			withoutOffline: 92.6829,
		});
		const both = [await seven(withFault, 'offline', 'faulted'), await eight(withFault, 'offline', 'faulted')];
		expect(uptimePercent(FORMULAS[0], both)).toBe(90.1234);
	});

	it('has the minutes and percentages by charge point', async () => {
		const table = [
			{ kind: 'watching', since: day('00:00'), until: '2026-06-02T00:00:00Z', openIncidents: [] },
			{ kind: 'watching', cause: 'chargePoint', since: day('00:00'), until: '2026-06-02T00:00:00Z' },
			{ kind: 'incident', stationId: 7, since: day('10:00'), until: day('13:00') },
			{
				...{ kind: 'incident', cause: 'chargePoint', stationId: 7, chargePointId: 72 },
				...{ since: day('12:00'), until: day('14:00') },
			},
			{ kind: 'excluded', stationId: 7, chargePointId: 71, since: day('09:00'), until: day('11:00') },
		];
		const ofBoth = await uptimeOf(table, 'offline', 'chargePoint');
		const shown: unknown[] = [];
		for (const unit of [{ chargePoint: '71' }, { chargePoint: '72' }, {}]) {
			const figures = ofBoth.figuresOf({ station: '7', ...unit });
			shown.push([figures.down / MINUTE, figures.excluded / MINUTE, uptimePercent(FORMULAS[0], [figures])]);
		}
		expect(shown).toEqual([
			[120, 120, 90.909],
			[240, 0, 83.3333],
			[180, 0, 87.5],
		]);
	});

	it('a station without an incident counts in full', async () => {
		const [one, other] = [await seven(rows, 'offline'), await eight(rows, 'offline')];
		expect(uptimePercent(FORMULAS[0], [other])).toBe(100);
		expect(uptimePercent(FORMULAS[0], [one, other])).toBe(91.6666);
	});

	it('closing times follow the clocks, also where they are changed in the night', async () => {
		const closed = { kind: 'closed', stationId: '*', weekdays: 'sat', since: '22:00', until: '02:30' };
		const rows = await readRows([closed], { zone: 'Europe/Berlin', now: 0 }, new Faults(), new LongWork());
		const hoursOf = (from: string, to: string) => {
			const counting = { causes: ['offline'], assumeAlwaysWatched: true, zone: 'Europe/Berlin' };
			return new Uptime(rows, { from: at(from), to: at(to) }, counting).figuresOf({ station: '7' }).excluded / 3600;
		};
		expect(hoursOf('2026-06-06T00:00:00Z', '2026-06-08T00:00:00Z')).toBe(4.5);
		// Clocks skip 02:30, so it ends at the first instant after it; in October it ends where they show it first.
		expect(hoursOf('2026-03-28T00:00:00Z', '2026-03-30T00:00:00Z')).toBe(4);
		expect(hoursOf('2026-10-24T00:00:00Z', '2026-10-26T00:00:00Z')).toBe(4.5);
		expect(hoursOf('2026-06-06T21:00:00Z', '2026-06-08T00:00:00Z')).toBe(3.5);
	});
});
