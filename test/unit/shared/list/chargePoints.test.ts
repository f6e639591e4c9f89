import { chargePointIds } from '../../../../nodes/shared/list/chargePoints';

it.each([
	['Ids of their own, in any case and of any type', [{ Id: 71 }, { id: 'b' }], ['71', 'b'], true],
	['one without an Id', [{ Id: 71 }, { Status: 1 }], ['#1', '#2'], false],
	['an Id twice', [{ Id: 71 }, { Id: '71' }], ['#1', '#2'], false],
	['a text too long for an Id', [{ Id: 71 }, { Id: 'x'.repeat(501) }], ['#1', '#2'], false],
	['empty Ids', [{ Id: '' }, { Id: null }], ['#1', '#2'], false],
])('charge points are told apart by their Ids, or else by their places: %s', (_, entries, ids, areOwn) => {
	expect(chargePointIds(entries)).toEqual({ ids, areOwn });
});
