import { SESSIONS } from '../../../../../nodes/shared/resources';
import { stableSort } from '../../../../../nodes/shared/dsquery/compose';
import { faultsOf } from '../../../../support/dsquery/faults.ts';
import { readSort } from '../../../../support/dsquery/read.ts';

const by = (...entries: unknown[]) => ({ by: entries });

describe('the sort form', () => {
	it('is read in order, names spelled as the platform does', () => {
		expect(
			readSort(by({ field: 'startedatutc', direction: 'Desc' }, { field: 'Price|number', direction: 'asc' }), SESSIONS),
		).toEqual([
			{ field: 'StartedAtUtc', direction: 'Desc' },
			{ field: 'Price', direction: 'Asc' },
		]);
	});

	it.each([undefined, null, {}, { by: [] }])('may be empty (%p)', (sort) => {
		expect(readSort(sort, SESSIONS)).toEqual([]);
	});

	it('is refused without a field, with a field twice, or with an invalid direction or shape', () => {
		const faults = (sort: unknown) => faultsOf(() => readSort(sort, SESSIONS));
		const noField =
			'no field is chosen. Choose one, or remove this entry; if it is an expression, it gave no name of a field.';
		expect(
			faults(by({ field: '', direction: 'Asc' }, { field: '|note', direction: 'Asc' }, { direction: 'Asc' }, 5)),
		).toEqual([
			`Sort > Field 1: ${noField}`,
			`Sort > Field 2: ${noField}`,
			`Sort > Field 3: ${noField}`,
			expect.stringMatching(/^Sort > Field 4 > Direction: nothing is filled in; use Asc or Desc/),
			`Sort > Field 4: ${noField}`,
		]);
		expect(faults(by({ field: 'Id', direction: 'Asc' }, { field: 'ID|number', direction: 'ascending' }))).toEqual([
			'Sort > Field 2 > Direction: "ascending" is not a direction, did you mean "Asc"?',
			'Sort > Field 2: "Id" is chosen already as Field 1; a second time changes nothing. Remove one of them.',
		]);
		expect(faults('Id')).toEqual(['Sort: a list of sort fields is needed here, but this is text.']);
		expect(faults({ by: 'Id' })).toEqual(['Sort: a list of sort fields is needed here, but this is text.']);
	});
});

describe('a stable order', () => {
	it('ends with the id', () => {
		expect(stableSort([])).toEqual([{ field: 'Id', direction: 'Asc' }]);
		expect(stableSort([{ field: 'Name', direction: 'Desc' }])).toEqual([
			{ field: 'Name', direction: 'Desc' },
			{ field: 'Id', direction: 'Asc' },
		]);
	});

	it('keeps the direction in which the user sorts by id', () => {
		expect(stableSort([{ field: 'id', direction: 'Desc' }])).toEqual([{ field: 'id', direction: 'Desc' }]);
	});
});
