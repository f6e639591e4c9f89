import minBy from 'lodash/minBy';

/** The number of letters to add, drop or replace to turn one word into the other (Levenshtein distance). */
function editDistance(a: string, b: string): number {
	let last = Array.from({ length: b.length + 1 }, (_, column) => column);
	for (let row = 1; row <= a.length; row++) {
		const next = [row];
		for (let column = 1; column <= b.length; column++) {
			const isSame = a[row - 1] === b[column - 1];
			const [above = 0, aside = 0, across = 0] = [last[column], next[column - 1], last[column - 1]];
			next.push(Math.min(above + 1, aside + 1, across + (isSame ? 0 : 1)));
		}
		last = next;
	}
	return last[b.length] ?? 0;
}

const LONGEST_WORD = 40;

/** The name probably meant: one that differs from what is typed in at most two letters (one if short). */
export function suggest(typed: string, names: readonly string[]): string | undefined {
	const letters = typed.toLowerCase().replace(/[\s_-]/g, '');
	if (letters === '' || typed.length > LONGEST_WORD) return undefined;
	const close = names
		.map((name) => ({ name, distance: editDistance(letters, name.toLowerCase()) }))
		.filter(({ name, distance }) => distance <= (name.length <= 3 ? 1 : 2));
	return minBy(close, 'distance')?.name;
}
