import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';

import range from 'lodash/range.js';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { startPlatform, type StandIn } from '../../platform/index.ts';
import { ChargePointBench, OUT_OF_ORDER } from '../../support/chargePointTrigger/support.ts';
import { credentialFor, runNode } from '../../support/harness.ts';
import { Bench, text } from '../../support/stationTrigger/support.ts';
import { ACTIVE, FAILED, FINISHED, HOUR, SessionBench } from '../../support/sessionTrigger/support.ts';

// What people reported of other programs, and no other test holds. test/field.md says where.

describe('sessions', () => {
	const bench = new SessionBench();
	const rigOf = async (parameters: INodeParameters) => {
		bench.startAll(1, 60, { status: FINISHED, ago: 5 * HOUR });
		return await bench.rig('memory', parameters);
	};

	it('that begin in the same second as the newest one known are new, each once', async () => {
		const rig = await rigOf({ events: ['started'] });
		const startedAt = bench.clock.now();
		const start = (first: number, last: number) => () =>
			range(first, last + 1).forEach((id) => bench.platform.startSession({ id, startedAt }));
		const told = (first: number, last: number) => range(first, last + 1).map((id) => `started ${id}`);
		await bench.plays(rig, [start(61, 61), 1, told(61, 61)], [start(62, 62), 1, told(62, 62)]);
		await bench.plays(rig, [start(63, 190), 2, told(63, 190)]);
	});

	it('that begin in the future hide none that come after them', async () => {
		const rig = await rigOf({ events: ['started', 'ended'] });
		await bench.plays(
			rig,
			[() => bench.start(61, { ago: -60 * 24 * HOUR }), 2, ['started 61']],
			[() => bench.startAll(62, 63), 2, ['started 62', 'started 63']],
			[() => bench.become(FINISHED, 61, 62), 2, ['ended 61', 'ended 62']],
		);
	});

	it('of two cars that share a cable between two polls: one ends, another starts', async () => {
		const rig = await rigOf({ events: ['started', 'ended', 'failed'] });
		const swap = (from: number, to: number, status: number) => () => {
			bench.become(status, from);
			bench.start(to);
		};
		await bench.plays(
			rig,
			[() => bench.start(61), 1, ['started 61']],
			[swap(61, 62, FINISHED), 1, ['ended 61', 'started 62']],
			[swap(62, 63, FAILED), 1, ['failed 62', 'started 63']],
		);
	});

	it('whose energy only wavers in its last digits do not charge', async () => {
		bench.start(100, { energy: 5 });
		const rig = await rigOf({ events: ['stalled', 'resumed'], stalledMinutes: 10 });
		for (const poll of range(30)) {
			bench.energy(poll % 2 ? 4.9999999998 : 5, 100);
			await bench.minutes(rig, 1);
		}
		expect(rig.told()).toEqual(['stalled 100']);
	});

	it('whose status is away for an hour, from all rows: no end of that time is lost', async () => {
		bench.start(100, { status: ACTIVE });
		const rig = await rigOf({ events: ['started', 'ended', 'failed'] });
		const away = () => bench.platform.db.exec('UPDATE sessions SET Status = NULL');
		await bench.plays(
			rig,
			[away, 30, []],
			[() => (bench.start(101), away()), 40, ['started 101']],
			[() => (bench.become(FINISHED, 100), bench.become(FAILED, 101)), 2, ['ended 100', 'failed 101']],
		);
	});
});

describe('a station', () => {
	const bench = new Bench({ stations: 4 });

	it('whose name shows nothing is told by its Id', async () => {
		const rig = await bench.live({ event: 'availability', output: 'digest' });
		['  ', '\u200b', 'Depot', null].forEach((Name, index) => bench.set({ Name }, index + 1));
		bench.set({ NetworkStatus: 2 });
		await bench.minutes(rig, 1);
		expect(text(rig.items[0]?.text).replaceAll(/ has been .*/g, '')).toBe('Station 1\nStation 2\nDepot\nStation 4');
	});

	it('that goes offline after its workflow was published again under a rate limit is told', async () => {
		const rig = await bench.live({ event: 'availability' });
		const limit = { kind: 'status', status: 429, headers: { 'retry-after': '60' }, times: Infinity } as const;
		bench.platform.faults.add(limit);
		await rig.republish({ parameters: { event: 'availability', minutesInState: 2 } });
		bench.platform.faults.clear();
		await bench.plays(rig, [() => bench.set({ NetworkStatus: 2 }, 3), 4, ['offline 3']]);
	});

	it('whose status goes from one that is not online to another is told once, and its wait goes on', async () => {
		const rig = await bench.live({ event: 'availability', minutesInState: 5 });
		const take =
			(...codes: number[]) =>
			async () => {
				for (const NetworkStatus of codes) {
					bench.set({ NetworkStatus }, 3);
					await bench.minutes(rig, 1);
				}
			};
		await bench.plays(
			rig,
			[take(2, 3, 2, 3, 2, 3, 2), 0, ['offline 3']],
			[take(3, 0, 99, 2), 0, []],
			[take(1), 1, ['backOnline 3']],
		);
	});
});

