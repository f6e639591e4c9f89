import partition from 'lodash/partition.js';
import type { INodeParameters } from 'n8n-workflow';

import { aboutMinutes } from '../../support/clock.ts';
import { Bench, short, statusFilter } from '../../support/stationTrigger/support.ts';
import { testManually, TriggerRig } from '../../support/trigger/rig.ts';

const bench = new Bench({ stations: 6 });
const { set, remove, add, minutes } = {
	set: bench.set.bind(bench),
	remove: bench.remove.bind(bench),
	add: bench.add.bind(bench),
	minutes: bench.minutes.bind(bench),
};

/** What the engines save differently is the subject of everyNode/triggers.test.ts and of the random histories. */
const engine = 'memory';

async function start(parameters: ConstructorParameters<typeof TriggerRig>[1]) {
	const rig = new TriggerRig(engine, parameters, bench.credential());
	await rig.activate();
	return rig;
}

describe('availability', () => {
	it('reports offline and back once each, with the downtime', async () => {
		const rig = await start({ event: 'availability' });
		await minutes(rig, 2);
		expect(rig.items).toEqual([]);

		set({ NetworkStatus: 2 }, 3);
		await minutes(rig, 3);
		const [offline, ...more] = rig.take();
		expect(more).toEqual([]);
		expect(offline).toMatchObject({
			event: 'offline',
			stationId: 3,
			dimension: 'NetworkStatus',
			environment: 'production',
		});
		expect(offline?.station).toMatchObject({ Id: 3, NetworkStatus: 2 });
		expect(offline?.stationName).toBe((offline?.station as { Name: string }).Name);
		expect(offline?.since).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/);

		set({ NetworkStatus: 1 }, 3);
		await minutes(rig, 3);
		const [back, ...evenMore] = rig.take();
		expect(evenMore).toEqual([]);
		expect(back).toMatchObject({ event: 'backOnline', stationId: 3, since: offline?.since });
		expect(Number(back?.durationMinutes)).toBeGreaterThanOrEqual(3);
		expect(Number(back?.durationMinutes)).toBeLessThan(3.7);
		expect(rig.errors).toEqual([]);
	});

	it('ignores stations that were already offline, and their return', async () => {
		set({ NetworkStatus: 2 }, 4);
		const rig = await start({ event: 'availability' });
		set({ NetworkStatus: 1 }, 4);
		await minutes(rig, 2);
		set({ NetworkStatus: 3 }, 4);
		await minutes(rig, 2);
		expect(short(rig.items)).toEqual(['offline 4']);
	});

	it('reports the initial state if asked to', async () => {
		set({ NetworkStatus: 2 }, 2, 4);
		const rig = await start({ event: 'availability', options: { emitInitialState: true } });
		expect(short(rig.take())).toEqual(['offline 2', 'offline 4']);
		set({ NetworkStatus: 1 }, 4);
		await minutes(rig, 3);
		expect(short(rig.take())).toEqual(['backOnline 4']);
	});

	it('with an old status chosen, the initial state of that status has no old one to report', async () => {
		const dimensions = ['NetworkStatus', 'HardwareStatus'];
		const options = { emitInitialState: true };
		const rig = await start({ event: 'statusChange', dimensions, fromValues: ['NetworkStatus=1'], options });
		expect(rig.take().map(({ dimension }) => dimension)).toEqual(Array(6).fill('HardwareStatus'));
		set({ NetworkStatus: 2 }, 4);
		await minutes(rig, 1);
		expect(short(rig.take())).toEqual(['statusChanged 4 NetworkStatus 1>2']);
	});

	it('ignores a flap shorter than Alert Only After, and measures from the first poll that saw it', async () => {
		const rig = await start({ event: 'availability', minutesInState: 10 });
		set({ NetworkStatus: 2 }, 3);
		await minutes(rig, 10);
		set({ NetworkStatus: 1 }, 3);
		await minutes(rig, 3);
		expect(rig.items).toEqual([]);
		set({ NetworkStatus: 2 }, 3);
		await minutes(rig, 10);
		expect(rig.items).toEqual([]);
		await minutes(rig, 1);
		const [offline] = rig.take();
		expect(offline).toMatchObject({ event: 'offline', stationId: 3 });
		expect(Number(offline?.durationMinutes)).toBeGreaterThanOrEqual(10);
		expect(Number(offline?.durationMinutes)).toBeLessThan(11);
		set({ NetworkStatus: 1 }, 3);
		await minutes(rig, 1);
		expect(short(rig.take())).toEqual(['backOnline 3']);
	});

	it('alerts after one minute even if polls come a second early', async () => {
		const rig = await start({ event: 'availability', minutesInState: 1 });
		set({ NetworkStatus: 2 }, 3);
		await minutes(rig, 1);
		bench.clock.forward(59_000);
		await rig.tick();
		expect(rig.take()).toMatchObject([{ event: 'offline', stationId: 3, durationMinutes: aboutMinutes(1) }]);
	});

	it('treats a short return as part of the same outage if asked to', async () => {
		const rig = await start({ event: 'availability', options: { backAfterMinutes: 5 } });
		set({ NetworkStatus: 2 }, 3);
		await minutes(rig, 1);
		expect(short(rig.take())).toEqual(['offline 3']);
		set({ NetworkStatus: 1 }, 3);
		await minutes(rig, 3);
		set({ NetworkStatus: 2 }, 3);
		await minutes(rig, 3);
		set({ NetworkStatus: 1 }, 3);
		await minutes(rig, 5);
		expect(rig.take()).toEqual([]);
		await minutes(rig, 1);
		const [back] = rig.take();
		expect(back).toMatchObject({ event: 'backOnline', stationId: 3 });
		// The outage ended when the station was first seen back.
		expect(Number(back?.durationMinutes)).toBeLessThan(7.7);
	});

	it('reports only what was chosen', async () => {
		set({ NetworkStatus: 2 }, 5);
		const rig = await start({ event: 'availability', availabilityChanges: ['back'] });
		set({ NetworkStatus: 2 }, 3);
		await minutes(rig, 2);
		set({ NetworkStatus: 1 }, 3, 5);
		await minutes(rig, 2);
		expect(short(rig.items)).toEqual(['backOnline 3', 'backOnline 5']);
	});

	it.each([
		[{ event: 'availability', availabilityChanges: ['back'] }, 'backOnline'],
		[{ event: 'filterMatch', filters: statusFilter('networkStatus', '2'), matchChanges: ['stops'] }, 'stoppedMatching'],
	])(
		'%j: an end is reported only of what lasted as long as Alert Only After, also from the first poll on',
		async (parameters, event) => {
			set({ NetworkStatus: 2 }, 3, 4);
			const rig = await start({ ...parameters, minutesInState: 10 });
			await minutes(rig, 5);
			set({ NetworkStatus: 1 }, 3);
			await minutes(rig, 6);
			set({ NetworkStatus: 1 }, 4);
			await minutes(rig, 3);
			expect(rig.items).toMatchObject([{ event, stationId: 4, durationMinutes: aboutMinutes(12) }]);
		},
	);

	it('after another filter, too, the end of what was shorter than Alert Only After is not reported', async () => {
		const only = { event: 'availability', availabilityChanges: ['back'], minutesInState: 10 };
		const rig = await start({ ...only, filters: statusFilter('status', '2') });
		set({ NetworkStatus: 2 }, 3);
		await rig.republish({ parameters: only });
		await minutes(rig, 5);
		set({ NetworkStatus: 1 }, 3);
		await minutes(rig, 6);
		expect(rig.items).toEqual([]);
	});

	it('treats the chosen codes as online, and watches only stations that match the filter', async () => {
		const rig = await start({
			event: 'availability',
			filters: { id: [{ operator: 'In', values: '1,2,3' }] },
			options: { onlineValues: ['1', '3'] },
		});
		set({ NetworkStatus: 3 }, 1);
		set({ NetworkStatus: 2 }, 2, 5);
		await minutes(rig, 2);
		expect(short(rig.items)).toEqual(['offline 2']);
	});
});

