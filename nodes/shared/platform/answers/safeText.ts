import partition from 'lodash/partition';

import { formatFirstNames } from '../../text';

// Hides secrets (an API key, a password, tokens) in what is quoted from the platform.

/** Longest text of the platform in a message. */
const MAX_SHOWN = 200;
/** How much of a text is searched. Longer, because hiding secrets shortens it. */
const MAX_SEARCHED = 2_000;
/** This many characters from the start of a secret reveal too much. */
const TELLING_PART = 12;
/** Secrets this short occur inside many words, so they are only hidden as whole words. */
const LONGEST_SYLLABLE = 3;
/** Longer words do not occur in sentences. */
const LONGEST_WORD = 24;
/** Longest name of a field in a message, and how many there are. */
export const LONGEST_NAME = 40;
export const MOST_NAMES = 30;
const EMAIL = /[^\s@]*@(?!odata\.)[^\s@]+\.[^\s@]*/gi;
/** Support asks for trace ids; they are no keys. */
const TRACE_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** What a sentence of this package quotes. It is short. */
const QUOTED = /“[^”]{0,500}”|"(?:[^"\\]|\\.){0,500}"/g;

/**
 * Text of the platform for a message: hides secrets, words that begin like one, and anything that looks like a key or
 * token, and shortens the text.
 */
export function sanitizeText(text: string, secrets: readonly string[]): string {
	// The word at the cut may be part of a secret, so it is dropped too.
	const searched = text.length > MAX_SEARCHED ? text.slice(0, MAX_SEARCHED).replace(/\S{1,2000}$/, '') : text;
	const safe = withoutSecrets(searched, secrets)
		.replace(/\bBearer\s+[^\s"',;<>]+/gi, 'Bearer [hidden]')
		.replace(/\beyJ[\w-]+\.[\w.-]+/g, '[hidden]')
		.replace(/(api[-_ ]?key["']?\s*[:=]\s*["']?)(?=[^\s"',;<>]*\d)[^\s"',;<>[\]]{8,}/gi, '$1[hidden]')
		.replace(/\b(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{32,}\b/g, (word) => (TRACE_ID.test(word) ? word : '[hidden]'));
	return safe.length > MAX_SHOWN || text.length > MAX_SEARCHED ? `${safe.slice(0, MAX_SHOWN - 1).trimEnd()}…` : safe;
}

/**
 * Hides secrets in a sentence of ours that quotes values of the platform, in quotation marks. Outside of them a secret
 * such as “platform” is a word of ours; only one that cannot be a word is hidden there, too.
 */
export function redactSecrets(text: string, secrets: readonly string[]): string {
	const [keys, words] = partition(secrets, isNoWord);
	return withoutSecrets(text, keys).replace(QUOTED, (quoted) => withoutSecrets(quoted, words));
}

/**
 * Names of fields as messages quote them: the first ones, each short and on one line, without secrets and email
 * addresses, and how many others there are.
 */
export function formatFieldNames(names: readonly string[], secrets: readonly string[], most = MOST_NAMES): string {
	const shown = (name: string) => sanitizeText(name, secrets).replace(EMAIL, '[hidden]').replace(/\s+/g, ' ');
	return formatFirstNames(names, most, (name) => shown(name).slice(0, LONGEST_NAME));
}

function isNoWord(secret: string): boolean {
	const isMixed = secret.length > TELLING_PART && /\d/.test(secret) && /[A-Za-z]/.test(secret);
	return !/\s/.test(secret) && (isMixed || secret.length > LONGEST_WORD);
}

function withoutSecrets(text: string, secrets: readonly string[]): string {
	let safe = text;
	for (const secret of secrets) {
		for (const spelling of new Set([secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)])) {
			if (spelling !== '') safe = safe.replace(patternOf(spelling), '[hidden]');
		}
	}
	return safe;
}

/** Matches a secret, or a word that begins like it. Passwords may contain spaces, so the whole comes first. */
function patternOf(secret: string): RegExp {
	const whole = escapeRegExp(secret);
	if (secret.length <= LONGEST_SYLLABLE) return new RegExp(`(?<!\\w)${whole}(?!\\w)`, 'gi');
	if (secret.length <= TELLING_PART) return new RegExp(whole, 'gi');
	return new RegExp(`${whole}|${escapeRegExp(secret.slice(0, TELLING_PART))}[^\\s"'<>]*`, 'gi');
}

/** Escapes text for a regular expression, cut to the length that is searched. */
export function escapeRegExp(text: string): string {
	return text.slice(0, MAX_SEARCHED).replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
