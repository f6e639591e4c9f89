import { readFileSync } from 'node:fs';

import { DateTime } from 'luxon';

import { evaluate } from '../../support/expression.ts';
import { during } from '../../support/summary.ts';
import { SummaryBench, ZONE } from '../../support/summaryBench.ts';

const bench = new SummaryBench();

it('how busy charge points are comes out as the recipe shows', async () => {
	const [, recipe = ''] = readFileSync('docs/recipes.md', 'utf8').split('## How busy charge points are');
	const [section = ''] = recipe.split(/^## /m);
	const sessions = [...section.matchAll(/^\| [AB] \| (\d+ \w+, [\d:]+) \| (\d+ \w+, [\d:]+) \| (\d+) \|$/gm)];
	expect(sessions).toHaveLength(3);
	const time = (written = '') =>
		DateTime.fromFormat(`2026 ${written}`, 'yyyy d MMMM, HH:mm', { zone: ZONE }).toSeconds();
	bench.store(sessions.map(([, from, to]) => ({ start: time(from), end: time(to) })));
	const measure = { function: 'duration', endField: 'EndedAtUtc' };
	const { json } = await bench.summarize(measure, during('2026-10-01T00:00:00', '2026-11-01T00:00:00'));
	const [, hours, possible, percent] =
		/together (\d+) hours.*?(\d+) hours.*?\*\*([\d.]+) %\*\*/s.exec(section.replaceAll(/\s+/g, ' ')) ?? [];
	expect(sessions.map((found) => Number(found[3])).reduce((sum, each) => sum + each)).toBe(Number(hours));
	expect(json[0]?.duration).toBe(Number(hours));
	const now = DateTime.fromISO('2026-11-15T12:00:00', { zone: ZONE });
	const [, expression = ''] = /(\{\{ \(100 .*? \}\})/.exec(section) ?? [];
	expect(evaluate(`=${expression}`, { input: json, now })).toBeCloseTo((100 * Number(hours)) / (2 * 745), 9);
	expect(Number(possible)).toBe(2 * 745);
	expect(Number(percent)).toBe(Number(((100 * Number(hours)) / Number(possible)).toFixed(2)));
});
