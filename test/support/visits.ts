import type { IDataObject } from 'n8n-workflow';

export const VISITS = {
	function: 'visitSuccess',
	driverField: 'UserName',
	placeField: 'StationName',
	visitMinutes: 10,
};

/** The figures of Visit Success in an item, without the beginning of their names. */
export const figuresOf = (item: IDataObject = {}) =>
	Object.fromEntries(
		Object.entries(item).flatMap(([name, value]) =>
			name.startsWith('visitSuccess') ? [[name.slice('visitSuccess'.length) || 'rate', value]] : [],
		),
	);

/** How a visit ends. */
export type Ending = 'FirstTry' | 'AfterTrouble' | 'Failed' | 'Undecided';
const NONE = { FirstTry: 0, AfterTrouble: 0, Failed: 0, Undecided: 0 };
/** These figures, from how many visits end in each way. */
export const expected = (counts: Partial<Record<Ending, number>>, Unassigned = 0) => {
	const all = { ...NONE, ...counts };
	const succeeded = all.FirstTry + all.AfterTrouble;
	const decided = succeeded + all.Failed;
	return {
		...{ ...all, Unassigned, Visits: decided + all.Undecided },
		rate: decided === 0 ? null : (expect.closeTo((100 * succeeded) / decided, 1) as number),
	};
};