describe('a charge point', () => {
	const bench = new ChargePointBench({ stations: 2 });
	const become =
		(...statuses: Array<[id: IDataObject, Status: number]>) =>
		() =>
			bench.entries(2, ...statuses.map(([id, Status]) => ({ ...id, Status })));

	it('whose Id is 0 is one of its own', async () => {
		const statuses = (first: number, last: number) => become([{ Id: 0 }, first], [{ Id: 1 }, 1], [{ Id: 2 }, last]);
		statuses(1, 1)();
		const rig = await bench.rig('memory', OUT_OF_ORDER);
		await bench.plays(
			rig,
			[statuses(3, 1), 2, ['outOfOrder 0']],
			[statuses(3, 4), 2, ['outOfOrder 2']],
			[statuses(1, 4), 2, ['backInOrder 0']],
		);
	});

	it('that heals or breaks while its station is offline and left out: its end is told, a begin once it is back', async () => {
		const rig = await bench.rig('memory', {
			...OUT_OF_ORDER,
			filters: { networkStatus: [{ operator: 'Eq', value: '1' }] },
		});
		const station = (NetworkStatus: number) => () => bench.set({ NetworkStatus }, 2);
		await bench.plays(
			rig,
			[() => bench.points(2, 4, 1), 2, ['outOfOrder 21']],
			[station(2), 2, []],
			[() => bench.points(2, 1, 4), 3, ['backInOrder 21']],
			[station(1), 2, ['outOfOrder 22']],
		);
	});

	it('whose EvseId differs from another one only by capitals is one of its own', async () => {
		const statuses = (first: number, last: number) =>
			become([{ EvseId: 'DE*A*1' }, first], [{ EvseId: 'de*a*1' }, last]);
		statuses(1, 1)();
		const rig = await bench.rig('memory', OUT_OF_ORDER);
		await bench.plays(
			rig,
			[statuses(1, 3), 2, ['outOfOrder de*a*1']],
			[statuses(3, 1), 2, ['backInOrder de*a*1', 'outOfOrder DE*A*1']],
		);
	});
});

