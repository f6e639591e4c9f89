import { AsyncLocalStorage } from 'node:async_hooks';
import { join } from 'node:path';
import { PollContext, PollTriggerExecutor } from 'n8n-core';
import {
	Workflow,
	type IDataObject,
	type INode,
	type INodeExecutionData,
	type INodeParameters,
	type WorkflowActivateMode,
} from 'n8n-workflow';

import { Container } from '../container.ts';
import { prepare } from '../harness.ts';
import { short } from './events.ts';

/**
 * How n8n keeps a poll trigger's state.
 * - `memory`: the default engine. One context from activation to deactivation; saved with each batch.
 * - `scheduler`: the durable scheduler. Everything is rebuilt for each poll; saved with each batch.
 * - `cursors`: the same with durable cursors. Saved with each batch and with each poll that gives none.
 */
export type Engine = 'memory' | 'scheduler' | 'cursors';
export const ENGINES: readonly Engine[] = ['memory', 'scheduler', 'cursors'];

/** The durable scheduler's default: 45 s minus 20 %. */
const SCHEDULER_BUDGET_MS = 36_000;
const MEMORY_BUDGET_MS = 300_000;

/** The package's triggers, by internal name. */
export type TriggerName =
	| 'chargePointTrigger'
	| 'chargingNetworkRowsTrigger'
	| 'chargingSessionTrigger'
	| 'chargingStationStatusTrigger';

type Poll = (testingTrigger?: boolean) => Promise<void>;

/** A cursor that a poll may change, and as it was saved. */
interface Staged {
	snapshot: IDataObject;
	saved: string;
}

let nextWorkflow = 1;

/** One workflow with the trigger in one n8n. Only the database survives a restart. */
export class TriggerRig {
	/** What n8n's database holds: the workflow's static data and the poller's cursor, as text. */
	readonly database: { staticData: string; cursor: string | null } = { staticData: '{}', cursor: null };
	/** Batches that started an execution, in order. */
	readonly batches: IDataObject[][] = [];
	/** Error executions. */
	readonly errors: Error[] = [];
	/** What was logged for the people who run n8n: warnings and info, not debug output. */
	readonly logs: string[] = [];
	/** Number of writes to the database. */
	saves = 0;
	private losesSaves = false;
	budgetMs: number;
	private poll: Poll | undefined;
	workflowId = `trigger-${nextWorkflow++}`;

	constructor(
		readonly engine: Engine,
		public parameters: INodeParameters,
		public credential: IDataObject,
		public node: Partial<INode> = {},
		private readonly type: TriggerName = 'chargingStationStatusTrigger',
	) {
		this.budgetMs = engine === 'memory' ? MEMORY_BUDGET_MS : SCHEDULER_BUDGET_MS;
	}

	/** The state as n8n writes it into its database, in bytes. */
	get stateSize(): number {
		return Buffer.byteLength(this.engine === 'cursors' ? (this.database.cursor ?? '') : this.database.staticData);
	}

	/** All items so far. */
	get items(): IDataObject[] {
		return this.batches.flat();
	}

	private taken = 0;

	/** Items since the last call. */
	take(): IDataObject[] {
		const items = this.items.slice(this.taken);
		this.taken += items.length;
		return items;
	}

	/** Activates the workflow, with n8n's five attempts. Throws the error of the last one. */
	async activate(
		mode: WorkflowActivateMode = 'activate',
		tries = 5,
		betweenTries?: (n: number) => void,
	): Promise<void> {
		for (let attempt = 1; ; attempt++) {
			try {
				const { poll, workflow } = await this.build(mode, () =>
					this.engine === 'memory' ? this.budgetMs : MEMORY_BUDGET_MS,
				);
				await poll(true);
				this.saveStaticData(workflow);
				this.poll = poll;
				return;
			} catch (error) {
				if (attempt >= tries) throw error;
				betweenTries?.(attempt);
			}
		}
	}

	/** Plays this while no poll is saved although its execution starts, as if n8n was killed in between. */
	async unsaved(play: () => Promise<unknown>): Promise<void> {
		this.losesSaves = true;
		await play();
		this.losesSaves = false;
	}

	/** One tick of the schedule. */
	async tick(): Promise<void> {
		if (this.engine !== 'memory') {
			const { poll } = await this.build('update', () => this.budgetMs);
			await poll();
			return;
		}
		if (!this.poll) throw new Error('The workflow is not active');
		await this.poll();
	}

	/** One tick for which n8n has read this earlier state of the database. */
	async tickFrom(earlier: TriggerRig['database']): Promise<void> {
		const newest = { ...this.database };
		Object.assign(this.database, earlier);
		await this.tick();
		Object.assign(this.database, newest);
	}

	/** Restarts the process. The durable scheduler continues its jobs, the default engine activates again. */
	async restart(): Promise<void> {
		await forgetProcess();
		this.poll = undefined;
		if (this.engine === 'memory') await this.activate('init');
	}

