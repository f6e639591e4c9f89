import { readFileSync } from 'node:fs';

import { DateTime } from 'luxon';

import { evaluate } from '../support/expression';

// What docs/recipes.md says to write instead of an alert's text, where a chat reads Markdown.

const [, table = ''] = /\| An alert's [^\n]*\n([^]*?)\n\n/.exec(readFileSync('docs/recipes.md', 'utf8')) ?? [];

/** What the line for a chat makes of a text. */
function written(chat: string, text: string): string {
	const [, expression] = new RegExp(`^\\| ${chat} \\| \`({{.*}})\` \\|$`, 'm').exec(table) ?? [];
	return String(evaluate(expression?.replaceAll('\\|', '|'), { input: [{ text }], now: DateTime.now() }));
}

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

const NAMES = ['Depot_North', 'DE*CNP*E0001*1', 'a [b', '`', 'C:\\_x\\', '‹!channel›'];

it.each(NAMES)("Telegram's Send and Wait shows %s as it is", (name) => {
	const text = `${name} has been offline since 04:46.`;
	expect(shownByTelegram(written('Telegram, \\*Send and Wait for Response\\*', text))).toBe(text);
});

it('Discord takes a full digest, however many signs of Markdown are in it', () => {
	const text = Array.from({ length: 20 }, () => `${'_'.repeat(90)} [`).join('\n');
	expect(written('Teams, Discord, Rocket.Chat', 'a_b @all')).toBe('a\\_b @ all');
	expect(text.length).toBeLessThanOrEqual(1_900);
	expect(written('Teams, Discord, Rocket.Chat', text).length).toBeLessThanOrEqual(2_000);
});
