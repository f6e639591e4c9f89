import type { PeriodName } from '../dsquery/periods';

/** What the periods are called, in time order. */
export const PERIOD_LABELS: Readonly<Record<PeriodName, string>> = {
	today: 'Today',
	yesterday: 'Yesterday',
	thisWeek: 'This Week (From Monday)',
	lastWeek: 'Last Week (From Monday)',
	thisMonth: 'This Month',
	lastMonth: 'Last Month',
	thisYear: 'This Year',
	lastYear: 'Last Year',
	lastDays: 'Last Days (Up to Yesterday)',
};

/** n8n's lint asks for this sentence wherever a list is loaded and an expression may stand instead. */
export const CHOOSE_ONE =
	'Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>';
export const CHOOSE_MANY =
	'Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>';
