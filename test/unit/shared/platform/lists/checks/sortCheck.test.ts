import { orderOf } from '../../../../../../nodes/shared/platform/lists/checks/sortCheck';
import { SESSIONS } from '../../../../../../nodes/shared/resources';

it('gives way while it compares neighbours: a platform may send 50,000 rows at once', async () => {
	const rows = Array.from({ length: 50_000 }, (_, index) => ({
		Id: index + 1,
		StartedAtUtc: new Date(Date.UTC(2026, 0, 1, 0, index)).toISOString(),
	}));
	let turns = 0;
	const timer = setInterval(() => turns++, 0);
	const order = await orderOf(rows, [{ field: 'StartedAtUtc', direction: 'Desc' }], SESSIONS);
	clearInterval(timer);
	expect(turns).toBeGreaterThan(2);
	expect(order).toMatchObject({ decided: 49_999 });
	expect(order.misplaced).toHaveLength(49_999);
});
