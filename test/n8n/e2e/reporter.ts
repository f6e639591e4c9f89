import type { TestEvent } from 'node:test/reporters';

const INDENT = '  ';

/**
 * Prints one line for each test as it ends, its failure below it, and at the end "N passed, N failed". Node's own
 * reporters hold back a suite until it ends, and here a suite may take minutes.
 */
export default async function* report(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
	let passed = 0;
	let failed = 0;
	let skipped = 0;
	const started = Date.now();
	/** The last suite or test that began at each depth, until it is printed as a heading. */
	const begun: (string | undefined)[] = [];
	for await (const event of source) {
		if (event.type === 'test:dequeue') {
			const { name, nesting } = event.data;
			for (let depth = 0; depth < nesting; depth++) {
				if (begun[depth] !== undefined) yield `${INDENT.repeat(depth)}${begun[depth]}\n`;
				begun[depth] = undefined;
			}
			begun[nesting] = name;
		}
		if (event.type !== 'test:complete') continue;
		const { name, nesting, details, skip } = event.data;
		const indent = INDENT.repeat(nesting);
		const seconds = (details.duration_ms / 1000).toFixed(1);
		const isSuite = details.type === 'suite';
		if (details.passed && isSuite) continue;
		if (skip !== undefined && skip !== false) {
			skipped++;
			yield `${indent}-    ${name}: ${String(skip)}\n`;
		} else if (details.passed) {
			passed++;
			yield `${indent}ok   ${name} (${seconds} s)\n`;
		} else if (hasFailure(details.error, 'cancelledByParent')) {
			// The setup of its suite failed, which is reported below.
			if (!isSuite) failed++;
		} else if (!hasFailure(details.error, 'subtestsFailed')) {
			failed++;
			yield `${indent}FAIL ${name} (${seconds} s)\n${textOf(details.error, indent)}\n`;
		}
	}
	const minutes = ((Date.now() - started) / 60_000).toFixed(1);
	yield `\nTook ${minutes} minutes${skipped > 0 ? `; ${skipped} left out` : ''}\n`;
	yield `${passed} passed, ${failed} failed\n`;
}

/** Whether a failure is of this kind. A suite that fails because of its tests adds nothing new. */
function hasFailure(error: Error | undefined, type: 'cancelledByParent' | 'subtestsFailed'): boolean {
	return error !== undefined && 'failureType' in error && error.failureType === type;
}

function textOf(error: Error | undefined, indent: string): string {
	const cause: unknown = error?.cause ?? error;
	return withCauses(cause)
		.split('\n')
		.filter((line) => !/^\s+at .*(?:node:internal|node:test)/.test(line))
		.map((line) => `${indent}     ${line}`)
		.join('\n');
}

/** "fetch failed" alone says nothing; the reason is in its cause. */
function withCauses(error: unknown): string {
	if (!(error instanceof Error)) return String(error);
	const text = error.stack ?? error.message;
	return error.cause === undefined ? text : `${text}\nbecause of ${withCauses(error.cause)}`;
}
