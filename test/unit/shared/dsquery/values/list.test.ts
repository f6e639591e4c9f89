import { parseList } from '../../../../../nodes/shared/dsquery/values/list';

it.each<[string, unknown, unknown[]]>([
	['a list', ['a', 4], ['a', 4]],
	['commas', 'a, b ,c', ['a', 'b', 'c']],
	['lines', 'a\nb\r\nc', ['a', 'b', 'c']],
	['an empty entry', 'a,,b', ['a', '', 'b']],
	['JSON', '["a","b, c"]', ['a', 'b, c']],
	['JSON with blanks around', ' ["a","b"]\n', ['a', 'b']],
	['no entry', '[]', []],
	['JSON without brackets', '"a","b, c"', ['a', 'b, c']],
	['numbers as they are written', '[9007199254740993, 1.10, -5, "1.9"]', ['9007199254740993', '1.10', '-5', '1.9']],
	['a number with an exponent', '[1e3]', [1000]],
	['what is in quotes as it is', '["a 1.10", "[4]", null]', ['a 1.10', '[4]', null]],
	['words in brackets', '[a, b]', ['a', 'b']],
	['words that JSON knows', 'null, true', ['null', 'true']],
	['single quotes', "['North', 'b']", ['North', 'b']],
	['some entries in quotes', 'a, "b, c"\n"d"', ['a', 'b, c', 'd']],
	['an open quote', '"a, b', ['"a', 'b']],
	['names with quotes inside', '5" pipe, "A" hall, Hall "B"', ['5" pipe', '"A" hall', 'Hall "B"']],
	['names in brackets', '[North] 1, [South]', ['[North] 1', '[South]']],
	['a name that begins with an apostrophe', "'s-Gravenhage, 't Veld", ["'s-Gravenhage", "'t Veld"]],
])('reads %s', (_, written, entries) => {
	expect(parseList(written)).toEqual(entries);
});

it('parts Ids at spaces and semicolons, too', () => {
	expect(parseList('1  2;3,\n4', 'spaces')).toEqual(['1', '2', '3', '4']);
	expect(parseList('["1", 2]', 'spaces')).toEqual(['1', '2']);
});
