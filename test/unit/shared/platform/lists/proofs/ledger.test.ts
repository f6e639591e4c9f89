import { Ledger, ListProofs, questionOf } from '../../../../../../nodes/shared/platform/lists/proofs/ledger';

const HOUR = 3_600_000;
const BY_ID = [{ field: 'Id', direction: 'Asc' as const }];

it('a proof holds for an hour, for its list, claim and question; so does its failure', () => {
	let time = 0;
	const ledger = new Ledger(() => time);
	const sessions = new ListProofs(ledger, 'key /sessions');
	const question = questionOf({ sorts: BY_ID, pager: { skip: 0, take: 100 } });
	sessions.write('one page', 'holds', question);
	sessions.write('first row', 'fails', question);
	time = HOUR - 1;
	expect(sessions.found('one page', questionOf({ sorts: BY_ID }))).toBe('holds');
	expect(sessions.found('first row', question)).toBe('fails');
	expect(sessions.found('one page')).toBeUndefined();
	expect(sessions.found('one page', questionOf({ sorts: [] }))).toBeUndefined();
	expect(new ListProofs(ledger, 'other key /sessions').found('one page', question)).toBeUndefined();
	time = HOUR;
	expect(sessions.found('one page', question)).toBeUndefined();
	sessions.write('one page', 'fails', question);
	expect(sessions.found('one page', question)).toBe('fails');
});

it('the oldest proofs are forgotten first', () => {
	const ledger = new Ledger(() => 0, 2);
	for (const key of ['a', 'b', 'a', 'c']) ledger.write(key, 'holds');
	expect(['a', 'b', 'c'].map((key) => ledger.found(key))).toEqual(['holds', undefined, 'holds']);
});
