/**
 * How long the random tests search. `npm test` draws a few cases of each property, to see that it works at all;
 * DEEP=landing, before a change lands, a twelfth of what DEEP=night draws.
 */
export const IS_DEEP = Boolean(process.env.DEEP);
export const IS_NIGHT = process.env.DEEP === 'night';

const FEW = 20;

/** How many cases to draw, from the number at night: 3,000 unless a case takes long or costs nothing. */
export function draws(atNight = 3000): number {
	if (IS_NIGHT) return atNight;
	return IS_DEEP ? Math.ceil(atNight / 12) : Math.min(FEW, atNight);
}

/** Random histories of a trigger, of about 25 polls each: 10,000 polls at night, 1,500 before a change lands. */
export const HISTORIES = Number(process.env.HISTORIES ?? (IS_NIGHT ? 400 : IS_DEEP ? 60 : FEW));

/** Random numbers from 0 to 1, the same for the same seed. */
export function randomFrom(seed: number): () => number {
	let state = seed;
	return () => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return state / 2 ** 32;
	};
}
