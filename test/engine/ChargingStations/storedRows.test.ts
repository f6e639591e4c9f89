import { readFileSync } from 'node:fs';
import type { IDataObject } from 'n8n-workflow';

import { startPlatform, type StandIn } from '../../platform/index.ts';
import { credentialFor, runNode } from '../../support/harness.ts';
import { setTimeOfDay } from '../../support/timeOfDay.ts';

const FOLDER = `${__dirname}/stored`;
const STORED = JSON.parse(readFileSync(`${FOLDER}/rows.json`, 'utf8')) as Record<string, IDataObject[]>;
/** What *Availability* made of these rows before rows could have a cause. */
const FIGURES = `${FOLDER}/figures.json`;

let platform: StandIn;

beforeAll(async () => {
	setTimeOfDay(Date.parse('2026-07-02T10:00:00Z'));
	platform = await startPlatform({ sessions: 10, stations: 6 });
});
afterAll(async () => {
	await platform.close();
	jest.useRealTimers();
});

async function figuresOf(table: string, preset: string, result: string, period: string): Promise<IDataObject[]> {
	const { json, error } = await runNode({
		type: 'chargingStations',
		credential: credentialFor(platform),
		timezone: 'Europe/Berlin',
		parameters: { operation: 'availability', period, days: preset === 'minutesOfYear' ? 365 : 20, preset, result },
		items: STORED[table] ?? [],
	});
	expect(error).toBeUndefined();
	return json;
}

describe('rows of tables without causes', () => {
	const cases = Object.keys(STORED).flatMap((table) =>
		[
			['share', 'lastMonth'],
			['unknownUp', 'lastMonth'],
			['share', 'thisMonth'],
			['unknownUp', 'lastDays'],
			['minutesOfYear', 'lastDays'],
		].flatMap(([preset = '', period = '']) =>
			['stations', 'network'].map((result): [string, string, string, string] => [table, preset, result, period]),
		),
	);

	it('give the figures that they have always given', async () => {
		const figures: Record<string, IDataObject[]> = {};
		for (const each of cases) figures[each.join(' ')] = await figuresOf(...each);
		expect(figures).toMatchObject(JSON.parse(readFileSync(FIGURES, 'utf8')) as object);
	});
});
