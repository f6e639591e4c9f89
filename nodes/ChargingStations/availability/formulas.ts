import floor from 'lodash/floor';

import { OFFLINE } from './rows';
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
	/** It divides by the minutes of a year, so the period must be a year; `past`: one that is over. */
	ofYear?: 'any' | 'past';
	/** It takes unknown time for up although nothing says that it may. */
	hidesUnknown?: true;
	/** Set for an official rule. */
	rule?: Rule;
}

export interface Rule {
	/** Which of the causes in the rows count as down unless the user chooses. */
	causes(inRows: readonly string[]): string[];
	/** Whether stations that are offline count as up. */
	isOfflineUp: boolean;
	/** What the rule asks for, as a sentence. */
	asks: string;
	/** What else a user must do for it. */
	needs?: string;
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
		description:
			'Up and unknown, divided by all time that is not excluded. Being offline counts as down, unlike in the rule of the UK.',
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
		ofYear: 'any',
		hidesUnknown: true,
	},
	{
		name: 'UK: Public Charge Point Regulations 2023, Regulation 7',
		value: 'ukReliability',
		description:
			'Only faults count as down. Offline counts as up, and so does time in which nobody watched: the rule takes an unknown status for reliable. It asks for 99 %, on average over the network, in a calendar year.',
		text: '(up + unknown) / (up + unknown + down), where offline is up; excluded time left out',
		share: ({ period, down, excluded }) => fraction(period - excluded, down),
		rule: {
			causes: (inRows) => inRows.filter((cause) => cause !== OFFLINE),
			isOfflineUp: true,
			asks: 'The UK rule (Public Charge Point Regulations 2023, regulation 7) asks for 99 % by charge point, on average over the network, in a calendar year, while access is open.',
			needs: 'For opening hours, add rows of kind closed.',
		},
	},
	{
		name: 'US: 23 CFR 680.116',
		value: 'usUptime',
		description:
			'525,600 minutes less the outage that is not excluded, divided by 525,600. Offline and faults count as down. It asks for more than 97 % for each port, over the previous twelve months, every month: choose Last 12 Months, and One Item per Charge Point.',
		text: '(525600 - (outage - excluded outage)) / 525600',
		share: ({ down }) => fraction(YEAR_SECONDS, down),
		ofYear: 'past',
		hidesUnknown: true,
		rule: {
			causes: (inRows) => [...new Set([OFFLINE, ...inRows])],
			isOfflineUp: false,
			asks: 'The US rule (23 CFR 680.116) asks for more than 97 % for each port, over the previous twelve months.',
		},
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