	/** Publishes the workflow again, as after a change of its nodes, in the same process. */
	async republish(
		changes: { parameters?: INodeParameters; node?: Partial<INode>; credential?: IDataObject } = {},
	): Promise<void> {
		this.parameters = changes.parameters ?? this.parameters;
		this.node = { ...this.node, ...changes.node };
		this.credential = changes.credential ?? this.credential;
		if (this.engine === 'memory') await this.activate('update');
	}

	/** As n8n 1 does after an import into a running one: publishes beside what still polls. @returns a tick of that */
	async publishBeside(): Promise<() => Promise<void>> {
		const { poll } = this;
		if (!poll) throw new Error('The workflow is not active');
		await this.activate();
		return async () => await poll();
	}

	/** The node's static data in the database. */
	saved(): IDataObject {
		if (this.engine === 'cursors' && this.database.cursor !== null)
			return JSON.parse(this.database.cursor) as IDataObject;
		const all = JSON.parse(this.database.staticData) as Record<string, IDataObject>;
		return Object.values(all)[0] ?? {};
	}

	/** Events since the last call, in short. */
	told(): string[] {
		return short(this.take());
	}

	/** Fetch Test Event in the editor: n8n gives the node what is saved, and saves nothing. Throws what the user would see. */
	async test(): Promise<IDataObject[] | undefined> {
		const { workflow, node, nodeType, additionalData } = await this.prepared();
		const context = new PollContext(workflow, node, additionalData, 'manual', 'manual');
		const data = await nodeType.poll?.call(context);
		return data?.[0]?.map(({ json }) => json);
	}

	/** The workflow as n8n reads it from its database. */
	private async prepared() {
		const prepared = await prepare({
			type: this.type,
			parameters: { pollTimes: { item: [{ mode: 'everyMinute' }] }, ...this.parameters },
			credential: this.credential,
			node: this.node,
		});
		const { nodeTypes, settings } = prepared.workflow;
		const workflow = new Workflow({
			id: this.workflowId,
			name: this.workflowId,
			nodes: [prepared.node],
			connections: {},
			active: true,
			nodeTypes,
			settings,
			staticData: JSON.parse(this.database.staticData) as IDataObject,
		});
		const node = workflow.getNode(prepared.node.name);
		if (!node) throw new Error('The node is not in its workflow');
		return { ...prepared, workflow, node };
	}

	private async build(activation: WorkflowActivateMode, getPollBudgetMs: () => number) {
		const cursors = this.engine === 'cursors';
		const { workflow, node, additionalData } = await this.prepared();

		const store = new AsyncLocalStorage<Staged>();
		const commit = () => {
			const staged = store.getStore();
			const cursor = JSON.stringify(staged?.snapshot);
			if (!staged || cursor === staged.saved) return;
			staged.saved = cursor;
			if (this.losesSaves) return;
			this.saves++;
			this.database.cursor = cursor;
		};
		const context = new PollContext(
			workflow,
			node,
			// A poll is not an execution yet, so n8n gives it no execution id.
			{ ...additionalData, executionId: undefined },
			'trigger',
			activation,
			(data) => {
				this.batches.push((data[0] ?? []).map(({ json }: INodeExecutionData) => json));
				if (cursors) commit();
				else this.saveStaticData(workflow);
			},
			(error) => this.errors.push(error),
			cursors ? async () => await Promise.resolve(commit()) : undefined,
			cursors
				? async (poll) => {
						const saved = this.database.cursor ?? '{}';
						return await store.run({ snapshot: JSON.parse(saved) as IDataObject, saved }, poll);
					}
				: undefined,
			cursors ? () => store.getStore()?.snapshot ?? {} : undefined,
			getPollBudgetMs,
		);
		const log = (message: string) => void this.logs.push(message);
		Object.defineProperty(context, 'logger', { value: { debug: () => {}, info: log, warn: log, error: log } });
		const poll: Poll = Container.get(PollTriggerExecutor).create(workflow, node, context, () => true);
		return { poll, workflow };
	}

	private saveStaticData(workflow: Workflow): void {
		const { staticData } = workflow;
		if (staticData.__dataChanged !== true || this.losesSaves) return;
		this.saves++;
		this.database.staticData = JSON.stringify(staticData);
		staticData.__dataChanged = false;
	}
}

async function memories(): Promise<Map<string, unknown>> {
	const path = join(process.cwd(), 'dist/nodes/shared/trigger/run/memory.js');
	return ((await import(path)) as { memories: Map<string, unknown> }).memories;
}

/** Forgets what the built package keeps in the memory of this process. */
export async function forgetProcess(): Promise<void> {
	(await memories()).clear();
}

/** Does something in a process that knows nothing of what this one does. */
export async function withOtherProcess(work: () => Promise<unknown>): Promise<void> {
	const all = await memories();
	const own = [...all];
	all.clear();
	await work();
	all.clear();
	for (const [key, memory] of own) all.set(key, memory);
}

/** Fetch Test Event in a workflow that was never live. */
export async function testManually(
	parameters: INodeParameters,
	credential: IDataObject,
	type?: TriggerName,
): Promise<IDataObject[] | undefined> {
	return await new TriggerRig('memory', parameters, credential, {}, type).test();
}
