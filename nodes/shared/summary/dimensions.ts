export const TIMES = ['day', 'week', 'month', 'weekday', 'hour'] as const;
export type TimeName = (typeof TIMES)[number];

/** One thing that rows are grouped by: status, a part of their local time, or a field (name in any case). */
export type Dimension = { by: 'status' | TimeName } | { by: 'field'; field: string };

/** Whether rows are grouped by a part of their time. */
export function isTime(by: Dimension['by'] | undefined): by is TimeName {
	return TIMES.some((time) => time === by);
}
