import { DateTime } from 'luxon';

import { evaluate } from '../support/expression';
import { blockOf, codeAfter, entryOf, STEP_4 } from '../support/firstAlertPage.ts';

// What docs/first-alert.md says to write where a chat or a mail reads more than plain text.

const evaluated = (expression: string, text: string) =>
	String(evaluate(expression, { input: [{ text, stationName: text }], now: DateTime.now() }));
const onDiscord = (text: string) => evaluated(blockOf('Discord'), text);
/** What the line for a chat, in the table of fields, makes of a name. */
const ofField = (chat: string, name: string) => evaluated(codeAfter(`| ${chat} |`).replaceAll('\\|', '|'), name);

/** What Telegram shows of a message in its old Markdown: undefined if it refuses it. Any format it finds counts. */
function shownByTelegram(markdown: string): string | undefined {
	let shown = '';
	for (let at = 0; at < markdown.length; at++) {
		const [sign = '', next = ''] = [markdown[at], markdown[at + 1]];
		if (sign === '\\' && '_*`['.includes(next) && next !== '') shown += markdown[++at];
		else if ('_*`['.includes(sign)) return undefined;
		else shown += sign;
	}
	return shown;
}

it('the page says what to write in each chat', () => {
	const entries = [entryOf('Telegram', 'Text'), entryOf('Mail', 'Subject'), entryOf('Mail', 'Text')];
	const all = [STEP_4, blockOf('Discord'), blockOf('Teams'), ...entries];
	expect(all.filter((entry) => !entry.includes('{{ '))).toEqual([]);
});

const NAMES = ['Depot_North', 'DE*CNP*E0001*1', 'a [b', '`', 'C:\\_x\\', '‹!channel›'];

it.each(NAMES)("Telegram's Send and Wait shows %s as it is", (name) => {
	const text = `${name} has been offline since 04:46.`;
	expect(shownByTelegram(evaluated(codeAfter('*Parse Mode*: write'), text))).toBe(text);
});

it('Discord takes a full digest, however many signs of Markdown are in it', () => {
	const text = Array.from({ length: 20 }, () => `${'_'.repeat(90)} [`).join('\n');
	expect(onDiscord('a_b @all')).toBe('a\\_b @ all');
	expect(text.length).toBeLessThanOrEqual(1_900);
	expect(onDiscord(text).length).toBeLessThanOrEqual(2_000);
});

it('a name mentions nobody, links nowhere and begins no line', () => {
	const name = '<!channel>\n@all [a](b) & "c"';
	const slack = '&lt;!channel&gt; @all [a](b) &amp; "c"';
	expect(ofField('Slack, Google Chat; Telegram with *HTML*', name)).toBe(slack);
	expect(ofField('Discord, Mattermost', name)).toBe('\\<!channel\\> @ all \\[a\\]\\(b\\) & "c"');
	expect(ofField('Mail as HTML', name)).toBe('&#60;!channel&#62;\n@all [a](b) &#38; &#34;c&#34;');
});
