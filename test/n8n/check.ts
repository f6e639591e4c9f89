import { isDeepStrictEqual } from 'node:util';

import type { IDataObject } from 'n8n-workflow';

import { EXPECTATIONS, expectedRows, type Expectation, type ExpectedRow, type Ground } from './expectations.ts';
import { outputOf, type Execution, type N8nClient } from './client.ts';
import { CREDENTIAL_TYPE, type Furnishing } from './showcase.ts';
import type { Log } from './tools.ts';

interface Line {
	Workflow: string;
	Node: string;
	Items: number | string;
	Expected: string;
	Result: string;
}

/** Where the examples are run. */
type Place = Pick<Furnishing, 'platform' | 'workflows'> & { n8n: N8nClient };

/** One comparison: what a node of an example returned and what it must return. */
export interface Finding {
	node: string;
	/** The number of items, if the node ran. */
	items: number | string;
	expected: string;
	/** What is not as expected. */
	difference?: string;
}

/**
 * Runs every example in the real n8n and compares what its nodes return with SQL on the stand-in's database. Prints a
 * table, and the differences below it.
 *
 * @returns whether everything was as expected
 */
export async function checkExamples(
	showcase: Place & Pick<Furnishing, 'credentialTest'>,
	timezone: string,
	log: Log,
): Promise<boolean> {
	const differences: string[] = [];
	const lines: Line[] = [];
	const add = (workflow: string, { node, items, expected, difference }: Finding) => {
		lines.push({
			Workflow: workflow,
			Node: node,
			Items: items,
			Expected: expected,
			Result: difference ? 'DIFFERS' : 'ok',
		});
		if (difference) differences.push(`${workflow}, ${node}: ${difference}`);
	};

	const { status, message } = showcase.credentialTest;
	add('(credential)', {
		node: CREDENTIAL_TYPE,
		items: '-',
		expected: 'its test passes',
		difference: status === 'OK' ? undefined : message,
	});
	const files = new Set([...Object.keys(EXPECTATIONS), ...showcase.workflows.keys()]);
	for (const file of [...files].sort()) {
		log(`Running ${file}`);
		for (const finding of await checkExample(showcase, timezone, file)) add(file, finding);
	}
	log(table(lines));
	for (const text of differences) log(text);
	log(`${lines.length - differences.length} passed, ${differences.length} failed`);
	return differences.length === 0;
}

/** Runs one example by its file name and compares what its nodes return. One that cannot be run is a finding. */
export async function checkExample(showcase: Place, timezone: string, file: string): Promise<Finding[]> {
	const ground: Ground = { db: showcase.platform.db, timezone };
	const cannot = (expected: string, difference: string) => [{ node: '-', items: 0, expected, difference }];
	const id = showcase.workflows.get(file);
	if (id === undefined) return cannot('an example', 'there is no such file in examples/.');
	const expectations = EXPECTATIONS[file];
	if (!expectations) return cannot('an entry in expectations.ts', 'nothing says what this example must return.');
	for (const expectation of expectations) expectation.before?.(showcase.platform);
	let execution: Execution;
	try {
		execution = await showcase.n8n.execute(id);
	} catch (error) {
		return cannot('it can be run', error instanceof Error ? error.message : String(error));
	}
	return expectations.map((expectation) => {
		const items = outputOf(execution, expectation.node);
		const rows = expectedRows(expectation, ground);
		return {
			node: expectation.node,
			items: items.length,
			expected: `${rows.length}: ${expectation.says}`,
			difference: difference(execution, expectation, items, rows),
		};
	});
}

function difference(
	execution: Execution,
	{ node }: Expectation,
	items: IDataObject[],
	rows: ExpectedRow[],
): string | undefined {
	const { error, runData } = execution.data.resultData;
	if (execution.status !== 'success') {
		const details = [error?.message, error?.description].filter(Boolean).join(' ');
		return `the execution ended with status "${execution.status}". ${details}`;
	}
	if (!runData[node]) return 'this node did not run.';
	// An empty expectation would hide a filter that matches too little.
	if (rows.length === 0) return 'the stand-in holds no row to expect, so this shows nothing.';
	if (items.length !== rows.length) return `${items.length} items instead of ${rows.length}.`;
	const index = rows.findIndex((row, position) => !isDeepStrictEqual(pick(items[position] ?? {}, row), row));
	if (index < 0) return undefined;
	return `item ${index} is ${JSON.stringify(items[index])} instead of ${JSON.stringify(rows[index])}.`;
}

/** The columns of an item that the expectation contains. */
function pick(item: IDataObject, row: ExpectedRow): IDataObject {
	return Object.fromEntries(Object.keys(row).map((name) => [name, item[name]]));
}

function table(lines: readonly Line[]): string {
	const names = ['Workflow', 'Node', 'Items', 'Expected', 'Result'] as const;
	const rows = [names.map(String), ...lines.map((line) => names.map((name) => String(line[name])))];
	const widths = names.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
	const text = rows.map((row) =>
		row
			.map((cell, column) => cell.padEnd(widths[column] ?? 0))
			.join('  ')
			.trimEnd(),
	);
	text.splice(1, 0, widths.map((width) => '-'.repeat(width)).join('  '));
	return ['', ...text, ''].join('\n');
}
