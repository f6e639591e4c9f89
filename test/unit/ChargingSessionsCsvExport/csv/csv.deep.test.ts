import { parse } from 'csv-parse/sync';
import fc from 'fast-check';

import { arriving, cut, cuts, dialects, merge, readCsv, tables, writeCsv } from '../../../support/csv.ts';
import { draws } from '../../../support/draws.ts';

const RUNS = draws(20_000);

test('merging restores the original file, wherever it is split into parts and cut into pieces', async () => {
	await fc.assert(
		fc.asyncProperty(tables, dialects, cuts, cuts, async (table, dialect, splits, pieces) => {
			const [header = [], ...rows] = table;
			const places = [...splits.map((share) => Math.floor(share * rows.length)), rows.length].sort((a, b) => a - b);
			const parts = places.map((end, index) => rows.slice(places[index - 1] ?? 0, end));
			const merged = await merge(parts.map((part) => cut(writeCsv([header, ...part], dialect), pieces)));
			const whole = writeCsv(table, dialect);
			expect(merged.bytes.toString()).toBe(whole.toString());
			expect(merged.bytes.equals(whole)).toBe(true);
			expect(merged.records).toBe(rows.length);
		}),
		{ numRuns: RUNS },
	);
});

test('counts the same records as another CSV reader, wherever the pieces are cut', async () => {
	await fc.assert(
		fc.asyncProperty(tables, dialects, cuts, async (table, dialect, pieces) => {
			const bytes = writeCsv(table, dialect);
			const read: string[][] = parse(bytes, {
				bom: true,
				delimiter: dialect.delimiter,
				record_delimiter: dialect.lineEnd,
			});
			const part = await readCsv(arriving(cut(bytes, pieces)));
			expect(part.records).toHaveLength(read.length - 1);
			expect(part.records).toHaveLength(table.length - 1);
		}),
		{ numRuns: RUNS },
	);
});

test('a file that is cut short is refused, or never has more records than the whole one', async () => {
	await fc.assert(
		fc.asyncProperty(tables, dialects, fc.double({ min: 0, max: 1, noNaN: true }), async (table, dialect, share) => {
			const bytes = writeCsv(table, { ...dialect, finalLineEnd: true });
			const shorter = bytes.subarray(0, Math.floor(share * bytes.length));
			const outcome = await readCsv([shorter]).then(
				({ records }) => records.length,
				(fault: unknown) => fault,
			);
			// The rest may look like a whole file, but never has too many records: the count shows what is missing.
			if (typeof outcome === 'number') expect(outcome).toBeLessThanOrEqual(table.length - 1);
			else expect(outcome).toMatchObject({ name: 'CsvFault' });
		}),
		{ numRuns: RUNS },
	);
});
