import range from 'lodash/range';
import { DateTime } from 'luxon';

import type { DaySpan } from '../shared/dsquery/values/periods';

/** Longest name that every common file system and mail program accepts, in UTF-8 bytes. */
const MAX_BYTES = 200;
/** Characters read from the start of a text; of a longer one the end is read too, for the extension. */
const MAX_READ = 1000;
const MAX_EXTENSION = 4;

/**
 * The name a file gets when the user chose none: `charging-sessions-2026-10.csv` for a month,
 * `charging-sessions-2026-10-01-to-2026-10-15.csv` for other days; without a period, the local day of the export.
 */
export function defaultFileName(period: DaySpan | undefined, now: Date, zone: string): string {
	const days = period ? periodName(period) : DateTime.fromJSDate(now, { zone }).toFormat("'exported-'yyyy-MM-dd");
	return `charging-sessions-${days}.csv`;
}

function periodName({ from, to }: DaySpan): string {
	const first = DateTime.fromISO(from, { zone: 'utc' });
	const last = DateTime.fromISO(to, { zone: 'utc' });
	const covers = (unit: 'month' | 'year') =>
		first.equals(first.startOf(unit)) && last.equals(first.endOf(unit).startOf('day'));
	if (covers('year')) return first.toFormat('yyyy');
	if (covers('month')) return first.toFormat('yyyy-MM');
	return from === to ? from : `${from}-to-${to}`;
}

/**
 * Turns a text or number into a file name that is safe everywhere: without path, control, direction or reserved
 * characters, and with the extension of a text file, as what follows another point may belong to a name (Co.KG). Returns
 * undefined for other types, and if no letter or digit is left.
 */
export function cleanFileName(value: unknown): string | undefined {
	if (typeof value !== 'string' && typeof value !== 'number') return undefined;
	const text = String(value);
	const tooLong = text.length > MAX_READ;
	const name = (tooLong ? text.slice(0, MAX_READ) + text.slice(-MAX_EXTENSION) : text)
		.normalize('NFC')
		.replace(/[/\\<>:"|?*]+/g, '-')
		// Control and format characters, including those that reverse the text direction to hide an extension.
		.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu, '')
		.replace(/\s+/g, ' ')
		.replace(/^[. -]+/, '')
		.replace(/[. ]+$/, '');
	if (!/[\p{L}\p{N}]/u.test(name)) return undefined;
	const [, base = name, extension = '.csv'] = /^(.+?)(\.(?:csv|tsv|txt))?$/iu.exec(name) ?? [];
	// Windows reserves these names for devices, whatever the extension.
	const safe = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i.test(base) ? `_${base}` : base;
	return shorten(safe, MAX_BYTES - Buffer.byteLength(extension)) + extension;
}

/** The names of the files of an export: one, or several such as `report-part-02-of-12.csv`. (A `FilePart` is a part of one of them.) */
export function partFileNames(name: string, count: number): string[] {
	if (count <= 1) return [name];
	const digits = String(count).length;
	return range(1, count + 1).map((number) =>
		withSuffix(name, `part-${String(number).padStart(digits, '0')}-of-${count}`),
	);
}

/** The names of the files of an export, none of which an earlier one has: `charging-sessions-2026-10-file-2.csv`. */
export function uniqueFileNames(name: string, count: number, taken: ReadonlySet<string>): string[] {
	for (let number = 1; ; number++) {
		const names = partFileNames(number === 1 ? name : withSuffix(name, `file-${number}`), count);
		if (!names.some((each) => taken.has(each.toLowerCase()))) return names;
	}
}

function withSuffix(name: string, suffix: string): string {
	const [, base = name, extension = ''] = /^(.+?)(\.[^.]*)?$/u.exec(name) ?? [];
	return `${base}-${suffix}${extension}`;
}

/** The longest start of the text that fits into this many bytes of UTF-8. */
function shorten(text: string, maxBytes: number): string {
	return Buffer.from(text)
		.subarray(0, maxBytes)
		.toString()
		.replace(/\ufffd+$/, '');
}
