import { DateTime } from 'luxon';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { credentialFor, runNode } from '../../support/harness.ts';
import { during } from '../../support/summary.ts';
import { at, SummaryBench, wire, ZONE } from '../../support/summaryBench.ts';

/** Two weeks, with a day of 25 hours. */
const [FROM, TO] = ['2026-10-19T00:00:00', '2026-11-02T00:00:00'];

const bench = new SummaryBench();

const DURATION = { function: 'duration', endField: 'EndedAtUtc' };
const USE = { function: 'use', endField: 'EndedAtUtc', chargePointField: 'Note' };
const ENERGY = { function: 'energyUse', powerField: 'Price', chargePointField: 'Note' };

const summarize = async (measure: INodeParameters, parameters: INodeParameters = {}) =>
	await bench.summarize(measure, during(FROM, TO), parameters);

const messages = ({ hints }: { hints: Array<{ message: string }> }) => hints.map(({ message }) => message);
const HOUR = 3600;
const noon = at('2026-10-21T12:00:00');
const HOURS = 14 * 24 + 1;

describe('Duration', () => {
	it('adds up hours, and counts apart what has no end', async () => {
		bench.store([
			{ start: noon, end: noon + HOUR },
			{ start: noon, end: noon + 2.5 * HOUR },
			{ start: noon, end: null },
			{ start: noon, end: '0001-01-01T00:00:00' },
			{ start: noon, end: noon - 1 },
			{ start: noon, end: 'soon' },
		]);
		const run = await summarize(DURATION);
		expect(run.json[0]).toMatchObject({
			...{ count: 6, duration: 3.5, durationAverage: 1.75, durationLongest: 2.5, durationWithoutEnd: 2 },
		});
		expect(messages(run)).toEqual([
			'2 sessions have something other than a time that is not before the start in EndedAtUtc. The figures of that field leave it out.',
		]);
	});

	it('of no session is nothing', async () => {
		const { json } = await summarize(DURATION);
		expect(json[0]).toMatchObject({ duration: 0, durationAverage: null, durationLongest: null, durationWithoutEnd: 0 });
	});
});

