import type { RateLimit, RequestRecord } from '../platform/index.ts';
import type { StandInProcess } from './standIn.ts';
import type { Job, Outcome } from './types.ts';
import type { Workers } from './workers.ts';

/** A job without the address of the platform. */
export type Task = Job extends infer Each ? (Each extends Job ? Omit<Each, 'baseUrl' | 'key'> : never) : never;

export interface Contestant {
	/** Also the name of its process. */
	label: string;
	task: Task;
}

/** One job of one contestant. */
export interface Sample extends Outcome {
	requests: RequestRecord[];
}

export interface Conditions {
	latencyMs: number;
	rateLimit?: RateLimit;
	rounds: number;
}

/** All samples of a contest, by contestant, in the order of the rounds. */
export class Results {
	private readonly samples = new Map<string, Sample[]>();

	add(label: string, sample: Sample): void {
		const known = this.samples.get(label);
		if (known) known.push(sample);
		else this.samples.set(label, [sample]);
	}

	has(label: string): boolean {
		return this.samples.has(label);
	}

	labels(): string[] {
		return [...this.samples.keys()];
	}

	of(label: string): Sample[] {
		const samples = this.samples.get(label);
		if (!samples) throw new Error(`${label} did not take part`);
		return samples;
	}

	/** The first sample, for values that do not vary between rounds. */
	one(label: string): Sample {
		const [first] = this.of(label);
		if (!first) throw new Error(`${label} has no sample`);
		return first;
	}

	median(label: string, value: (sample: Sample) => number): number {
		return median(this.of(label).map(value));
	}

	/** Median of the ratios per round: if the machine is slow in one round, it slows both. */
	ratio(label: string, to: string, value: (sample: Sample) => number = ({ ms }) => ms): number {
		const others = this.of(to);
		return median(
			this.of(label).map((sample, round) => {
				const other = others[round];
				return other ? value(sample) / value(other) : Number.NaN;
			}),
		);
	}
}

/** Runs every contestant's task once per round, one after another. */
export async function contest(
	platform: StandInProcess,
	workers: Workers,
	contestants: readonly Contestant[],
	{ latencyMs, rateLimit, rounds }: Conditions,
): Promise<Results> {
	const results = new Results();
	for (let round = 0; round < rounds; round++) {
		for (const { label, task } of contestants) {
			await platform.prepare({ latencyMs, rateLimit });
			results.add(label, await sampleOf(platform, (job) => workers.run(label, job), task));
		}
	}
	return results;
}

/** Runs one job and adds the requests that the platform recorded. */
export async function sampleOf(
	platform: StandInProcess,
	run: (job: Job) => Promise<Outcome>,
	task: Task,
): Promise<Sample> {
	const { baseUrl, key } = platform;
	const outcome = await run({ ...task, baseUrl, key });
	const requests = await platform.requests();
	return { ...outcome, requests: requests.filter(({ at }) => at >= outcome.beganAt) };
}

/** The middle value, or the mean of the two middle ones. */
export function median(values: readonly number[]): number {
	const sorted = values.toSorted((a, b) => a - b);
	const middle = (sorted.length - 1) / 2;
	return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2;
}
