import { identifyChargePoints } from '../../../../nodes/shared/list/chargePoints';

const PLACES = ['#1', '#2'];

it.each([
	['Ids of their own, in any case and of any type', [{ Id: 71 }, { id: ' b ', EvseId: 1 }], [71, 'b'], 'Id'],
	['one without an Id', [{ Id: 71 }, { Status: 1 }], PLACES, undefined],
	['an Id twice', [{ Id: 71 }, { Id: '71' }], PLACES, undefined],
	['a text too long for an Id', [{ Id: 71 }, { Id: 'x'.repeat(501) }], PLACES, undefined],
	['empty Ids', [{ Id: '' }, { Id: null }], PLACES, undefined],
	[
		'an EvseId where Ids are the same',
		[
			{ Id: 1, EvseId: 'E1', Uid: 'a' },
			{ Id: 1, evseid: 'E2' },
		],
		['E1', 'E2'],
		'EvseId',
	],
	['a Uid where one has no EvseId', [{ EvseId: 'E1', Uid: 'a' }, { Uid: 'b' }], ['a', 'b'], 'Uid'],
	['a Uid twice', [{ Uid: 'a' }, { Uid: 'a' }], PLACES, undefined],
])('charge points are told apart by what names each, or else by their places: %s', (_, entries, ids, field) => {
	expect(identifyChargePoints(entries)).toEqual({ ids, field });
});
