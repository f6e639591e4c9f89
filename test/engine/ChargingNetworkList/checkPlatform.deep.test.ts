/** Two switches of the stand-in at random, and rows at random: what Check Platform says is so, and nobody's data is in it. */
import fc from 'fast-check';

import { CheckBench, claimsIn } from '../../support/checkPlatform/support.ts';
import { merged, SWITCHES, type Switch } from '../../support/checkPlatform/switches.ts';
import { draws } from '../../support/draws.ts';

const bench = new CheckBench();
const PAIRS = draws(400);

const pairOf = fc
	.uniqueArray(fc.constantFrom(...Object.keys(SWITCHES)), { minLength: 2, maxLength: 2 })
	.chain((parts) => fc.tuple(...parts.map((part) => fc.constantFrom(...(SWITCHES[part] ?? [])))));

/**
 * Where one switch hides the other: the first answer is a refusal, so that there is no empty one; or no node can know
 * why a page was refused.
 */
const isHidden = (pair: readonly Switch[]) => {
	const { takeOverClamp, errorBody, lists } = merged(pair);
	return takeOverClamp === 'refuse' && (lists?.emptyAnswers === 1 || errorBody === 'html' || errorBody === 'empty');
};

/** What is wrong with the findings for these switches. */
async function faultsOf(pair: readonly Switch[]): Promise<object[]> {
	bench.platform.reset();
	const { findings, requests } = await bench.check(merged(pair));
	const due = pair.flatMap(({ finds }) => finds);
	const may = new Set([...due, ...pair.flatMap(({ affects = [] }) => affects)]);
	const noticed = new Set(findings.filter(({ result }) => result !== 'as specified').map(({ check }) => check));
	return [
		...claimsIn(findings).filter(({ check }) => !may.has(check)),
		...due.filter((check) => !noticed.has(check)).map((missed) => ({ missed })),
		...(requests.length > 60 ? [{ requests: requests.length }] : []),
	];
}

it(`each of two switches is found or cannot be told, and nothing else is claimed, in ${PAIRS} draws`, async () => {
	const wrong: object[] = [];
	await fc.assert(
		fc.asyncProperty(pairOf, async (pair) => {
			fc.pre(!isHidden(pair));
			const faults = await faultsOf(pair);
			if (faults.length > 0) wrong.push({ behaviour: JSON.stringify(pair.map(({ behaviour }) => behaviour)), faults });
		}),
		{ numRuns: PAIRS },
	);
	expect(wrong).toEqual([]);
}, 900_000);
