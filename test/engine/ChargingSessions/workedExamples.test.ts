import { readFileSync } from 'node:fs';

import type { IDataObject } from 'n8n-workflow';

import { ACTIVE, FAILED, FINISHED } from '../../support/sessionTrigger/support.ts';
import { during } from '../../support/summary.ts';
import { at, SummaryBench } from '../../support/summaryBench.ts';

const bench = new SummaryBench();

/** A section of docs/nodes/summarize.md. */
function sectionOf(heading: string): string {
	const section = readFileSync('docs/nodes/summarize.md', 'utf8')
		.split(/^## /m)
		.find((each) => each.startsWith(heading));
	if (section === undefined) throw new Error(`The page has no section ${heading}`);
	return section;
}

/** The rows of the first table, without its head. */
const rowsOf = (section: string) =>
	[...section.matchAll(/^\| (.*) \|$/gm)].slice(1).map(([, row = '']) => row.split(' | '));

/** What a pattern finds in a text. */
function found(text: string, pattern: RegExp): string[] {
	const match = pattern.exec(text.replaceAll(/\s+/g, ' '));
	if (!match) throw new Error(`The page does not say ${pattern.source}`);
	return match.slice(1);
}

it('visit success comes out as its example shows', async () => {
	const section = sectionOf('Visit success');
	const codes: Record<string, number> = { Failed: FAILED, Finished: FINISHED, Active: ACTIVE };
	const rows = rowsOf(section);
	expect(rows.length).toBeGreaterThan(5);
	bench.store(
		rows.map(([driver = '', station = '', start = '', status = '']) => {
			const code = codes[status];
			if (code === undefined) throw new Error(`The example has a status ${status}`);
			return { start: at(`2026-10-20T${start}`), status: code, driver, station };
		}),
	);
	const [minutes] = found(section, /An example with (\d+) minutes:/);
	const visits = { driverField: 'UserName', placeField: 'StationName', visitMinutes: Number(minutes) };
	const { json } = await bench.summarize({ function: 'visitSuccess', ...visits }, during('2026-10-20', '2026-10-21'), {
		measures: { values: [{ function: 'visitSuccess', ...visits }, { function: 'successRate' }] },
	});
	const item = json[0] ?? {};
	const [shown] = found(section, /```json (.*?) ```/);
	expect(item).toMatchObject(JSON.parse(shown ?? '') as IDataObject);
	const [rate, finished, sessions, success, succeeded, decided] = found(
		section,
		/success rate is ([\d.]+) % \((\d+) of (\d+) sessions\)\. The visit success is ([\d.]+) %: (\d+) of (\d+) visits/,
	).map(Number);
	expect(item.successRate).toBeCloseTo(rate ?? 0, 1);
	expect(item.successRateSessions).toBe(sessions);
	expect(finished).toBe(rows.filter(([, , , status]) => status === 'Finished').length);
	expect(item.visitSuccess).toBeCloseTo(success ?? 0, 1);
	expect(succeeded).toBe(Number(item.visitSuccessFirstTry) + Number(item.visitSuccessAfterTrouble));
	expect(decided).toBe(Number(item.visitSuccessVisits) - Number(item.visitSuccessUndecided));
	// The last column numbers the visits, and names how each ends.
	const endings = rows.flatMap(([, , , , visit = '']) => /`(\w+)`/.exec(visit)?.[1] ?? []);
	expect(new Set(rows.map(([, , , , visit = '']) => Number.parseInt(visit))).size).toBe(item.visitSuccessVisits);
	expect(endings).toHaveLength(Number(item.visitSuccessVisits));
	for (const ending of ['FirstTry', 'AfterTrouble', 'Failed', 'Undecided'])
		expect([ending, endings.filter((each) => each === ending).length]).toEqual([ending, item[`visitSuccess${ending}`]]);
});

it('use comes out as its example shows', async () => {
	const section = sectionOf('Duration and use');
	const [a1, a2, a3, a4, b1, b2] = found(
		section,
		/a day, charge point A from (\d\d:\d\d) to (\d\d:\d\d) and from (\d\d:\d\d) to (\d\d:\d\d) \(.*?\), B from (\d\d:\d\d) to (\d\d:\d\d) of the next day:/,
	);
	const on = (time = '', day = 20) => at(`2026-10-${day}T${time}`);
	bench.store([
		{ start: on(a1), end: on(a2), point: 'A' },
		{ start: on(a3), end: on(a4), point: 'A' },
		{ start: on(b1), end: on(b2, 21), point: 'B' },
	]);
	const use = { function: 'use', endField: 'EndedAtUtc', chargePointField: 'Note' };
	const item = (await bench.summarize(use, during('2026-10-20', '2026-10-21'))).json[0] ?? {};
	const rows = rowsOf(section);
	expect(rows.map(([figure]) => figure)).toEqual(['`useHours`', '`useHoursPossible`', '`use`', '`useWithoutEnd`']);
	for (const [figure = '', value] of rows) {
		const got = Number(item[figure.replaceAll('`', '')]);
		expect([figure, Number(got.toFixed(2))]).toEqual([figure, Number(value)]);
	}
});
