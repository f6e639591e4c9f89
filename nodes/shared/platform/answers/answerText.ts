import partition from 'lodash/partition';

import { firstNames } from '../../text';
import { nodesIn, plainName } from './jsonNodes';
import { parseJson } from './parseJson';

/** What could be read from the body of a refusal, whatever its shape. */
export interface AnswerText {
	/** An upper-case code such as PUBLIC_API_LICENSE_INACTIVE, wherever it was found. */
	code?: string;
	/** The message for people; for a web page, its title. */
	message?: string;
	/** All text, to tell refusals apart. Never shown. */
	all: string;
	/** True when a gateway's or proxy's web page came instead of the platform's own answer. */
	isWebPage: boolean;
}

/** Longest platform text quoted in a message. */
export const MAX_SHOWN = 300;
/** How much text is searched for secrets. Longer, because hiding them shortens the text. */
const MAX_SEARCHED = 2_000;
/** How much of a text is read. */
export const MAX_READ = 20_000;
const CODE = /^[A-Z][A-Z0-9]*(?:[_-][A-Z0-9]+)+$/;
const KNOWN_CODE = /\b(?:PUBLIC_API_LICENSE_INACTIVE|API_KEY_SCOPE_INSUFFICIENT)\b/;
const CODE_KEY = /^(?:error|err|fault|status|reason)?(?:code|key)$|^(?:error|err|type|reason|status)$/;

/** Names of what is said to people. Compared without case, _ and -. */
const MESSAGE_NAME =
	/^(?:(?:error|err|status|user|fault)?(?:messages?|msg|description|details?|string)|errors?|err|fault|reason|text|cause|validationerrors|info|title|statustext|summary)$/;

/**
 * Finds code and message in a body of any shape: JSON of any nesting (flat, nested, a list, problem+json), XML, a web
 * page, plain text, or nothing at all.
 *
 * @param body text as received, or what a host has already parsed
 */
export function readAnswerText(body: unknown): AnswerText {
	const text = typeof body === 'string' ? body.slice(0, MAX_READ) : '';
	const isPage = isWebPage(text);
	const value = typeof body !== 'string' ? body : isPage ? text : (parseJson(body) ?? text);
	if (typeof value === 'string') {
		const all = withoutTags(value.slice(0, MAX_READ));
		const title = isPage ? titleOf(text) : '';
		return { message: tidy(title) || tidy(all) || undefined, all, isWebPage: isPage, code: codeIn(all) };
	}
	const { names, texts } = textsIn(value);
	const said = texts.filter(({ text, isCode }) => !isCode && /\s/.test(text));
	const named = said.filter(({ isMessage }) => isMessage);
	const label = texts.filter(({ isCode, isMessage }) => !isCode && isMessage).slice(0, 1);
	const [sentences = label] = [named, said].filter(({ length }) => length > 0);
	const all = [...names, ...texts.map(({ text }) => text)].join('\n').slice(0, MAX_READ);
	const message = tidy([...new Set(sentences.map(({ text }) => text))].slice(0, 3).join('; ')) || undefined;
	const codes = texts.filter(({ isCode }) => isCode).map(({ text }) => text);
	return { message, all, isWebPage: false, code: codeIn(all, codes) };
}

/** True for HTML, whatever its declared content type. */
export function isWebPage(text: string): boolean {
	let rest = text.slice(0, MAX_READ).trimStart();
	for (;;) {
		const end = rest.startsWith('<!--') ? '-->' : rest.startsWith('<?xml') ? '>' : undefined;
		if (end === undefined) return /^<(?:!doctype\s{1,99}html|html|head|body|title|h1|center)\b/i.test(rest);
		const at = rest.indexOf(end);
		if (at < 0) return false;
		rest = rest.slice(at + end.length).trimStart();
	}
}

/**
 * Hides secrets (an API key, a password, tokens), words that begin like one, and anything that looks like a key or
 * token, then shortens the text. Only text that went through here may reach a message.
 */
