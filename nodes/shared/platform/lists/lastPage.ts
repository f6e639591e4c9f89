import type { Page } from '../types';

/**
 * How many rows a page has at least that may not be the last one. Some platforms cut pages at round lengths, and give
 * the length of the page as the count. So if the first page has as many rows as the count says, and that is a multiple
 * of five, the count alone does not make a page of that length the last one.
 */
export function fullPageLength({ rows, totalCount = Number.POSITIVE_INFINITY }: Page, take: number): number {
	return totalCount > rows.length || rows.length % 5 === 0 ? rows.length : take;
}

/** Whether a page is the last one: it has no rows, or it is shorter than a full one and the count ends with it. */
export function isLastPage({ rows, totalCount }: Page, full: number, skip = 0): boolean {
	return rows.length === 0 || (rows.length < full && skip + rows.length === totalCount);
}

/** A note: rows read and rows counted, if asking once more did not explain the difference. */
export function countDiffersNote(plural: string, rowCount: number, totalCount: number): string {
	return `The platform sent ${rowCount} ${plural} but counts ${totalCount}: its count is not exact, or ${plural} changed while the list was read.`;
}

/** The first answer was not even an empty list. */
export function blankAnswer(plural: string): string {
	return `The platform answered without any content, which counts as no ${plural}.`;
}