describe('status changes', () => {
	it('reports each watched status, and nothing twice', async () => {
		const rig = await start({ event: 'statusChange', dimensions: ['NetworkStatus', 'HardwareStatus'] });
		set({ NetworkStatus: 2, HardwareStatus: 3, Status: 3 }, 3);
		set({ HardwareStatus: null }, 5);
		await minutes(rig, 3);
		expect(short(rig.take())).toEqual([
			'statusChanged 3 NetworkStatus 1>2',
			'statusChanged 3 HardwareStatus 1>3',
			'statusChanged 5 HardwareStatus 1>null',
		]);
		await rig.restart();
		set({ NetworkStatus: 1 }, 3);
		await minutes(rig, 2);
		expect(short(rig.take())).toEqual(['statusChanged 3 NetworkStatus 2>1']);
	});

	it('reports only changes from and to the chosen values, and remembers the others', async () => {
		const rig = await start({
			event: 'statusChange',
			fromValues: ['NetworkStatus=1'],
			toValues: ['NetworkStatus=2'],
		});
		set({ NetworkStatus: 3 }, 3);
		await minutes(rig, 1);
		await rig.restart();
		set({ NetworkStatus: 2 }, 3);
		await minutes(rig, 1);
		expect(rig.items).toEqual([]);
		set({ NetworkStatus: 1 }, 3);
		await minutes(rig, 1);
		set({ NetworkStatus: 2 }, 3);
		await minutes(rig, 1);
		expect(short(rig.items)).toEqual(['statusChanged 3 NetworkStatus 1>2']);
	});

	it('reports the initial statuses if asked to, and then only changes', async () => {
		set({ HardwareStatus: 3 }, 3);
		const rig = await start({
			event: 'statusChange',
			dimensions: ['HardwareStatus'],
			toValues: ['HardwareStatus=3'],
			options: { emitInitialState: true },
		});
		expect(short(rig.take())).toEqual(['statusChanged 3 HardwareStatus null>3']);
		await minutes(rig, 2);
		expect(rig.take()).toEqual([]);
	});

	it('remembers a station while it does not match the filter', async () => {
		const rig = await start({
			event: 'statusChange',
			dimensions: ['HardwareStatus'],
			filters: statusFilter('status', '1'),
		});
		set({ Status: 3 }, 3);
		await minutes(rig, 2);
		set({ HardwareStatus: 3 }, 3);
		expect(await bench.requestsOf(async () => await minutes(rig, 2))).toBeLessThanOrEqual(4);
		expect(rig.items).toEqual([]);
		set({ Status: 1 }, 3);
		await minutes(rig, 2);
		expect(short(rig.items)).toEqual(['statusChanged 3 HardwareStatus 1>3']);
	});
});

