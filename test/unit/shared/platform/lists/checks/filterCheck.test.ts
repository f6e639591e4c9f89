import type { Group } from '../../../../../../nodes/shared/dsquery/types';
import { FilterCheck } from '../../../../../../nodes/shared/platform/lists/checks/filterCheck';
import { STATIONS } from '../../../../../../nodes/shared/resources';

it('gives way while it compares a long page with a filter of many conditions', async () => {
	const rows = Array.from({ length: 5_000 }, (_, index) => ({ Id: index + 1, NetworkStatus: 2 }));
	const conditions = Array.from({ length: 20 }, (_, code) => ({
		field: 'NetworkStatus',
		operator: 'Neq' as const,
		value: String(code + 10),
	}));
	const filter: Group = { logic: 'And', filters: conditions };
	const check = new FilterCheck(async () => await Promise.reject(new Error('Nothing is asked')), STATIONS, filter);
	let turns = 0;
	const timer = setInterval(() => turns++, 0);
	await check.page(rows);
	clearInterval(timer);
	expect(turns).toBeGreaterThan(2);
	expect(check.notes).toEqual([]);
});