describe('action nodes', () => {
	let platform: StandIn;
	beforeAll(async () => {
		platform = await startPlatform({ sessions: 300, stations: 2 });
	});
	afterAll(async () => await platform.close());
	beforeEach(() => platform.reset());

	const ask = async (parameters: INodeParameters, productionUrl = platform.baseUrl) =>
		await runNode({
			type: 'chargingSessions',
			credential: { ...credentialFor(platform), productionUrl },
			parameters,
		});
	const all = () =>
		platform.db
			.prepare('SELECT Id FROM sessions ORDER BY Id')
			.all()
			.map(({ Id }) => Number(Id));

	it('give all rows that a gateway leaves in pages that were cut before, each once, and a note that the count differs', async () => {
		for (const isLeft of [(id: number) => id % 37 > 0, (id: number) => id % 2 > 0]) {
			const gateway = await gatewayTo(platform, isLeft);
			const { json, hints } = await ask({ operation: 'getAll', returnAll: true }, gateway.baseUrl);
			expect(json.map(({ Id }) => Id)).toEqual(all().filter(isLeft));
			expect(hints.map(({ message }) => message)).toEqual([
				expect.stringMatching(new RegExp(`^The platform sent ${json.length} charging sessions but counts 300`)),
			]);
			await gateway.close();
		}
	});

	it('Summarize keeps apart what differs by capitals, zeros or blanks in it, and trusts no name', async () => {
		const tags = ['DEADBEEF', 'deadbeef', '0123', '123', ' 123', '1E5', '100000', '__proto__', 'constructor', 'a;b'];
		const name = platform.db.prepare('UPDATE sessions SET UserName = ? WHERE Id = ?');
		all().forEach((id, index) => void name.run(tags[index % tags.length] ?? '', id));
		const { json } = await ask({
			operation: 'summary',
			groupBy: ['field'],
			groupByField: 'UserName',
			result: 'itemPerGroup',
		});
		expect(json.map(({ UserName, count }) => [UserName, count]).sort()).toEqual(tags.map((tag) => [tag, 30]).sort());
	});

	it('Summarize has one group for what is null, empty or blank, so that groups add up to all', async () => {
		platform.db.exec(
			"UPDATE sessions SET UserName = CASE Id % 4 WHEN 0 THEN NULL WHEN 1 THEN '' WHEN 2 THEN ' ' ELSE 'A' END",
		);
		for (platform.behaviour.omitsEmpty of [false, true]) {
			const { json } = await ask({
				operation: 'summary',
				groupBy: ['field'],
				groupByField: 'UserName',
				result: 'itemPerGroup',
			});
			expect(json.map(({ UserName, count }) => [UserName, count])).toEqual([
				[null, 225],
				['A', 75],
			]);
		}
	});

	it('give each row once, whatever the order of rows that are equal by Sort', async () => {
		platform.db.exec('UPDATE sessions SET EnergyConsumed = Id % 2');
		platform.behaviour.naturalOrder = 'random';
		const { json } = await ask({
			operation: 'getAll',
			limit: 299,
			sort: { by: [{ field: 'EnergyConsumed', direction: 'Desc' }] },
		});
		expect(new Set(json.map(({ Id }) => Id)).size).toBe(299);
		expect(json.map(({ EnergyConsumed }) => EnergyConsumed).lastIndexOf(1)).toBe(149);
	});

	it.each([
		['={{ "False" }}', 200],
		['={{ false }}', 200],
		['={{ "true" }}', 100],
	])('take a yes or no from an expression, %s, as what it says', async (value, count) => {
		platform.db.exec('UPDATE sessions SET IsRoaming = Id % 3 = 0');
		const { json } = await ask({
			operation: 'count',
			filters: { other: [{ field: 'IsRoaming|boolean', booleanOperator: 'Eq', value }] },
		});
		expect(json).toEqual([{ count }]);
	});

	it('find a session in the last second of a month in this month alone, whatever part of the second it has', async () => {
		platform.behaviour.timestampFractions = true;
		platform.db.exec('DELETE FROM sessions');
		range(20).forEach((second) =>
			platform.startSession({ startedAt: Date.parse('2026-10-31T22:59:50Z') + second * 1000 }),
		);
		const within = async (operator: string, from: string, to: string) =>
			(await ask({ operation: 'count', filters: { startedAtUtc: [{ operator, from, to }] } })).json[0]?.count;
		expect([
			await within('GteLt', '2026-10-01', '2026-11-01'),
			await within('GteLte', '2026-10-01', '2026-10-31'),
			await within('GteLt', '2026-11-01', '2026-12-01'),
		]).toEqual([10, 10, 10]);
	});

	it('read JSON behind a byte order mark, of any content type and in any compression', async () => {
		const text = `\uFEFF${JSON.stringify({ Items: [{ Id: 1, Status: 4 }], TotalCount: 1 })}`;
		const bodies = {
			identity: Buffer.from(text),
			gzip: gzipSync(text),
			deflate: deflateSync(text),
			br: brotliCompressSync(text),
		};
		for (const [encoding, body] of Object.entries(bodies)) {
			for (const type of ['application/json', 'text/plain', 'application/octet-stream']) {
				const headers = { 'content-type': type, 'content-encoding': encoding };
				platform.faults.add({ kind: 'reply', body, headers });
				expect((await ask({ operation: 'getAll' })).json).toEqual([{ Id: 1, Status: 4 }]);
			}
		}
	});

	it('take Limit and Return All at their word, whatever number of rows the platform sends by itself', async () => {
		const lengths: number[] = [];
		for (const limit of [1, 10, 11, 100, 101, 250]) {
			lengths.push((await ask({ operation: 'getAll', limit })).json.length);
		}
		expect(lengths).toEqual([1, 10, 11, 100, 101, 250]);
		expect((await ask({ operation: 'getAll', returnAll: true, limit: 5 })).json).toHaveLength(300);
	});
});

/** A gateway that takes some rows out of each page, as where rows are deleted softly, and leaves the count as it is. */
async function gatewayTo(platform: StandIn, isLeft: (id: number) => boolean) {
	const server: Server = createServer((request, response) => {
		const headers = { 'API-KEY': String(request.headers['api-key']) };
		void fetch(platform.baseUrl + request.url, { headers }).then(async (answer) => {
			const { Items, TotalCount } = (await answer.json()) as { Items: IDataObject[]; TotalCount: number };
			response.setHeader('content-type', 'application/json');
			response.end(JSON.stringify({ Items: Items.filter(({ Id }) => isLeft(Number(Id))), TotalCount }));
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	return {
		baseUrl: `http://127.0.0.1:${port}`,
		close: async () => await new Promise((resolve) => server.close(resolve)),
	};
}