describe('text ids', () => {
	beforeEach(() => (bench.platform.behaviour.stationIdType = 'text'));
	const options = { pageSize: 2, parallelRequests: 2, stationChanges: ['added', 'removed'] };

	it.each([
		['availability', {}, ['offline sta-000002', 'backOnline sta-000002', 'removed sta-000005']],
		[
			'statusChange',
			{},
			[
				'statusChanged sta-000002 NetworkStatus 1>2',
				'statusChanged sta-000002 NetworkStatus 2>1',
				'removed sta-000005',
			],
		],
		[
			'filterMatch',
			{ filters: statusFilter('networkStatus', '2') },
			['startedMatching sta-000002', 'stoppedMatching sta-000002', 'removed sta-000005'],
		],
	] satisfies Array<[string, INodeParameters, string[]]>)(
		'are watched page by page: %s',
		async (event, more, expected) => {
			const rig = await start({ event, ...more, options });
			await minutes(rig, 1);
			set({ NetworkStatus: 2 }, 2);
			await minutes(rig, 1);
			set({ NetworkStatus: 1 }, 2);
			await minutes(rig, 1);
			remove(5);
			await minutes(rig, 2);
			expect(short(rig.items)).toEqual(expected);
		},
	);
});

describe('stations added and removed', () => {
	it.each(['availability', 'statusChange', 'filterMatch'])('reports them with event %s', async (event) => {
		const filters = event === 'filterMatch' ? statusFilter('hardwareStatus', '3') : {};
		const rig = await start({ event, filters, options: { stationChanges: ['added', 'removed'] } });
		await minutes(rig, 1);
		add(7, 'New one');
		await minutes(rig, 2);
		const added = rig.take();
		expect(short(added)).toEqual(['added 7']);
		if (event !== 'filterMatch') expect(added[0]?.stationName).toBe('New one');
		remove(7, 2);
		await minutes(rig, 2);
		expect(short(rig.take()).sort()).toEqual(['removed 2', 'removed 7']);
		const details = bench.platform.requests.filter(({ path }) => /\/v1\/\d+$/.test(path));
		expect(details.map(({ path, status }) => `${path.split('/').at(-1)} ${status}`).sort()).toEqual(['2 404', '7 404']);
	});

	it('reports neither for a station that leaves the filter and returns', async () => {
		const rig = await start({
			event: 'availability',
			filters: statusFilter('status', '1'),
			options: { stationChanges: ['added', 'removed'] },
		});
		set({ Status: 3 }, 2);
		await minutes(rig, 3);
		set({ Status: 1 }, 2);
		await minutes(rig, 3);
		expect(rig.items).toEqual([]);
	});
});

