import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';

import type { RequestRecord, StandIn } from '../../platform/index.ts';
import { outputOf } from '../client.ts';
import { credentialOf, importFor, workflowOf, type Pair } from '../showcase.ts';
import { until } from '../tools.ts';

const TRIGGER = 'chargingStationStatusTrigger';
const ONLINE = 1;
const OFFLINE = 2;
/** n8n polls at most once a minute for each poll time, but takes any number of poll times. */
const EVERY_FIVE_SECONDS = [0, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55].map((second) => ({
	mode: 'custom',
	cronExpression: `${second} * * * * *`,
}));

/**
 * A workflow with the station trigger, which n8n's own scheduler polls. What was done to the stand-in's stations and
 * what the end of the workflow got must match, whatever happened in between.
 */
export class Incidents {
	readonly workflowId: string;
	/** Stations that are online at the start. */
	readonly stations: readonly number[];
	private readonly pair: Pair;
	/** What was done at the stand-in: "offline 12". */
	private readonly done: string[] = [];

	private constructor(pair: Pair, workflowId: string) {
		this.pair = pair;
		this.workflowId = workflowId;
		const online = pair.platform.db.prepare('SELECT Id FROM stations WHERE NetworkStatus = ? ORDER BY Id').all(ONLINE);
		this.stations = online.map(({ Id }) => Number(Id));
	}

	/** Publishes the workflow and waits until the trigger has noted how things are. */
	static async publish(pair: Pair): Promise<Incidents> {
		const { n8n, platform, installation } = pair;
		const credential = await credentialOf(pair, TRIGGER, platform.createKey({ name: TRIGGER }).secret);
		const workflow = workflowOf(TRIGGER, { event: 'availability', pollTimes: { item: EVERY_FIVE_SECONDS } });
		const id = await importFor(pair, workflow, credential);
		const { versionId } = await n8n.request<{ versionId: string }>('GET', `/workflows/${id}`);
		// 1.x has no endpoint for this.
		if (installation.line === '1') await n8n.request('PATCH', `/workflows/${id}`, { active: true, versionId });
		else await n8n.request('POST', `/workflows/${id}/activate`, { versionId });
		const incidents = new Incidents(pair, id);
		await incidents.furtherPolls(2);
		return incidents;
	}

	/** Changes a station of the stand-in. */
	set(station: number | undefined, event: 'offline' | 'backOnline'): void {
		assert.ok(station !== undefined, 'the stand-in has too few stations');
		const status = event === 'offline' ? OFFLINE : ONLINE;
		this.pair.platform.db.prepare('UPDATE stations SET NetworkStatus = ? WHERE Id = ?').run(status, station);
		this.done.push(`${event} ${station}`);
	}

	async furtherPolls(count: number): Promise<void> {
		await furtherPolls(this.pair.platform, TRIGGER, count);
	}

	/** Waits until the workflow's end was told everything done so far, and checks that nothing else is told. */
	async agree(): Promise<void> {
		const expected = [...this.done].sort();
		// If something is missing after that time, the comparison shows it.
		const isTold = async () => isDeepStrictEqual(await this.told(), expected);
		await until('everything is told', isTold).catch(() => undefined);
		await this.furtherPolls(2);
		assert.deepEqual(await this.told(), expected);
	}

	/** Stops, kills and starts n8n while incidents begin and end. */
	async goThroughRestarts(): Promise<void> {
		const { server } = this.pair;
		const [first, second, third] = this.stations.slice(-3);
		this.set(first, 'offline');
		await this.agree();
		await server.stop();
		this.set(first, 'backOnline');
		this.set(second, 'offline');
		await server.start();
		// No execution is under way now, which n8n would call crashed.
		await this.agree();
		server.kill();
		this.set(second, 'backOnline');
		this.set(third, 'offline');
		await server.start();
		await this.agree();
	}

	private async told(): Promise<string[]> {
		const executions = await this.pair.n8n.executions(this.workflowId);
		for (const { status, data } of executions) assert.equal(status, 'success', JSON.stringify(data.resultData.error));
		const items = executions.flatMap((execution) => outputOf(execution, 'End'));
		return items.map(({ event, stationId }) => `${event as string} ${stationId as number}`).sort();
	}
}

/**
 * Waits for polls that begin after now, of the one station trigger that uses this key. When the second has begun, the
 * first has seen everything that was so before it. While the platform does not answer, a poll that asks again counts again.
 */
export async function furtherPolls(platform: StandIn, keyNameOfTrigger: string, count: number): Promise<void> {
	// A poll begins with the first page of the list. Later pages and look-ups of stations ask for certain Ids.
	const isBeginning = ({ keyName, query = '' }: RequestRecord) =>
		keyName === keyNameOfTrigger && query.includes('"Dir":"Asc"') && !query.includes('"Field":"Id","Operator"');
	const now = Date.now();
	const polls = () => platform.requests.filter((request) => request.at > now && isBeginning(request));
	await until(`${count} further polls`, () => polls().length >= count);
}
