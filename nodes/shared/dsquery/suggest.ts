import minBy from 'lodash/minBy';

/** Number of single letters to add, drop, replace or swap with a neighbour to turn one word into the other. */
function editDistance(a: string, b: string): number {
	let before: number[] = [];
	let last = Array.from({ length: b.length + 1 }, (_, column) => column);
	for (let row = 1; row <= a.length; row++) {
		const next = [row];
		for (let column = 1; column <= b.length; column++) {
			const same = a[row - 1] === b[column - 1];
			let cost = Math.min(
				(last[column] ?? 0) + 1,
				(next[column - 1] ?? 0) + 1,
				(last[column - 1] ?? 0) + (same ? 0 : 1),
			);
			if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
				cost = Math.min(cost, (before[column - 2] ?? 0) + 1);
			}
			next.push(cost);
		}
		before = last;
		last = next;
	}
	return last[b.length] ?? 0;
}

const LONGEST_WORD = 40;

/** Other words for each name, separated by blanks: lower case, without blanks or signs between letters. */
export type Synonyms<T extends string> = Readonly<Partial<Record<T, string>>>;

/** The name a person probably meant: one that the word is a synonym of, or at most two letters (in short words one) away from. */
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
