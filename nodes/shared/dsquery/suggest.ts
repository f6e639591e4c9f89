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

/** Other words for each name, separated by spaces: lower case, without spaces, hyphens or underscores inside a word. */
export type Synonyms<T extends string> = Readonly<Partial<Record<T, string>>>;

/** The name probably meant: one that `typed` is a synonym of, or differs from in at most two letters (one if short). */
export function suggest<T extends string>(typed: string, names: readonly T[], synonyms: Synonyms<T>): T | undefined {
	if (typed.length > LONGEST_WORD) return undefined;
	const word = typed.trim().toLowerCase();
	const letters = word.replace(/[\s_-]/g, '');
	if (letters === '') return undefined;
	const synonym = names.find((name) => synonyms[name]?.split(' ').some((other) => other === word || other === letters));
	if (synonym) return synonym;
	const close = names
		.map((name) => ({ name, allowed: name.length <= 3 ? 1 : 2 }))
		.filter(({ name, allowed }) => Math.abs(name.length - letters.length) <= allowed)
		.map(({ name, allowed }) => ({ name, allowed, distance: editDistance(letters, name.toLowerCase()) }))
		.filter(({ allowed, distance }) => distance <= allowed);
	return minBy(close, 'distance')?.name;
}
