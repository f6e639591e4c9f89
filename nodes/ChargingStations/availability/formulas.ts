import floor from 'lodash/floor';
import sumBy from 'lodash/sumBy';

import type { Figures } from './dividePeriod';

const YEAR_SECONDS = 525_600 * 60;

/** A way to compute uptime from figures. */
export interface Formula {
	name: string;
	value: string;
	description: string;
	/** The formula as shown in items. */
	text: string;
	/** What counts as up, and out of how much, in seconds. */
	share(figures: Figures): [up: number, of: number];
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
		share: ({ up, down }) => [up, up + down],
	},
	{
		name: 'Unknown Counts as Up',
		value: 'unknownUp',
		description: 'Up and unknown, divided by all time that is not excluded. Times in which nobody watched count as up.',
		text: '(up + unknown) / (up + unknown + down); excluded time left out',
		share: ({ up, unknown, down }) => [up + unknown, up + unknown + down],
	},
	{
		name: 'Outage over the Minutes of a Year',
		value: 'minutesOfYear',
		description:
			'525,600 minutes less the outage that is not excluded, divided by 525,600. Choose a period of a year. Time in which nobody watched counts as up.',
		text: '(525600 - (outage - excluded outage)) / 525600',
		share: ({ down }) => [YEAR_SECONDS - down, YEAR_SECONDS],
		ofYear: true,
		hidesUnknown: true,
	},
];

const DECIMALS = 4;

/**
 * Uptime in percent of one or several together, rounded down, so that it never claims more than was seen. Null if no time
 * counts.
 */
export function uptimePercent({ share }: Formula, figures: readonly Figures[]): number | null {
	const shares = figures.map(share);
	const up = sumBy(shares, ([part]) => part);
	const of = sumBy(shares, ([, whole]) => whole);
	return of > 0 ? floor((100 * up) / of, DECIMALS) : null;
}

/** What uptime would be if all unknown time had been down. */
export function lowestUptimePercent(formula: Formula, figures: readonly Figures[]): number | null {
	const worst = figures.map((each) => ({ ...each, down: each.down + each.unknown, unknown: 0 }));
	return uptimePercent(formula, worst);
}
