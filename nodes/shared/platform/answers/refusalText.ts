import { collectJsonNodes, parseJson, normalizeName } from './json';

/** What could be read from the body of a refusal, whatever its shape. */
export interface RefusalText {
	/** An upper-case code such as PUBLIC_API_LICENSE_INACTIVE, wherever it was found. */
	code?: string;
	/** The message for people; for a web page, its title. */
	message?: string;
	/** All text, to tell refusals apart. Never shown. */
	all: string;
	/** A gateway's or proxy's web page came instead of the platform's own answer. */
	isWebPage: boolean;
}

/** How much of a text is read. */
const MAX_READ = 20_000;
const CODE = /^[A-Z][A-Z0-9]*(?:[_-][A-Z0-9]+)+$/;
/** The codes of the specification, in text of any shape. */
const KNOWN_CODE = /\b(?:PUBLIC_API_LICENSE_INACTIVE|API_KEY_SCOPE_INSUFFICIENT)\b/;
const CODE_NAME = /^(?:error|status|fault)?code$|^(?:error|type|status)$/;
/** Names of what is said to people. */
const MESSAGE_NAME =
	/^(?:(?:error|status|user|fault)?(?:messages?|msg|description|details?|string)|errors?|fault|reason|text|cause|validationerrors|title)$/;

/**
 * Finds code and message in a body of any shape: JSON of any nesting, XML, a web page, plain text, or nothing at all.
 * Linear.
 */
export function parseRefusalText(body: string): RefusalText {
	const text = body.slice(0, MAX_READ);
	const isPage = isWebPage(text);
	const value = isPage ? undefined : parseJson(body);
	if (value === undefined || typeof value === 'string') {
		const all = withoutTags(value ?? text).slice(0, MAX_READ);
		const message = (isPage && tidy(titleOf(text))) || tidy(all) || undefined;
		return { message, all, isWebPage: isPage, code: KNOWN_CODE.exec(all)?.[0] };
	}
	const texts = textsIn(value);
	const codes = texts.filter(({ isCode }) => isCode);
	const said = texts.filter(({ isCode, text: each }) => !isCode && each !== '');
	const named = said.filter(({ isMessage }) => isMessage);
	const sentences = [named, said].map((some) => some.filter(({ text: each }) => /\s/.test(each)));
	const [chosen = named.slice(0, 1)] = sentences.filter(({ length }) => length > 0);
	const all = texts
		.flatMap(({ name, text: each }) => [name, each])
		.join('\n')
		.slice(0, MAX_READ);
	return {
		message: tidy([...new Set(chosen.map(({ text: each }) => each))].slice(0, 3).join('; ')) || undefined,
		all,
		isWebPage: false,
		code: KNOWN_CODE.exec(all)?.[0] ?? codes[0]?.text,
	};
}

/** True for HTML, whatever its declared content type. */
export function isWebPage(text: string): boolean {
	return /^\s*</.test(text) && /<(?:!doctype html|html|head|body|title)\b/i.test(text.slice(0, MAX_READ));
}

/** The texts of a parsed body, outer ones first, with the name each has, and what they may be. */
function textsIn(root: unknown) {
	return collectJsonNodes(root).flatMap(({ names, value }) => {
		const own = names.filter((name) => !/^\d+$/.test(name));
		const [name = ''] = own.slice(-1);
		const text = typeof value === 'string' ? value.slice(0, MAX_READ).trim() : '';
		const isNamedCode = CODE_NAME.test(normalizeName(name)) && /^[A-Za-z][\w.-]{2,60}$/.test(text);
		const isMessage = own.some((each) => MESSAGE_NAME.test(normalizeName(each)));
		return name === '' && text === '' ? [] : [{ name, text, isCode: CODE.test(text) || isNamedCode, isMessage }];
	});
}

function titleOf(page: string): string {
	const [, ...after] = page.split(/<(?:title|h1)\b[^<>]*>/i);
	return withoutTags((after[0] ?? '').split(/<\/(?:title|h1)/i)[0] ?? '');
}

/** The text of a page. `&lt;` and `&gt;` stay as they are: decoded, they could make new markup. */
function withoutTags(text: string): string {
	const [before = '', ...scripts] = text.split(/<(?:script|style)\b/i);
	const visible = scripts.map((script) => script.split(/<\/(?:script|style)>/i)[1] ?? '');
	const words = [before, ...visible].join(' ').replace(/<[^<>]*>/g, ' ');
	return words
		.replace(/&quot;/g, '"')
		.replace(/&#39;/g, "'")
		.replace(/&amp;/g, '&');
}

function tidy(text: string): string {
	return text.replace(/\s+/g, ' ').trim();
}
