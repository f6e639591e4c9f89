import { escapeFormulas } from '../../../nodes/ChargingSessionsCsvExport/formulas';

const escaped = (csv: string) => Buffer.from(escapeFormulas(Buffer.from(csv).toString('latin1')), 'latin1').toString();

test.each([
	['a formula at the start of a cell', '=1+1,a\n@SUM(A1),-x', `'=1+1,a\n'@SUM(A1),'-x`],
	['in quotes, and after blanks', '1,"=cmd|\' /C calc\'!A0", =2', `1,"'=cmd|' /C calc'!A0", '=2`],
	['behind another delimiter or a line end inside a cell', 'a;=1,"b\n+c","d\t=e"|@f', `a;'=1,"b\n'+c","d\t'=e"|'@f`],
	['behind doubled quotes', '1,"""=1"""', `1,"""'=1"""`],
	['in full width', '＝1,＋2,－3,＠4,ｘ', `'＝1,'＋2,'－3,'＠4,ｘ`],
	[
		'a number in quotes, behind which its cell goes on',
		`"-1\n*x","+1\r\n&y","-1\t*x"\n" -1,x","-4.5;x"`,
		`"'-1\n*x","'+1\r\n&y","'-1\t*x"\n" '-1,x","'-4.5;x"`,
	],
	['a sum with a sign', '-1+2,+1-cmd', `'-1+2,'+1-cmd`],
])('%s gets an apostrophe', (_, csv, expected) => {
	expect(escaped(csv)).toBe(expected);
});

test.each(['-4.5,+1,-1e-5\r\n"-3";-2|-1|x', 'a=b,c@d.example,x-y', "'=1", 'Id,Größe\n1,😀\n', ''])(
	'%j stays as it is',
	(csv) => {
		expect(escaped(csv)).toBe(csv);
	},
);
