import type { PeriodName } from '../../dsquery/values/periods';

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