describe('a change of one of the two, the event and Stations Added or Removed, leaves the other as it was', () => {
	const stationChanges = ['added', 'removed'];

	it.each([
		[{ event: 'availability' }, { NetworkStatus: 2 }, 'offline 3', 'backOnline 3'],
		[
			{ event: 'filterMatch', filters: statusFilter('networkStatus', '2') },
			...([{ NetworkStatus: 2 }, 'startedMatching 3', 'stoppedMatching 3'] as const),
		],
		[
			{ event: 'statusChange' },
			...([{ NetworkStatus: 2 }, 'statusChanged 3 NetworkStatus 1>2', 'statusChanged 3 NetworkStatus 2>1'] as const),
		],
	])(
		'%j: what happens while the option is added, and while it goes, is reported',
		async (parameters, now, begin, end) => {
			const rig = await start(parameters);
			set(now, 3);
			await rig.republish({ parameters: { ...parameters, options: { stationChanges } } });
			expect(short(rig.take())).toEqual([begin]);
			add(7, 'New one');
			set({ NetworkStatus: 1 }, 3);
			await rig.republish({ parameters });
			expect(short(rig.take())).toEqual([end]);
		},
	);

	it.each([
		[{ event: 'availability', options: { onlineValues: ['1', '3'] } }, { event: 'availability' }],
		[{ event: 'availability', options: { outOfServiceValues: ['2'] } }, { event: 'availability' }],
		[{ event: 'statusChange', dimensions: ['Status'] }, { event: 'statusChange' }],
		[{ event: 'availability' }, { event: 'unstable' }],
		[
			{ event: 'filterMatch', filters: statusFilter('networkStatus', '2') },
			{ event: 'filterMatch', filters: statusFilter('networkStatus', '3') },
		],
	] as INodeParameters[][])('from %j to %j: what is new then is reported', async (before = {}, after = {}) => {
		const withChanges = (parameters: INodeParameters) => ({
			...parameters,
			options: { ...(parameters.options as INodeParameters), stationChanges },
		});
		const rig = await start(withChanges(before));
		add(7, 'New one');
		await rig.republish({ parameters: withChanges(after) });
		expect(short(rig.take())).toEqual(['added 7']);
	});

	it('another filter begins both anew: what only it selects is not new', async () => {
		const parametersOf = (value: string) => ({
			...{ event: 'availability', filters: statusFilter('status', value), options: { stationChanges } },
		});
		set({ Status: 2 }, 4);
		const rig = await start(parametersOf('1'));
		await rig.republish({ parameters: parametersOf('2') });
		expect(rig.take()).toEqual([]);
		add(7, 'New one');
		set({ Status: 2 }, 7);
		await minutes(rig, 1);
		expect(short(rig.take())).toEqual(['added 7']);
	});
});

