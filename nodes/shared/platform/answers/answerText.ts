/** What could be read from the body of a refusal, whatever its shape. */
export interface AnswerText {
	/** An upper-case code such as PUBLIC_API_LICENSE_INACTIVE, wherever it stands. */
	code?: string;
	/** The sentence for people. For a web page its title. */
	message?: string;
	/** Everything readable, for telling refusals apart. Never shown. */
	all: string;
	/** True when a gateway's or proxy's web page came instead of the platform's own answer. */
	isWebPage: boolean;
}

/** Longest text of the platform that is repeated in a message. */
const MAX_SHOWN = 300;
/** No platform explains itself at greater length; what comes later is not looked at. */
const MAX_READ = 20_000;
const MAX_DEPTH = 12;

const CODE = /^[A-Z][A-Z0-9]*(?:[_-][A-Z0-9]+)+$/;
const KNOWN_CODE = /\b(?:PUBLIC_API_LICENSE_INACTIVE|API_KEY_SCOPE_INSUFFICIENT)\b/;
const CODE_KEY = /^(?:error|err|fault|status|reason)?(?:code|key)$|^(?:error|err|type|reason|status)$/;

/** How likely the text below a property name is the sentence for people. Names are compared without case, _ and -. */
const MESSAGE_KEYS: ReadonlyArray<readonly [RegExp, number]> = [
	[/^(?:error|err|status|user|fault)?(?:messages?|msg|description|detail|details|string)$/, 4],
	[/^(?:error|errors|err|fault|reason|text|cause|validationerrors|info)$/, 3],
	[/^(?:title|statustext|summary)$/, 2],
];
/** Texts that are never the sentence: identifiers, links and times. */
const NOISE_KEY = /(?:id|uri|url|link|href|path|instance|timestamp|date|time|version|stack|stacktrace|method)$/;

interface Candidate {
	text: string;
	rank: number;
}

/**
 * Finds code and message in a body of any shape: JSON of any nesting (flat, nested, a list, problem+json, JSON written
 * inside a string), XML, a web page, plain text, or nothing at all.
 *
 * @param body text as received, or what a host has already parsed
 */
export function readAnswerText(body: unknown): AnswerText {
	const text = typeof body === 'string' ? body.slice(0, MAX_READ) : '';
	if (isWebPage(text)) {
		const all = withoutTags(text);
		const title = /<(title|h1)[^>]*>([\s\S]*?)<\/\1>/i.exec(text)?.[2];
		return { message: tidy(withoutTags(title ?? '')) || tidy(all) || undefined, all, isWebPage: true, ...codeIn(all) };
	}

	const value = typeof body === 'string' ? (parseJson(body) ?? body) : body;
	if (typeof value === 'string') {
		const all = withoutTags(value.slice(0, MAX_READ));
		return { message: tidy(all) || undefined, all, isWebPage: false, ...codeIn(all) };
	}

	const found = { codes: [] as string[], candidates: [] as Candidate[], texts: [] as string[] };
	collect(value, found);
	const best = Math.max(0, ...found.candidates.map(({ rank }) => rank));
	const sentences = found.candidates.filter(({ rank }) => rank === best).map((candidate) => candidate.text);
	const all = found.texts.join('\n').slice(0, MAX_READ);
	return {
		message: tidy([...new Set(sentences)].slice(0, 3).join('; ')) || undefined,
		all,
		isWebPage: false,
		...codeIn(all, found.codes),
	};
}

/** Parses text that should be JSON; undefined when it is not. A byte order mark in front is no obstacle. */
export function parseJson(text: string): unknown {
	try {
		return JSON.parse(text.replace(/^\uFEFF/, '')) as unknown;
	} catch {
		return undefined;
	}
}

/** True for HTML, whatever its declared content type. */
export function isWebPage(text: string): boolean {
	return /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]*?-->\s*)*<(?:!doctype\s+html|html|head|body|title|h1|center)\b/i.test(
		text,
	);
}

/**
 * Removes what is secret (an API key, or a password and tokens), larger parts of it, and anything that looks like a key
 * or a token, then shortens. Only text that went through here may reach a message.
 */
