/** One contestant's process: runs the jobs it is sent, one at a time, until its parent disconnects. */
import '../support/setup.ts';
import { rmSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks';
import max from 'lodash/max.js';
import sumBy from 'lodash/sumBy.js';

import type { Job, Outcome } from './types.ts';
import type { Reply } from './workers.ts';

/** What a contestant returns when the clock has stopped: rows are counted afterwards. */
export interface Finished {
	status: string;
	message?: string;
	countRows: () => number;
	storedBytes?: number;
}

// Contestants are loaded on demand, so that a raw client's process does not load n8n.
async function perform(job: Job): Promise<() => Promise<Finished>> {
	switch (job.kind) {
		case 'read': {
			if (job.reader === 'raw') return (await import('./raw.ts')).rawReader(job);
			return await (await import('./engine.ts')).engineReader(job);
		}
		case 'export': {
			if (job.exporter === 'raw') return (await import('./raw.ts')).rawExporter(job);
			return await (await import('./engine.ts')).engineExporter(job);
		}
		case 'operation':
			return await (await import('./engine.ts')).operationRunner(job);
		case 'availability':
			return await (await import('./engine.ts')).availabilityRunner(job);
		case 'poll':
			return await (await import('./polls.ts')).pollRunner(job);
	}
}

/** Shorter stretches are not looked at. */
const LONG_STRETCH_MS = 5;

async function measured(job: Job): Promise<Outcome> {
	const start = await perform(job);
	collectGarbage();
	const memory = job.watchMemory ? watchMemory(job.watchMemory) : undefined;
	const loop = job.watchLoop ? monitorEventLoopDelay({ resolution: 1 }) : undefined;
	loop?.enable();
	const stretches = job.watchLoop ? watchStretches() : undefined;
	const cpuBefore = process.cpuUsage();
	const beganAt = Date.now();
	const began = performance.now();
	const finished = await start();
	const ms = performance.now() - began;
	const { user, system } = process.cpuUsage(cpuBefore);
	const blockedMs = loop && loop.max / 1e6;
	loop?.disable();
	const blocked = await stretches?.();
	const memoryMb = memory?.();
	const { countRows, ...rest } = finished;
	return { beganAt, ms, cpuMs: (user + system) / 1000, memoryMb, blockedMs, ...blocked, rows: countRows(), ...rest };
}

/** A time in which the process did one thing, from the milliseconds `from` to `to`. */
interface Stretch {
	from: number;
	to: number;
	cpuMs: number;
}

/**
 * Returns a function that ends the watch and returns the most CPU time that the main thread took between two turns, and
 * the longest time of its own work there: without V8's garbage collection.
 */
function watchStretches(): () => Promise<Pick<Outcome, 'blockedCpuMs' | 'ownMs'>> {
	const collections: Stretch[] = [];
	const observer = new PerformanceObserver((list) => {
		for (const { startTime: from, duration } of list.getEntries())
			collections.push({ from, to: from + duration, cpuMs: duration });
	});
	observer.observe({ entryTypes: ['gc'] });
	const cpuTime = () => {
		const { user, system } = process.threadCpuUsage();
		return (user + system) / 1000;
	};
	const stretches: Stretch[] = [];
	let [from, before] = [performance.now(), cpuTime()];
	let isWatching = true;
	const look = () => {
		const [to, after] = [performance.now(), cpuTime()];
		if (to - from >= LONG_STRETCH_MS) stretches.push({ from, to, cpuMs: after - before });
		[from, before] = [to, after];
		if (isWatching) setImmediate(look);
	};
	setImmediate(look);
	return async () => {
		isWatching = false;
		look();
		// What is observed is told in a later turn.
		await setTimeout(50);
		observer.disconnect();
		const ownMs = stretches.map((stretch) => stretch.cpuMs - sumBy(within(stretch, collections), 'cpuMs'));
		return { blockedCpuMs: max(stretches.map(({ cpuMs }) => cpuMs)) ?? 0, ownMs: max(ownMs) ?? 0 };
	};
}

function within({ from, to }: Stretch, all: readonly Stretch[]): Stretch[] {
	return all.filter((one) => one.from >= from && one.to <= to);
}

function collectGarbage(): void {
	if (!globalThis.gc) throw new Error('Run this with --expose-gc');
	void globalThis.gc();
}

/** Returns a function that ends the watch and returns the largest growth of memory, in MB. */
function watchMemory(what: 'resident' | 'held'): () => number {
	const now = () => {
		if (what === 'resident') return process.memoryUsage.rss();
		collectGarbage();
		const { heapUsed, external } = process.memoryUsage();
		return heapUsed + external;
	};
	const before = now();
	let peak = before;
	const look = () => (peak = Math.max(peak, now()));
	const timer = setInterval(look, what === 'resident' ? 20 : 100);
	return () => {
		clearInterval(timer);
		look();
		return (peak - before) / 1e6;
	};
}

process.on('message', (job: Job) => {
	void measured(job)
		.then(
			(outcome): Reply => ({ outcome }),
			(thrown: unknown): Reply => ({
				thrown: thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown),
			}),
		)
		.then((reply) => process.send?.(reply));
});
process.on('disconnect', () => {
	rmSync(process.env.N8N_USER_FOLDER ?? '', { recursive: true, force: true });
	process.exit();
});