describe('output', () => {
	it('adds the full detail to each event', async () => {
		const rig = await start({ event: 'availability', options: { fetchDetail: true } });
		set({ NetworkStatus: 2 }, 1, 2, 3);
		await minutes(rig, 1);
		expect(short(rig.items)).toEqual(['offline 1', 'offline 2', 'offline 3']);
		for (const { station } of rig.items) expect(station).toHaveProperty('EVSEs');
	});

	it('reads the details that fit into a poll, and says of the others that they are missing', async () => {
		for (let id = 7; id <= 40; id++) bench.add(id, `Station ${id}`);
		const rig = await start({ event: 'availability', options: { fetchDetail: true, parallelRequests: 1 } });
		rig.budgetMs = 4_000;
		bench.slow(200);
		set({ NetworkStatus: 2 });
		await minutes(rig, 1);
		expect(new Set(rig.items.map(({ stationId }) => stationId)).size).toBe(40);
		const [read, missing] = partition(rig.items, ({ detailMissing }) => detailMissing === undefined);
		expect(read.length).toBeGreaterThan(0);
		expect(missing.length).toBeGreaterThan(0);
		for (const { station, stationId } of missing) expect(station).toMatchObject({ Id: stationId });
		await minutes(rig, 2);
		expect(rig.items).toHaveLength(40);
	});
});

describe('what must not happen', () => {
	it('the end of an outage is reported although a new filter leaves the station out', async () => {
		const rig = await start({ event: 'availability' });
		set({ NetworkStatus: 2, Status: 2 }, 3);
		set({ NetworkStatus: 2 }, 5);
		await minutes(rig, 1);
		await rig.republish({ parameters: { event: 'availability', filters: statusFilter('status', '1') } });
		await minutes(rig, 4);
		expect(short(rig.take())).toEqual(['offline 3', 'offline 5']);
		await rig.restart();
		set({ NetworkStatus: 1 }, 3, 5);
		await minutes(rig, 1);
		expect(short(rig.items.slice(2)).sort()).toEqual(['backOnline 3', 'backOnline 5']);
		expect(rig.items.map(({ removed }) => removed)).toEqual([undefined, undefined, undefined, undefined]);
		// The next outage of one that the filter leaves out is not of interest.
		set({ NetworkStatus: 2 }, 3);
		await minutes(rig, 3);
		expect(rig.items).toHaveLength(4);
	});

	describe.each([
		[{ event: 'availability' }, 'offline', 'backOnline', /^.+ no longer exists\. It was offline from .* to .*\.$/],
		[{ event: 'availability', filters: statusFilter('status', '1') }, 'offline', 'backOnline', /no longer exists/],
		[
			{ event: 'filterMatch', filters: statusFilter('networkStatus', '2') },
			...([
				'startedMatching',
				'stoppedMatching',
				/^.+ no longer exists\. It matched the filter from .* to .*\.$/,
			] as const),
		],
	] as const)('%j', (parameters, begin, end, words) => {
		it('what was reported of a station that is gone ends with the second poll that does not find it', async () => {
			const rig = await start({ ...parameters });
			set({ NetworkStatus: 2 }, 3, 5);
			await minutes(rig, 2);
			bench.remove(3);
			await minutes(rig, 1);
			expect(short(rig.take())).toEqual([`${begin} 3`, `${begin} 5`]);
			await minutes(rig, 4);
			expect(short(rig.items.slice(2))).toEqual([`${end} 3`]);
			const [first, , last] = rig.items;
			expect(last).toMatchObject({ removed: true, station: null, stationName: first?.stationName });
			expect(last).toMatchObject({ incidentId: first?.incidentId, since: first?.since, until: last?.detectedAt });
			expect(last?.text).toMatch(words);
			bench.add(3, 'Back', 2);
			await minutes(rig, 1);
			expect(short(rig.items.slice(3))).toEqual([`${begin} 3`]);
			expect(rig.errors).toEqual([]);
		});

		it('what was reported of a station that no list shows for some polls stays open, and gets its end', async () => {
			const rig = await start({ ...parameters });
			set({ NetworkStatus: 2 }, 3);
			await minutes(rig, 2);
			const match = ({ path }: { path: string }) => path === '/api/charging-stations/v1';
			bench.platform.faults.add({
				match,
				times: Infinity,
				kind: 'reply',
				status: 200,
				body: { Items: [], TotalCount: 0 },
			});
			await minutes(rig, 4);
			bench.platform.faults.clear();
			await minutes(rig, 2);
			expect(short(rig.items)).toEqual([`${begin} 3`]);
			set({ NetworkStatus: 1 }, 3);
			await minutes(rig, 2);
			expect(short(rig.items)).toEqual([`${begin} 3`, `${end} 3`]);
			expect(rig.items[1]?.removed).toBeUndefined();
		});
	});
});

