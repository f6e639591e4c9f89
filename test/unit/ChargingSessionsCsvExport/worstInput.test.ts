/** No text from a user or the platform takes more than linear time: tries the worst of each kind in every function. */
import { escapeFormulas } from '../../../nodes/ChargingSessionsCsvExport/csv/formulas';
import { identifyRecords } from '../../../nodes/shared/csv/identify';
import { Turns } from '../../../nodes/shared/platform';
import { cleanFileName, numberedFileName } from '../../../nodes/ChargingSessionsCsvExport/fileName';
import { gatherSessionIds, readSessionIds } from '../../../nodes/ChargingSessionsCsvExport/sessionIds';
import { Faults } from '../../../nodes/shared/dsquery/faults';
import { QueryError } from '../../../nodes/shared/dsquery/types';
import { merge, readCsv } from '../../support/csv.ts';
import { slowCalls, type Call } from '../../support/worstInput.ts';

/** Milliseconds of CPU time for texts with up to 250,000 entries or lines, each of which takes a little time. */
const CROWDED_MS = 500;
const CROWDED = new Set([
	'tabs and signs',
	'commas',
	'digits and commas',
	'ids',
	'a broken list',
	'line ends',
	'short lines',
]);

const WORST: Array<[string, (length: number) => string]> = [
	['dots', (n) => '.'.repeat(n)],
	['dots before a letter', (n) => `a${'.'.repeat(n)}x`],
	['blanks', (n) => ' '.repeat(n)],
	['blanks between digits', (n) => `1${' '.repeat(n)}x`],
	['tabs and signs', (n) => '\t-'.repeat(n / 2)],
	['a sign and digits', (n) => `-${'1'.repeat(n)}x`],
	['commas', (n) => ','.repeat(n)],
	['digits and commas', (n) => '1,'.repeat(n / 2)],
	['ids', (n) => Array.from({ length: n / 8 }, (_, index) => 1_000_000 + index).join()],
	['brackets', (n) => '['.repeat(n)],
	['quoted brackets', (n) => `['`.repeat(n / 2)],
	['a broken list', (n) => `[${'1,'.repeat(n / 2)}`],
	['quotes', (n) => '"'.repeat(n)],
	['open quotes', (n) => `"${'a""'.repeat(n / 3)}`],
	['line ends', (n) => '\r\n'.repeat(n / 2)],
	['short lines', (n) => 'a\n'.repeat(n / 2)],
	['comments of a web page', (n) => '<!-- -->'.repeat(n / 8)],
	['letters', (n) => 'a'.repeat(n)],
	['characters that compose', (n) => `a${'\u0301'.repeat(n)}`],
	// Three bytes each in UTF-8.
	['half characters', (n) => '\ud800'.repeat(n / 3)],
];

const asCsv = async (text: string) => await readCsv([Buffer.from(text)]);
const CALLS: Record<string, Call> = {
	cleanFileName,
	numberedFileName: (text) => numberedFileName(cleanFileName(text) ?? '', 1, 12),
	readSessionIds: (text) => readIds((faults) => readSessionIds(text, faults)),
	'gatherSessionIds, value': (text) => readIds((faults) => gatherSessionIds([{ json: { Id: text } }], 'Id', faults)),
	'gatherSessionIds, field': (text) =>
		readIds((faults) => gatherSessionIds([{ json: { Id: 1 } }], text.slice(0, 1000), faults)),
	readPart: asCsv,
	'readPart, rows': async (text) => await asCsv(`Id,Note\n${text}`),
	'readPart, a cell': async (text) => await asCsv(`Id,Note\n1,${text}`),
	'merge, another line': async (text) =>
		await merge([[Buffer.from('Id,Note\n')], [Buffer.from(`Id,${text.replaceAll('\n', '')}\n`)]]),
	escapeFormulas,
	identifyRecords: async (text) => {
		const part = await asCsv(`Id,Note\n1,${text.replaceAll('"', '')}\n`);
		return await identifyRecords(part, part.records, [1, 2, 3], new Turns());
	},
};

function readIds(read: (faults: Faults) => unknown): void {
	const faults = new Faults();
	read(faults);
	faults.check();
}

test.each(WORST)('stays fast on %s', async (kind, make) => {
	expect(await slowCalls(CALLS, make, CROWDED.has(kind) ? CROWDED_MS : undefined)).toEqual([]);
});

test('messages stay short, whatever they quote', () => {
	for (const [, make] of WORST) {
		try {
			readIds((faults) => readSessionIds([make(90_000), ...make(5000)], faults));
		} catch (error) {
			expect((error as QueryError).message.length).toBeLessThan(10_000);
		}
	}
});
