import { readFileSync } from 'node:fs';

/** What docs/first-alert.md says to write in each chat. */

export const PAGE = readFileSync('docs/first-alert.md', 'utf8');

const codeIn = (text: string) => /```\n([^]*?)\n```/.exec(text)?.[1] ?? '';

/** What is between the signs of code after these words, wherever lines end. */
export const codeAfter = (words: string, text = PAGE) =>
	text.replaceAll(/\s+/g, ' ').split(`${words} \``)[1]?.split('`')[0] ?? '';

/** What is said about a chat, from its name in bold to the next one. */
const aboutOf = (chat: string) => PAGE.split(`\n**${chat}**`)[1]?.split(/\n(?:\*\*|#)/)[0] ?? '';

/** The block to paste for a chat. */
export const blockOf = (chat: string) => codeIn(aboutOf(chat));

/** What to enter in a field of a chat's node. */
export const entryOf = (chat: string, label: string) => codeAfter(`*${label}* is`, aboutOf(chat));

/** The value of step 4. */
export const STEP_4 = codeIn(PAGE.split('\n**4.**')[1] ?? '');
