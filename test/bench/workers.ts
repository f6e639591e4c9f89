import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

import type { Job, Outcome } from './types.ts';

/** What a worker sends back. */
export type Reply = { outcome: Outcome } | { thrown: string };

/** A process that runs jobs, so that the memory and compiled code of one contestant do not affect another. */
class Worker {
	private readonly child: ChildProcess;

	/** @param heapMb the most that V8 may use */
	constructor(profileFolder: string | undefined, heapMb?: number) {
		const profile = profileFolder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`];
		this.child = spawn(
			process.execPath,
			[
				...[
					'--expose-gc',
					...(heapMb === undefined ? [] : [`--max-old-space-size=${heapMb}`]),
					...profile,
					'--require',
					'./test/support/register.cjs',
				],
				...['--eval', 'require("./test/bench/worker.ts")'],
			],
			{ stdio: ['ignore', 'inherit', 'inherit', 'ipc'] },
		);
	}

	async run(job: Job): Promise<Outcome> {
		const settled = new AbortController();
		const { signal } = settled;
		const replies = [
			once(this.child, 'message', { signal }),
			once(this.child, 'exit', { signal }).then(() => [{ thrown: 'The process ended early' }]),
		];
		this.child.send(job);
		const [reply] = (await Promise.race(replies)) as [Reply];
		settled.abort();
		await Promise.allSettled(replies);
		if ('thrown' in reply) throw new Error(reply.thrown);
		return reply.outcome;
	}

	async stop(): Promise<void> {
		if (this.child.exitCode !== null || this.child.signalCode !== null) return;
		const ended = once(this.child, 'exit');
		this.child.disconnect();
		await ended;
	}
}

/** One process for each contestant, started when it is first needed. */
export class Workers {
	private readonly workers = new Map<string, Worker>();
	private readonly profileFolder: string | undefined;

	constructor(profileFolder?: string) {
		this.profileFolder = profileFolder;
	}

	/** Runs a job in the contestant's process, which keeps its compiled code. */
	async run(contestant: string, job: Job): Promise<Outcome> {
		const worker = this.workers.get(contestant) ?? new Worker(this.profileFolder);
		this.workers.set(contestant, worker);
		return await worker.run(job);
	}

	/** Runs two jobs in a new process and returns the result of the second, so that its memory is its own. */
	async runAlone(warmUp: Job, job: Job, heapMb?: number): Promise<Outcome> {
		const worker = new Worker(undefined, heapMb);
		try {
			await worker.run(warmUp);
			return await worker.run(job);
		} finally {
			await worker.stop();
		}
	}

	async stop(): Promise<void> {
		await Promise.all([...this.workers.values()].map((worker) => worker.stop()));
		this.workers.clear();
	}
}
