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

/**
 * The name a person probably meant: a synonym, or a name at most two letters (in short words one) away.
 * @param synonyms other words for a name, in lower case without blanks or signs between letters
 */
export function suggest<T extends string>(
	typed: string,
	names: readonly T[],
	synonyms: Readonly<Record<string, T>> = {},
): T | undefined {
	const word = typed.trim().toLowerCase();
	if (word === '' || word.length > LONGEST_WORD) return undefined;
	const letters = word.replace(/[\s_-]/g, '');
	const synonym = Object.entries(synonyms).find(([key]) => key === word || key === letters);
	if (synonym) return synonym[1];
	let best: { name: T; distance: number } | undefined;
	for (const name of names) {
		const distance = editDistance(letters, name.toLowerCase());
		const allowed = name.length <= 3 ? 1 : 2;
		if (distance <= allowed && (!best || distance < best.distance)) best = { name, distance };
	}
	return best?.name;
}
