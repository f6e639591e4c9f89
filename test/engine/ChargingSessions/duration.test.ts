import type { INodeParameters } from 'n8n-workflow';

import { credentialFor, runNode } from '../../support/harness.ts';
import { during } from '../../support/summary.ts';
import { at, SummaryBench, ZONE } from '../../support/summaryBench.ts';

const bench = new SummaryBench();
const DURATION = { function: 'duration', endField: 'EndedAtUtc' };
const [FROM, TO] = ['2026-10-19T00:00:00', '2026-11-02T00:00:00'];
const HOUR = 3600;
const noon = at('2026-10-21T12:00:00');

const summarize = async (parameters: INodeParameters = {}, measure: INodeParameters = DURATION) =>
	await bench.summarize(measure, during(FROM, TO), parameters);

it('adds up hours, and counts apart what has no end', async () => {
	bench.store([
		{ start: noon, end: noon + HOUR },
		{ start: noon, end: noon + 2.5 * HOUR },
		{ start: noon, end: null },
		{ start: noon, end: '0001-01-01T00:00:00' },
		{ start: noon, end: noon - 1 },
		{ start: noon, end: 'soon' },
	]);
	const { json, hints } = await summarize();
	expect(json[0]).toMatchObject({
		...{ count: 6, duration: 3.5, durationAverage: 1.75, durationLongest: 2.5, durationWithoutEnd: 2 },
	});
	expect(hints.map(({ message }) => message)).toEqual([
		'2 sessions have something other than a time that is not before the start in EndedAtUtc. The figures of that field leave it out.',
	]);
});

it('of no session is nothing', async () => {
	const { json } = await summarize();
	expect(json[0]).toMatchObject({ duration: 0, durationAverage: null, durationLongest: null, durationWithoutEnd: 0 });
});

it('of a session that goes on after the period is whole, and one from before is none of it', async () => {
	bench.store([
		{ start: at(TO) - HOUR, end: at(TO) + 5 * HOUR },
		{ start: at(FROM) - HOUR, end: at(FROM) + HOUR },
	]);
	const { json } = await summarize({ groupBy: ['day'], result: 'itemPerGroup' });
	expect(json).toMatchObject([{ day: '2026-11-01', count: 1, duration: 6 }]);
	expect(json).toHaveLength(1);
});

it('is refused without an end before anything is sent', async () => {
	const { error } = await summarize({}, { ...DURATION, endField: '' });
	expect(error?.message).toMatch(/^Measures: measure 1: End Field Name or ID: nothing is chosen/);
	expect(bench.platform.requests).toHaveLength(0);
});

it('Charging Network List has it, too', async () => {
	bench.store([{ start: noon, end: noon + HOUR }]);
	const run = async (groupByDateField: string) =>
		await runNode({
			type: 'chargingNetworkList',
			credential: credentialFor(bench.platform),
			timezone: ZONE,
			parameters: {
				...{ operation: 'summary', list: { __rl: true, mode: 'path', value: '/api/charging-sessions/v1' } },
				...{ measures: { values: [DURATION] }, groupBy: [], groupByDateField },
			},
		});
	expect((await run('StartedAtUtc')).json[0]).toMatchObject({ duration: 1 });
	expect((await run('')).error?.message).toMatch(/^Date Field Name or ID: nothing is chosen/);
});
