import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { during } from '../../support/summary.ts';
import { at, SummaryBench, type TestSession } from '../../support/summaryBench.ts';
import { ACTIVE, FAILED, FINISHED } from '../../support/sessionTrigger/support.ts';
import { expected, figuresOf, VISITS, type Ending } from '../../support/visits.ts';

/** Three weeks, with a day of 25 hours in the middle. */
const [FROM, TO] = ['2026-10-12T00:00:00', '2026-11-02T00:00:00'];

const bench = new SummaryBench();

const summarize = async (parameters: INodeParameters = {}) =>
	await bench.summarize(VISITS, during(FROM, TO), parameters);

describe('Visit Success', () => {
	const ten = at('2026-10-20T10:00:00');
	const failed = (minutes: number): TestSession => ({ start: ten + 60 * minutes, status: FAILED });

	it.each<[string, TestSession[], Partial<Record<Ending, number>>, number]>([
		[
			'three tries in ten minutes, then a charge: one visit',
			[failed(0), failed(4), failed(9), { start: ten + 60 * 12, status: FINISHED }],
			{ AfterTrouble: 1 },
			0,
		],
		['each try within the minutes of the one before', [failed(0), failed(10), failed(20)], { Failed: 1 }, 0],
		['a second too late is another visit', [failed(0), { start: ten + 601, status: FAILED }], { Failed: 2 }, 0],
		[
			'a success ends the visit',
			[{ start: ten, status: FINISHED }, failed(1), { start: ten + 120, status: FINISHED }],
			{ FirstTry: 1, AfterTrouble: 1 },
			0,
		],
		['still charging after a failure', [failed(0), { start: ten + 60, status: ACTIVE }], { Undecided: 1 }, 0],
		['an unknown code before a failure', [{ start: ten - 60, status: 99 }, failed(0)], { Undecided: 1 }, 0],
		[
			'another driver, or another place, is another visit',
			[failed(0), { ...failed(1), driver: 'Bob' }, { ...failed(2), station: 'Harbour' }],
			{ Failed: 3 },
			0,
		],
		[
			'without a driver or a place each is a visit of its own',
			[{ ...failed(0), driver: null }, { ...failed(1), driver: null }, { ...failed(2), station: '' }, failed(3)],
			{ Failed: 4 },
			3,
		],
	])('%s', async (_, sessions, counts, unassigned) => {
		bench.store([...sessions].reverse());
		const { json, error } = await summarize();
		expect(error).toBeUndefined();
		expect(figuresOf(json[0])).toEqual(expected(counts, unassigned));
	});

	it('a visit belongs to the period and the day of its first session, and rows beside the period are in nothing else', async () => {
		const [from, midnight, to] = [at(FROM), at('2026-10-21T00:00:00'), at(TO)];
		bench.store([
			// Begins before the period: not a visit of it, though two of its sessions are.
			...[-300, 60, 240].map((seconds) => ({ start: from + seconds, status: FAILED })),
			// Begins before midnight, and succeeds on the next day.
			...[-120, 200].map((seconds) => ({ start: midnight + seconds, status: seconds < 0 ? FAILED : FINISHED })),
			// Goes on behind the period for half an hour.
			...[-60, 500, 1_000, 1_500].map((seconds) => ({ start: to + seconds, status: FAILED })),
			{ start: to + 2_000, status: FINISHED },
			// Another visit, outside.
			{ start: to + 2_100, status: FAILED },
		]);
		const { json } = await summarize({
			groupBy: ['day'],
			measures: { values: [VISITS, { field: 'EnergyConsumed' }, { field: 'EnergyConsumed', function: 'max' }] },
		});
		expect(json[0]).toMatchObject({ count: 5, energyConsumed: 5 });
		expect(figuresOf(json[0])).toEqual(expected({ AfterTrouble: 2 }));
		const days = (json[0]?.byDay as IDataObject[]).filter(({ count }) => count !== 0);
		expect(days.map((day) => [day.day, day.count, figuresOf(day)])).toEqual([
			['2026-10-12', 2, expected({})],
			['2026-10-20', 1, expected({ AfterTrouble: 1 })],
			['2026-10-21', 1, expected({})],
			['2026-11-01', 1, expected({ AfterTrouble: 1 })],
		]);
	});

	it('a visit that goes on for more than a day behind the period is cut there, and a note says so', async () => {
		bench.store(Array.from({ length: 200 }, (_, index) => ({ start: at(TO) - 60 + index * 500, status: FAILED })));
		const { json, hints } = await summarize();
		expect(figuresOf(json[0])).toEqual(expected({ Failed: 1 }));
		expect(hints.map(({ message }) => message)).toEqual([
			'Some visits still go on a day after the period. They are cut there.',
		]);
	});

	it('is compared with the period before, each with its own edges', async () => {
		const [from, to] = [at('2026-11-02T00:00:00'), at('2026-11-09T00:00:00')];
		bench.store([
			{ start: from - 60, status: FAILED },
			{ start: from + 60, status: FINISHED },
			{ start: to - 60, status: FINISHED },
		]);
		const { json } = await summarize({
			filters: during('2026-11-02T00:00:00', '2026-11-09T00:00:00'),
			compareWith: 'previousPeriod',
		});
		expect(figuresOf(json[0])).toEqual(expected({ FirstTry: 1 }));
		expect(figuresOf(json[0]?.previous as IDataObject)).toEqual(expected({ AfterTrouble: 1 }));
		expect(json[0]?.difference).toMatchObject({ visitSuccess: 0, visitSuccessAfterTrouble: -1 });
		expect(json[0]?.differencePercent).not.toHaveProperty('visitSuccess');
	});

	it.each<[string, INodeParameters, string[]]>([
		[
			'a field in which the sessions of a visit differ',
			{ energyConsumed: [{ operator: 'Gt', value: 0 }] },
			['EnergyConsumed'],
		],
		[
			'several, however deep',
			{
				json: [
					{
						json: '{"Logic":"Or","Filters":[{"Field":"currency","Operator":"Eq","Value":"EUR"},{"Field":"Id","Operator":"Gt","Value":"0"}]}',
					},
				],
			},
			['currency', 'Id'],
		],
		[
			'driver and place',
			{
				other: [
					{ field: 'username|text', textOperator: 'Eq', value: 'Ada' },
					{ field: 'StationName|text', textOperator: 'Eq', value: 'Depot' },
				],
			},
			[],
		],
	])('a filter on %s gets a note if it may cut visits', async (_, conditions, fields) => {
		bench.store([
			{ ...failed(0), energy: 0 },
			{ start: ten + 60, status: FINISHED },
		]);
		const { json, hints, error } = await summarize({ filters: { ...during(FROM, TO), ...conditions } });
		expect(error).toBeUndefined();
		expect(json[0]).toHaveProperty('visitSuccess', 100);
		const cuts = hints.map(({ message }) => message).filter((message) => message.includes('Visit Success'));
		expect(cuts).toEqual(
			fields.length === 0
				? []
				: [
						`The filter has ${fields.join(', ')}. If sessions of one visit differ in that, only those that match are read: without tries that gave no energy, for example, Visit Success is too high.`,
					],
		);
	});

	it('without a period, all sessions are read once', async () => {
		bench.store([failed(0), { start: ten + 60, status: FINISHED }]);
		const { json } = await summarize({ filters: {} });
		expect(figuresOf(json[0])).toEqual(expected({ AfterTrouble: 1 }));
		expect(bench.platform.requests.filter(({ dsquery }) => 'Filter' in (dsquery as object))).toEqual([]);
	});

	it.each<[string, INodeParameters, RegExp]>([
		['a group by Status', { groupBy: ['status', 'day'] }, /^Group By: Status would cut visits/],
		['a field that is Status', { groupBy: ['field'], groupByField: 'status' }, /^Group By: Status would cut visits/],
		[
			'a filter by Status',
			{ filters: { status: [{ operator: 'In', values: ['6'] }] } },
			/^Filters: a condition on Status would cut visits/,
		],
		[
			'a filter by Status within JSON',
			{
				filters: {
					json: [{ json: '{"Logic":"Or","Filters":[{"Field":"status","Operator":"Eq","Value":"6"}]}' }],
				},
			},
			/^Filters: a condition on Status would cut visits/,
		],
		[
			'an open period',
			{ filters: { startedAtUtc: [{ operator: 'Gte', value: FROM }] } },
			/^Filters: Visit Success needs one period on Started At, with a beginning and an end/,
		],
		[
			'no driver',
			{ measures: { values: [{ ...VISITS, driverField: '' }] } },
			/^Measures: measure 1: Driver Field Name or ID: nothing is chosen/,
		],
		[
			'no minutes',
			{ measures: { values: [{ ...VISITS, visitMinutes: 0 }] } },
			/^Measures: measure 1: Visit Minutes: a whole number from 1 to 1440 is needed/,
		],
		[
			'the measure twice, each time differently',
			{ measures: { values: [VISITS, { ...VISITS, visitMinutes: 5 }] } },
			/^Measures: measure 2: Visit Success can be there only once/,
		],
	])('refuses %s before anything is sent', async (_, parameters, message) => {
		const { error } = await summarize(parameters);
		expect(error?.message).toMatch(message);
		expect(bench.platform.requests).toHaveLength(0);
	});

	it.each([
		['driverField', 'Token'],
		['placeField', 'Depot'],
	])('says that no session has the field of %s', async (name, value) => {
		bench.store([failed(0)]);
		const { error } = await summarize({ measures: { values: [{ ...VISITS, [name]: value }] } });
		expect(error?.message).toBe(`None of the sessions has a field ${value} to measure by`);
		expect(error?.description).toMatch(/^Check the name in Measures\. /);
	});
});
