/**
 * A function that takes more than linear time for some text holds up n8n. These tests give every function that reads
 * text from the platform or a user the worst texts of each kind.
 */

export type Call = (text: string) => unknown;

/** Quadratic code that takes half a second for the shorter text takes nearly five for the longer one. */
const SHORT = 40_000;
const LONG = 120_000;
/**
 * CPU time, in milliseconds, which other processes hardly lengthen. Linear code takes less than a fiftieth of it on an idle
 * machine; on a busy one memory is slower, and the collection of garbage counts as well.
 */
const MOST_MS = 1_000;

/** The CPU time of a call in milliseconds. A slow one is measured again: it may have included a garbage collection. */
async function timeOf(call: Call, text: string, mostMs: number): Promise<number> {
	let least = Infinity;
	for (let turn = 0; turn < 3 && least > mostMs; turn++) {
		const start = process.cpuUsage();
		try {
			await call(text);
		} catch {
			// Whether the text is accepted is tested elsewhere.
		}
		const { user, system } = process.cpuUsage(start);
		least = Math.min(least, (user + system) / 1000);
	}
	return least;
}

/**
 * Calls every function with a short and a long text of one kind, and returns a line for each slow one.
 *
 * @param make a text of about so many characters
 * @param mostMs for the long text
 */
export async function slowCalls(
	calls: Record<string, Call | readonly Call[]>,
	make: (length: number) => string,
	mostMs = MOST_MS,
): Promise<string[]> {
	for (const length of [SHORT, LONG]) {
		const text = make(length);
		const slow: string[] = [];
		for (const [name, call] of Object.entries(calls)) {
			for (const [index, one] of [call].flat().entries()) {
				const time = await timeOf(one, text, mostMs);
				if (time > mostMs) slow.push(`${name} ${index}: ${Math.round(time)} ms for ${length} characters`);
			}
		}
		// The long text would take minutes.
		if (slow.length > 0) return slow;
	}
	return [];
}
