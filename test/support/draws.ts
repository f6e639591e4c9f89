/**
 * How long the random tests search. `npm test` draws a few cases of each property, to see that it works at all;
 * DEEP=landing, before a change lands, a quarter of what DEEP=night draws.
 */
export const IS_DEEP = Boolean(process.env.DEEP);
export const IS_NIGHT = process.env.DEEP === 'night';

const FEW = 20;

/** How many cases to draw, from the number at night: 3,000 unless a case takes long or costs nothing. */
export function draws(atNight = 3000): number {
	if (IS_NIGHT) return atNight;
	return IS_DEEP ? Math.ceil(atNight / 4) : Math.min(FEW, atNight);
}
