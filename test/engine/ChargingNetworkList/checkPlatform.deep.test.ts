/** Two switches of the stand-in at random, and rows at random: what Check Platform says is so, and nobody's data is in it. */
import fc from 'fast-check';

import { CheckBench, claimsIn } from '../../support/checkPlatform/support.ts';
import { merged, SWITCHES, type Switch } from '../../support/checkPlatform/switches.ts';
import { draws } from '../../support/draws.ts';

const bench = new CheckBench();
const PAIRS = draws(400);
const ROWS = draws(200);

const pairOf = fc
	.uniqueArray(fc.constantFrom(...Object.keys(SWITCHES)), { minLength: 2, maxLength: 2 })
	.chain((parts) => fc.tuple(...parts.map((part) => fc.constantFrom(...(SWITCHES[part] ?? [])))));

/**
 * Where one switch hides the other: the first answer is a refusal, so that there is no empty one; no node can know why
 * a page was refused; every page is; or each page has all rows, so that its count is right.
 */
const isHidden = (pair: readonly Switch[]) => {
	const { takeOverClamp, errorBody, lists } = merged(pair);
	const isSilent = errorBody === 'html' || errorBody === 'empty';
	const isTakeIgnored = lists?.listensTo?.take === false;
	return (
		(takeOverClamp === 'refuse' && (lists?.emptyAnswers === 1 || isSilent || isTakeIgnored)) ||
		(isTakeIgnored && lists?.count === 'page')
	);
};

/** What is wrong with the findings for these switches. */
async function faultsOf(pair: readonly Switch[]): Promise<object[]> {
	bench.platform.reset();
	const { findings, requests } = await bench.check(merged(pair));
	// Where each answer says that it failed, that must be found; no row of it is looked at, so nothing else can be.
	const failing = pair.filter(({ behaviour: { lists } }) => lists?.failure !== undefined);
	const due = (failing.length > 0 ? failing : pair).flatMap(({ finds }) => finds);
	const may = new Set(pair.flatMap(({ finds, affects = [] }) => [...finds, ...affects]));
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

/** Columns that may hold anything. */
const TEXTS = {
	sessions: ['StationName', 'UserName', 'Currency', 'Note', 'StartedAtUtc', 'EndedAtUtc', 'Status'],
	stations: ['Name', 'LocationName', 'LastHeartbeatAtUtc', 'NetworkStatus', 'HardwareStatus'],
	locations: ['Name', 'City', 'Country'],
} as const;
/** Marks in texts, numbers, times and Ids. */
const MARKS = /zqmark|556677|918273|2031/i;

const textOf = fc.tuple(
	fc.string({ unit: 'binary', maxLength: 20 }),
	fc.constantFrom('zqmark', 'Zqmark Åkesson', 'zqmark|x\n', '2031-04-05T06:07:08'),
);

/** Every row gets marked values: numbers and Ids everywhere, text and times in the drawn columns. */
function mark(columns: readonly string[], [random, text]: [string, string]): void {
	const { db } = bench.platform;
	for (const [list, names] of Object.entries(TEXTS)) {
		db.exec(`UPDATE ${list} SET Id = Id + 918273000`);
		for (const name of names.filter((each) => columns.includes(each))) {
			db.prepare(`UPDATE ${list} SET ${name} = ? || CASE WHEN Id % 3 = 0 THEN ? ELSE '' END`).run(text, random);
		}
	}
	db.exec('UPDATE sessions SET EnergyConsumed = 556677 + Id % 100, Price = 556677.5');
	const inside = JSON.stringify([{ Status: 1, Label: text, Deep: { zqmark: text } }]);
	db.prepare('UPDATE stations SET EVSEs = ?, Firmware = ?').run(inside, JSON.stringify({ Version: text }));
}

it(`nothing of a row is in the findings or the report, in ${ROWS} draws`, async () => {
	const columns = [...new Set(Object.values(TEXTS).flat())];
	await fc.assert(
		fc.asyncProperty(
			pairOf,
			fc.subarray(columns),
			textOf,
			fc.constantFrom('oneReport', 'itemPerFinding'),
			async (pair, drawn, text, result) => {
				bench.platform.reset();
				const { json } = await bench.run(merged(pair), { result }, undefined, () => mark(drawn, text));
				const shown = JSON.stringify(json);
				expect(MARKS.exec(shown)?.[0]).toBeUndefined();
			},
		),
		{ numRuns: ROWS },
	);
}, 900_000);