describe('Use', () => {
	it('counts the hours of a charge point once, and cuts them at the edges of the period and of days', async () => {
		const midnight = at('2026-10-22T00:00:00');
		bench.store([
			{ start: at(FROM) - 30 * HOUR, end: at(FROM) + HOUR },
			{ start: at(FROM) - 9 * 24 * HOUR, end: at(TO) },
			{ start: midnight - 2 * HOUR, end: midnight + HOUR },
			{ start: midnight - HOUR, end: midnight + 2 * HOUR },
			{ start: at(TO) - HOUR, end: null },
			{ start: at(TO) - HOUR, end: at(TO) + 40 * HOUR, point: 'B' },
			{ start: at(TO) + HOUR, end: at(TO) + 2 * HOUR, point: 'C' },
		]);
		const run = await summarize(USE, { groupBy: ['day'] });
		expect(run.json[0]).toMatchObject({
			...{ count: 4, useHours: 7, useHoursPossible: 2 * HOURS, useWithoutEnd: 1 },
			use: expect.closeTo((100 * 7) / (2 * HOURS), 1) as number,
		});
		const days = run.json[0]?.byDay as IDataObject[];
		expect(days).toHaveLength(14);
		expect(days.filter(({ useHours }) => useHours !== 0).map((day) => [day.day, day.count, day.useHours])).toEqual([
			['2026-10-19', 0, 1],
			['2026-10-21', 2, 2],
			['2026-10-22', 0, 2],
			['2026-11-01', 2, 2],
		]);
		expect(days.find(({ day }) => day === '2026-10-25')).toMatchObject({ use: 0, useHoursPossible: 50 });
		expect(messages(run)).toEqual([
			'Use is in percent of what the charge points seen could have (2). Those without any of the sessions are not among them: set Number of Charge Points.',
			'Use takes one of the sessions without an end to be still going on.',
		]);
	});

	it('finds sessions that began as many days before as are asked for', async () => {
		bench.store([{ start: at(FROM) - 9 * 24 * HOUR, end: at(FROM) + HOUR }]);
		expect((await summarize({ ...USE, daysBefore: 10 })).json[0]).toMatchObject({ count: 0, useHours: 1 });
		expect((await summarize(USE)).json[0]).toMatchObject({ count: 0, use: null });
		bench.platform.reset();
		await summarize({ ...USE, daysBefore: 0 });
		const asked = bench.platform.requests.map(({ query }) => query ?? '');
		expect(
			asked.filter((query) => query.includes(wire(at(FROM) - 1).slice(0, 10)) && !query.includes(wire(at(FROM)))),
		).toEqual([]);
	});

	it('a period that is not over counts up to now', async () => {
		const now = Math.floor(Date.now() / 1000);
		bench.store([{ start: now - HOUR, end: null }]);
		const ends = [-3, 3].map((hours) => DateTime.fromSeconds(now + hours * HOUR, { zone: ZONE }).toISO() ?? '');
		const { json } = await summarize(USE, { filters: during(ends[0] ?? '', ends[1] ?? '') });
		expect(json[0]?.use).toBeCloseTo(100 / 3, 0);
		expect(json[0]?.useHoursPossible).toBeCloseTo(3, 1);
	});

	it('divides stations by the charge points that are stated, and says what is above 100 %', async () => {
		const always = { start: at(FROM), end: at(TO) };
		bench.store([
			...['A', 'B', 'C'].map((point) => ({ ...always, point })),
			{ ...always, point: 'D', station: 'Harbour' },
			{ ...always, point: null, station: 'Harbour' },
		]);
		const run = await summarize(
			{ ...USE, chargePoints: 2 },
			{ groupBy: ['field'], groupByField: 'StationName', result: 'itemPerGroup' },
		);
		expect(run.json.map((item) => [item.StationName, item.use, item.useHoursPossible])).toEqual([
			['Depot', 150, 2 * HOURS],
			['Harbour', 50, 2 * HOURS],
		]);
		expect(messages(run)).toEqual([
			'Use: more charge points were seen together (3) than Number of Charge Points says (2).',
			'Use leaves out one of the sessions without Note.',
			'Use is above 100 % in some groups (1), up to 150 %. There are more charge points than stated: check Number of Charge Points.',
		]);
		const total = await summarize({ ...USE, chargePoints: 2 }, { groupBy: ['field'], groupByField: 'StationName' });
		expect(total.json[0]).toMatchObject({ use: 100, useHoursPossible: 4 * HOURS });
	});

	it('of an end that no session has is empty, not 100 %', async () => {
		bench.store([{ start: noon, end: noon + HOUR }]);
		const run = await summarize({ ...USE, endField: 'EndedAt' });
		expect(run.json[0]).toMatchObject({ count: 1, use: null, useHours: null });
		expect(messages(run)[0]).toMatch(/^None of the sessions has a field EndedAt, so its figures are empty\./);
	});

	it('is compared with the period before', async () => {
		bench.store([
			{ start: at(FROM) - 2 * HOUR, end: at(FROM) + HOUR },
			{ start: noon, end: noon + HOUR },
		]);
		const run = await summarize(USE, { compareWith: 'previousPeriod' });
		expect(run.json[0]).toMatchObject({ useHours: 2, previous: { useHours: 2 } });
		expect(messages(run).filter((message) => message.startsWith('Earlier period: Use is in percent'))).toHaveLength(1);
	});

	it.each<[string, INodeParameters, INodeParameters, RegExp]>([
		['hours', USE, { groupBy: ['hour'] }, /^Group By: Use cannot be grouped by hour or weekday/],
		['weekdays', ENERGY, { groupBy: ['weekday'] }, /^Group By: Energy Use cannot be grouped by hour or weekday/],
		['no period', USE, { filters: {} }, /^Filters: Use needs one period on Started At/],
		['no end', { ...USE, endField: '' }, {}, /^Measures: measure 1: End Field Name or ID: nothing is chosen/],
		[
			'no charge point',
			{ ...USE, chargePointField: '' },
			{},
			/measure 1: Charge Point Field Name or ID: nothing is chosen/,
		],
		['no power', { ...ENERGY, powerField: '' }, {}, /measure 1: Power Field Name or ID: nothing is chosen/],
		[
			'stated charge points of two fields',
			{ ...USE, chargePoints: 2 },
			{ groupBy: ['field'], groupByField: 'StationName', groupByField2: 'Currency' },
			/^Second Field Name or ID: Charge Points of Use is the number for each value of one field/,
		],
	])('refuses %s before anything is sent', async (_, measure, parameters, message) => {
		const { error } = await summarize(measure, parameters);
		expect(error?.message).toMatch(message);
		expect(bench.platform.requests).toHaveLength(0);
	});
});