export function safeText(text: string, secrets: readonly string[]): string {
	let safe = text;
	for (const secret of secrets) {
		for (const spelling of new Set([secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)])) {
			if (spelling !== '') safe = replaceIgnoringCase(safe, spelling, '[hidden]');
		}
		safe = hideParts(safe, secret);
	}
	safe = safe
		.replace(/\bBearer\s+[^\s"',;<>]+/gi, 'Bearer [hidden]')
		.replace(/\beyJ[\w-]+\.[\w.-]+/g, '[hidden]')
		.replace(/(api[-_ ]?key["']?\s*[:=]\s*["']?)(?=[^\s"',;<>]*\d)[^\s"',;<>[\]]{8,}/gi, '$1[hidden]')
		.replace(/\b(?=[A-Za-z0-9_-]*\d)(?=[A-Za-z0-9_-]*[A-Za-z])[A-Za-z0-9_-]{32,}\b/g, (token) =>
			// Trace ids are what support asks for; they are no keys.
			/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(token) ? token : '[hidden]',
		);
	return safe.length > MAX_SHOWN ? `${safe.slice(0, MAX_SHOWN - 1).trimEnd()}…` : safe;
}

/** Walks breadth first, so that what stands further out comes first. */
function collect(root: unknown, found: { codes: string[]; candidates: Candidate[]; texts: string[] }): void {
	let level: Array<{ value: unknown; key: string; rank: number }> = [{ value: root, key: '', rank: 1 }];
	for (let depth = 0; depth < MAX_DEPTH && level.length > 0; depth++) {
		const next: typeof level = [];
		for (const { value, key, rank } of level) {
			if (typeof value === 'string') {
				const inner = /^\s*[[{]/.test(value) ? parseJson(value) : undefined;
				if (typeof inner === 'object' && inner !== null) next.push({ value: inner, key, rank });
				else note(value, key, rank, found);
			} else if (Array.isArray(value)) {
				for (const entry of value.slice(0, 50)) next.push({ value: entry, key, rank });
			} else if (typeof value === 'object' && value !== null) {
				for (const [name, entry] of Object.entries(value).slice(0, 100)) {
					const plain = name.toLowerCase().replace(/[_\-\s]/g, '');
					found.texts.push(name);
					next.push({ value: entry, key: plain, rank: rankOf(plain) ?? rank });
				}
			}
		}
		level = next;
	}
}

function note(
	text: string,
	key: string,
	rank: number,
	found: { codes: string[]; candidates: Candidate[]; texts: string[] },
): void {
	const trimmed = text.trim();
	if (trimmed === '') return;
	found.texts.push(trimmed.slice(0, 2_000));
	if (CODE.test(trimmed) || KNOWN_CODE.test(trimmed)) found.codes.push(trimmed);
	else if (CODE_KEY.test(key) && /^[A-Za-z][\w.-]{2,60}$/.test(trimmed)) found.codes.push(trimmed);
	if (CODE.test(trimmed) || /^https?:\/\//i.test(trimmed)) return;
	if (NOISE_KEY.test(key) && rankOf(key) === undefined) return;
	// A sentence has words; a single word is a label at best.
	found.candidates.push({ text: trimmed, rank: /\s/.test(trimmed) ? rank + 1 : rank / 10 });
}

function rankOf(key: string): number | undefined {
	return MESSAGE_KEYS.find(([pattern]) => pattern.test(key))?.[1];
}

function codeIn(text: string, codes: readonly string[] = []): { code?: string } {
	const known = KNOWN_CODE.exec(text)?.[0];
	const code = known ?? codes.find((candidate) => CODE.test(candidate)) ?? codes[0];
	return code === undefined ? {} : { code };
}

function withoutTags(text: string): string {
	return text
		.replace(/<(script|style)\b[\s\S]*?<\/\1>/gi, ' ')
		.replace(/<[^>]*>/g, ' ')
		.replace(/&nbsp;/g, ' ')
		.replace(/&lt;/g, '<')
		.replace(/&gt;/g, '>')
		.replace(/&(?:quot|#34);/g, '"')
		.replace(/&(?:apos|#39);/g, "'")
		.replace(/&amp;/g, '&');
}

function tidy(text: string): string {
	return text.replace(/\s+/g, ' ').trim();
}

/** Texts this short are parts of many words: they are only replaced where they stand alone. */
const LONGEST_SYLLABLE = 3;

function replaceIgnoringCase(text: string, part: string, replacement: string): string {
	const escaped = part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
	const pattern = part.length > LONGEST_SYLLABLE ? escaped : `(?<!\\w)${escaped}(?!\\w)`;
	return text.replace(new RegExp(pattern, 'gi'), replacement);
}

/** Length from which a piece of a secret says too much. Shorter pieces are words that many texts share. */
const TELLING_PART = 12;

function hideParts(text: string, secret: string): string {
	const key = secret.toLowerCase();
	if (key.length <= TELLING_PART) return text;
	let result = '';
	let at = 0;
	while (at < text.length) {
		let length = TELLING_PART;
		while (at + length <= text.length && key.includes(text.slice(at, at + length).toLowerCase())) length++;
		if (length > TELLING_PART) {
			result += '[hidden]';
			at += length - 1;
		} else {
			result += text.charAt(at);
			at++;
		}
	}
	return result;
}