export function safeText(text: string, secrets: readonly string[]): string {
	// The word at the cut may be part of a secret, so it is dropped too.
	const searched = text.length > MAX_SEARCHED ? text.slice(0, MAX_SEARCHED).replace(/\S{1,2000}$/, '') : text;
	const safe = withoutSecrets(searched, secrets)
		.replace(/\bBearer\s+[^\s"',;<>]+/gi, 'Bearer [hidden]')
		.replace(/\beyJ[\w-]+\.[\w.-]+/g, '[hidden]')
		.replace(/(api[-_ ]?key["']?\s*[:=]\s*["']?)(?=[^\s"',;<>]*\d)[^\s"',;<>[\]]{8,}/gi, '$1[hidden]')
		.replace(/\b(?=[A-Za-z0-9_-]*\d)(?=[A-Za-z0-9_-]*[A-Za-z])[A-Za-z0-9_-]{32,}\b/g, (token) =>
			// Support asks for trace ids; they are not keys.
			/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(token) ? token : '[hidden]',
		);
	return safe.length > MAX_SHOWN || text.length > MAX_SEARCHED ? `${safe.slice(0, MAX_SHOWN - 1).trimEnd()}…` : safe;
}

/**
 * Hides secrets in a sentence of ours that quotes values of the platform, in quotation marks. Outside of them a secret
 * such as “platform” is a word of ours; only one that cannot be a word is hidden there, too.
 */
export function hideInSentence(text: string, secrets: readonly string[]): string {
	const [keys, words] = partition(secrets, isNoWord);
	return withoutSecrets(text, keys).replace(QUOTED, (quoted) => withoutSecrets(quoted, words));
}

/** What is quoted is short. */
const QUOTED = /“[^”]{0,500}”|"(?:[^"\\]|\\.){0,500}"/g;
/** Longer words do not occur in sentences. */
const LONGEST_WORD = 24;

function isNoWord(secret: string): boolean {
	const isMixed = secret.length > TELLING_PART && /\d/.test(secret) && /[A-Za-z]/.test(secret);
	return !/\s/.test(secret) && (isMixed || secret.length > LONGEST_WORD);
}

/** Hides secrets and words that begin like one, in a text of any length that was quoted. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
	let safe = text;
	for (const secret of secrets) {
		for (const spelling of new Set([secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)])) {
			if (spelling !== '') safe = safe.replace(patternOf(spelling), '[hidden]');
		}
	}
	return safe;
}

/** Longest name of a field in a message, and how many there are. */
export const LONGEST_NAME = 40;
export const MOST_NAMES = 30;
const EMAIL = /[^\s@]*@(?!odata\.)[^\s@]+\.[^\s@]*/gi;

/**
 * Names of fields as messages quote them: the first ones, each short and on one line, without secrets and e-mail
 * addresses, and how many others there are.
 */
export function shownNames(names: readonly string[], secrets: readonly string[], most = MOST_NAMES): string {
	const shown = (name: string) => safeText(name, secrets).replace(EMAIL, '[hidden]').replace(/\s+/g, ' ');
	return firstNames(names, most, (name) => shown(name).slice(0, LONGEST_NAME));
}

/** This many characters from the start of a secret reveal too much. */
const TELLING_PART = 12;
/** Secrets this short occur inside many words, so they are only hidden as whole words. */
const LONGEST_SYLLABLE = 3;

/** Matches a secret, or a word that begins like it. Passwords may contain spaces, so the whole comes first. */
function patternOf(secret: string): RegExp {
	const whole = escaped(secret);
	if (secret.length <= LONGEST_SYLLABLE) return new RegExp(`(?<!\\w)${whole}(?!\\w)`, 'gi');
	if (secret.length <= TELLING_PART) return new RegExp(whole, 'gi');
	return new RegExp(`${whole}|${escaped(secret.slice(0, TELLING_PART))}[^\\s"'<>]*`, 'gi');
}

/** Escapes text for a regular expression, cut to the length that is searched. */
export function escaped(text: string): string {
	return text.slice(0, MAX_SEARCHED).replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** The texts of a parsed body and what they may be, outer ones first, and the names of its fields. */
function textsIn(root: unknown) {
	const nodes = nodesIn(root).map(({ names, value }) => ({ names: names.filter(isName), value }));
	const texts = nodes.flatMap(({ names, value }) => {
		const text = typeof value === 'string' ? value.slice(0, MAX_SEARCHED).trim() : '';
		if (text === '') return [];
		const isUsualCode = CODE_KEY.test(plainName(names.at(-1) ?? '')) && /^[A-Za-z][\w.-]{2,60}$/.test(text);
		const isMessage = names.some((name) => MESSAGE_NAME.test(plainName(name)));
		return [{ text, isCode: CODE.test(text) || isUsualCode, isMessage }];
	});
	return { names: nodes.flatMap(({ names }) => names.slice(-1)), texts };
}

/** Entries of lists have none. */
const isName = (name: string) => !/^\d+$/.test(name);

function codeIn(text: string, codes: readonly string[] = []): string | undefined {
	return KNOWN_CODE.exec(text)?.[0] ?? codes.find((candidate) => CODE.test(candidate)) ?? codes[0];
}

function titleOf(page: string): string {
	const [, ...after] = page.split(/<(?:title|h1)\b[^<>]*>/i);
	return withoutTags((after[0] ?? '').split(/<\/(?:title|h1)/i)[0] ?? '');
}

/** The text of a page. `&lt;` and `&gt;` stay as they are: decoded, they could make new markup. */
function withoutTags(text: string): string {
	const [before = '', ...scripts] = text.split(/<(?:script|style)\b/i);
	const visible = scripts.map((script) => script.split(/<\/(?:script|style)>/i)[1] ?? '');
	return [before, ...visible]
		.join(' ')
		.replace(/<[^<>]*>/g, ' ')
		.replace(/&nbsp;/g, ' ')
		.replace(/&(?:quot|#34);/g, '"')
		.replace(/&(?:apos|#39);/g, "'")
		.replace(/&amp;/g, '&');
}

function tidy(text: string): string {
	return text.replace(/\s+/g, ' ').trim();
}
