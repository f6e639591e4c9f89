/** A filter of Charging Sessions by when they began. */
export const during = (from: string, to: string) => ({ startedAtUtc: [{ operator: 'GteLt', from, to }] });