describe('Energy Use', () => {
	it('is in percent of what the highest power of each charge point could give', async () => {
		bench.store([
			{ start: noon, end: null, energy: 100.5, power: 11 },
			{ start: noon, end: null, energy: null, power: 22 },
			{ start: noon, end: null, energy: 9.5, point: 'B', power: 10 },
			{ start: noon, end: null, energy: 50, point: 'C', power: null },
			{ start: at(FROM) - HOUR, end: null, energy: 1_000 },
		]);
		const run = await summarize(ENERGY);
		expect(run.json[0]).toMatchObject({
			...{ count: 4, energyUseEnergy: 110, energyUseEnergyPossible: 32 * HOURS },
			energyUse: expect.closeTo(11_000 / (32 * HOURS), 1) as number,
		});
		expect(messages(run)).toEqual([
			'Energy Use is in percent of what the charge points seen could have (2). Those without any of the sessions are not among them: set Number of Charge Points.',
			'Energy Use leaves out one of the sessions of charge points without Price.',
			'Energy Use: charge points with different values of Price (1) count with the highest.',
		]);
		const stated = await summarize({ ...ENERGY, chargePoints: 4 });
		expect(stated.json[0]).toMatchObject({ energyUseEnergyPossible: 64 * HOURS });
	});

	it('says what is above 100 %', async () => {
		bench.store([{ start: noon, end: null, energy: 24, power: 0.5 }]);
		const run = await summarize(ENERGY, { groupBy: ['day'] });
		expect(messages(run)).toContain(
			'Energy Use is above 100 % in some groups (1), up to 200 %. The power is too low for this energy: check Price, and Number of Charge Points if it is set.',
		);
	});
});

it('Charging Network List has them, too', async () => {
	bench.store([{ start: noon, end: noon + HOUR, energy: 5 }]);
	const values = [DURATION, USE, { ...ENERGY, field: 'EnergyConsumed' }];
	const run = await summarize(DURATION, {
		list: { __rl: true, mode: 'path', value: '/api/charging-sessions/v1' },
		measures: { values },
	});
	const parameters = {
		...{ operation: 'summary', list: { __rl: true, mode: 'path', value: '/api/charging-sessions/v1' } },
		filters: {
			other: [{ field: 'StartedAtUtc|date', dateOperator: 'GteLt', fromDate: FROM, toDate: TO }],
		},
		...{ measures: { values }, groupBy: [], groupByDateField: 'StartedAtUtc' },
	};
	const options = { credential: credentialFor(bench.platform), timezone: ZONE };
	const list = await runNode({ ...options, type: 'chargingNetworkList', parameters });
	expect(list.error).toBeUndefined();
	expect(list.json[0]).toMatchObject({ duration: 1, useHours: 1, useHoursPossible: HOURS, energyUseEnergy: 5 });
	expect(run.json[0]).toMatchObject({ duration: 1, useHours: 1, useHoursPossible: HOURS, energyUseEnergy: 5 });
	const undated = await runNode({
		...options,
		type: 'chargingNetworkList',
		parameters: { ...parameters, groupByDateField: '' },
	});
	expect(undated.error?.message).toMatch(/^Date Field Name or ID: nothing is chosen/);
});