describe('a manual test', () => {
	it('shows stations that are offline now', async () => {
		set({ NetworkStatus: 2 }, 4);
		const items = await testManually({ event: 'availability' }, bench.credential());
		expect(short(items ?? [])).toEqual(['offline 4']);
		expect(items?.[0]?.station).toMatchObject({ Id: 4, NetworkStatus: 2 });
	});

	it('shows times as in an event that has waited for Alert Only After', async () => {
		set({ NetworkStatus: 2 }, 4);
		const items = await testManually({ event: 'availability', minutesInState: 10 }, bench.credential());
		const { since, detectedAt } = items?.[0] as { since: string; detectedAt: string };
		expect(Date.parse(detectedAt) - Date.parse(since)).toBe(600_000);
		expect(items?.[0]?.durationMinutes).toBe(10);
	});

	it('shows real stations when none is offline', async () => {
		const items = await testManually({ event: 'availability' }, bench.credential());
		expect(short(items ?? [])).toEqual(['backOnline 1', 'backOnline 2', 'backOnline 3']);
	});

	it.each([
		[{ event: 'statusChange', dimensions: ['Status'] }, 'statusChanged 1 Status null>1'],
		[{ event: 'filterMatch', filters: statusFilter('status', '1') }, 'startedMatching 1'],
		[{ event: 'availability', output: 'digest' }, 'digest undefined'],
	] satisfies Array<[INodeParameters, string]>)('shows what %j would give', async (parameters, first) => {
		const items = await testManually(parameters, bench.credential());
		expect(short(items ?? [])[0]).toBe(first);
	});

	it('names a refused field', async () => {
		const filters = { other: [{ field: 'NetworkStauts|text', textOperator: 'Eq', value: 'x' }] };
		const showing = testManually({ event: 'availability', filters }, bench.credential());
		const description = expect.stringMatching(/^Check “NetworkStauts” in this node: /) as string;
		await expect(showing).rejects.toMatchObject({ description });
	});

	it('says that capitals may matter where no station has the text of a filter', async () => {
		const filters = { other: [{ field: 'LocationName|text', textOperator: 'Eq', value: 'nowhere' }] };
		const showing = testManually({ event: 'availability', filters }, bench.credential());
		const description = 'In text, upper and lower case may count as different. Check the filter';
		await expect(showing).rejects.toMatchObject({ description: expect.stringContaining(description) as string });
	});

	it.each([{ event: 'availability' }, { event: 'statusChange' }, { event: 'filterMatch' }])(
		'says so when there is nothing to show: %j',
		async (parameters) => {
			const filters = statusFilter('status', '99');
			const showing = testManually({ ...parameters, filters }, bench.credential());
			await expect(showing).rejects.toThrow('There are no charging stations that match the filter');
		},
	);
});
