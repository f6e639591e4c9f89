import floor from 'lodash/floor';

import type { Figures } from './uptime';

const YEAR_SECONDS = 525_600 * 60;

/** A way to compute uptime from figures. */
export interface Formula {
	name: string;
	value: string;
	description: string;
	/** The formula as shown in items. */
	text: string;
	/** The fraction, in seconds: what counts as up, and out of how much. */
	share(figures: Figures): { up: number; of: number };
	/** It divides by the minutes of a year, so the period must be a year. */
	ofYear?: true;
	/** It takes unknown time for up although nothing says that it may. */
	hidesUnknown?: true;
}

/** The formulas to choose from. Excluded time counts in none of them. */
export const FORMULAS: readonly [Formula, ...Formula[]] = [
	{
		name: 'Share of the Time Watched',
		value: 'share',
		description: 'Up, divided by up and down. Times in which nobody watched are left out.',
		text: 'up / (up + down); excluded and unknown time left out',
		share: ({ period, down, excluded, unknown = 0 }) => fraction(period - excluded - unknown, down),
	},
	{
		name: 'Unknown Counts as Up',
		value: 'unknownUp',
		description: 'Up and unknown, divided by all time that is not excluded. Times in which nobody watched count as up.',
		text: '(up + unknown) / (up + unknown + down); excluded time left out',
		share: ({ period, down, excluded }) => fraction(period - excluded, down),
	},
	{
		name: 'Outage over the Minutes of a Year',
		value: 'minutesOfYear',
		description:
			'525,600 minutes less the outage that is not excluded, divided by 525,600. Choose a period of a year. Time in which nobody watched counts as up.',
		text: '(525600 - (outage - excluded outage)) / 525600',
		share: ({ down }) => fraction(YEAR_SECONDS, down),
		ofYear: true,
		hidesUnknown: true,
	},
];

function fraction(of: number, down: number): { up: number; of: number } {
	return { up: of - down, of };
}

const DECIMALS = 4;

/**
 * Uptime in percent, rounded down, so that it never claims more than was seen.
 *
 * @returns null if no time counts
 */
export function uptimePercent({ share }: Formula, figures: readonly Figures[]): number | null {
	let up = 0;
	let of = 0;
	for (const each of figures) {
		const part = share(each);
		up += part.up;
		of += part.of;
	}
	return of > 0 ? floor((100 * up) / of, DECIMALS) : null;
}

/**
 * What uptime would be if all unknown time had been down.
 *
 * @returns null if it is not known how much time is unknown, or no time counts
 */
export function lowestUptimePercent(formula: Formula, figures: readonly Figures[]): number | null {
	const worst: Figures[] = [];
	for (const each of figures) {
		if (each.unknown === undefined) return null;
		worst.push({ ...each, down: each.down + each.unknown, unknown: 0 });
	}
	return uptimePercent(formula, worst);
}
