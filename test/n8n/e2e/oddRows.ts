import assert from 'node:assert/strict';
import { it } from 'node:test';

import type { Execution } from '../client.ts';
import { exampleFiles, readExample, type Showcase } from '../showcase.ts';

const name = (column: string) =>
	`${column} = CASE Id % 5 WHEN 0 THEN NULL WHEN 1 THEN '' WHEN 2 THEN ' ' WHEN 3 THEN 'Depot' ELSE ${column} END`;

const NO_ROWS = 'no rows';

/** Rows as platforms have them, made of the stand-in's. */
const ODD: Readonly<Record<string, string>> = {
	'blank names, one name of many, and no start': `UPDATE stations SET ${name('Name')};
		UPDATE sessions SET ${name('StationName')}, ${name('UserName')};
		UPDATE sessions SET StartedAtUtc = NULL WHERE Id % 7 = 0`,
	[NO_ROWS]: 'DELETE FROM sessions; DELETE FROM stations',
};

/** What a person would wonder about: a value that is none, or a bullet or cell with nothing in it. */
const UNCLEAR = /\b(undefined|null|NaN|Invalid DateTime)\b|• *(\n|$|\(|:)|<td[^>]*><\/td>/;

/** The texts that n8n's own nodes made of the rows, by node. */
function unclearTexts(execution: Execution, own: ReadonlySet<string>): string[] {
	return Object.entries(execution.data.resultData.runData)
		.filter(([node]) => own.has(node))
		.flatMap(([node, runs]) => {
			const items = runs.flatMap(({ data }) => data?.main?.flat() ?? []).map((item) => item?.json);
			const unclear: string[] = [];
			JSON.stringify(items, (_, value: unknown) => {
				const part = typeof value === 'string' ? UNCLEAR.exec(value) : null;
				if (part) unclear.push(`${node}: ${part.input.slice(Math.max(0, part.index - 80), part.index + 80)}`);
				return value;
			});
			return unclear;
		});
}

/** Whether an example reads lists, and nothing else: a trigger without rows has no sample, and says so. */
function readsLists(file: string): boolean {
	const own = readExample(file).nodes.filter(({ type }) => type.startsWith('n8n-nodes-charging-network.'));
	return own.length > 0 && own.every(({ type }) => !type.endsWith('Trigger'));
}

/** Runs every example on rows that have no names and no start, and on none, and reads what a person would. */
export function oddRowTests({ n8n, platform, workflows }: Showcase): void {
	for (const [rows, sql] of Object.entries(ODD)) {
		for (const file of exampleFiles().filter((each) => rows !== NO_ROWS || readsLists(each))) {
			it(`${file}: ${rows}`, async () => {
				platform.db.exec(`SAVEPOINT odd; ${sql}`);
				try {
					const execution = await n8n.execute(workflows.get(file) ?? '');
					const { error } = execution.data.resultData;
					assert.equal(execution.status, 'success', `${error?.message} ${error?.description}`);
					const sets = readExample(file).nodes.filter(({ type }) => /\.(set|html)$/.test(type));
					assert.deepEqual(unclearTexts(execution, new Set(sets.map((node) => node.name))), []);
				} finally {
					platform.db.exec('ROLLBACK TO odd; RELEASE odd');
				}
			});
		}
	}
}
