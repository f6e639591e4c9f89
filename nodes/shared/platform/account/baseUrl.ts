import { hasInvisibleCharacter } from '../../text';
import { PlatformError } from '../answers/errors';

/** A base URL that can be used, and what was changed about the text to get there. */
interface BaseUrl {
	/** Scheme, host and path prefix, without a slash at the end. */
	baseUrl: string;
	/** Sentences for the user: what was cut off or assumed. */
	notes: string[];
}

const EXAMPLE = 'Enter it in the form https://host, as you received it.';

/** Longest base URL, in characters. */
const MAX_LENGTH = 2_000;

/** The part of a URL that this package adds itself: everything from /api/<area>/v1 on, or the sign-in path. */
const PASTED_PATH = /\/(?:api\/(?:[^/]+\/v\d+|charging-(?:sessions|stations)|locations)|token)(?:\/.*)?$/i;

/** True for hosts on this machine: localhost, 127.0.0.0/8 and ::1, as the URL parser spells them. */
function isLoopback(hostname: string): boolean {
	const host = hostname.toLowerCase().replace(/\.$/, '');
	return host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/**
 * Turns what a person typed or pasted into a base URL. Spaces around it, a slash at the end, a missing https:// and a
 * pasted API path are corrected with a note. A path prefix (a gateway's) is kept.
 *
 * @param text the text of the credential's field
 * @param options.allowHttp whether plain http may be used to a host that is not this machine
 * @param options.secret what must not travel unencrypted: "API key"
 * @param options.label what the field is called in messages: "The base URL of the test environment"
 * @throws PlatformError of kind configuration that says why it cannot be used and what to enter. The text itself is
 * never repeated: it may be a key in the wrong field.
 */
export function readBaseUrl(text: unknown, options: { allowHttp: boolean; label: string; secret: string }): BaseUrl {
	const { label } = options;
	const notes: string[] = [];
	const url = parse(withScheme(checkedText(text, label), label, notes));
	// "http://https://host" parses as a host called "https".
	if (!url || /^https?$/.test(url.hostname)) throw unusable(`${label} is not a web address`, EXAMPLE);
	if (url.username || url.password) {
		throw unusable(
			`${label} contains a user name or password`,
			'Remove everything between // and @. The credential has fields of its own for what the platform needs.',
		);
	}
	if (url.protocol === 'http:' && !isLoopback(url.hostname) && !options.allowHttp) {
		throw unusable(
			`${label} begins with http://, so the ${options.secret} would travel unencrypted`,
			'Use https://. Only if the platform is in your own network and has no https, switch on Allow Plain HTTP.',
		);
	}

	const pasted = PASTED_PATH.exec(url.pathname);
	if (pasted) notes.push(`${label} ends with an API path, which was cut off: the nodes add it themselves.`);
	else if (url.search) {
		throw unusable(`${label} contains a question mark and parameters`, 'Remove everything from the question mark on.');
	}
	if (url.hash) notes.push(`${label} contains a #, and what follows it was cut off.`);
	const path = url.pathname.slice(0, pasted?.index);
	return { baseUrl: url.origin + path.replace(/\/+$/, ''), notes };
}

function checkedText(text: unknown, label: string): string {
	const trimmed = typeof text === 'string' ? text.trim() : '';
	if (trimmed === '') throw unusable(`${label} is empty`, EXAMPLE);
	if (trimmed.length > MAX_LENGTH) throw unusable(`${label} is too long for a web address`, EXAMPLE);
	if (/\s/.test(trimmed)) throw unusable(`${label} contains a space or a line break`, EXAMPLE);
	if (hasInvisibleCharacter(trimmed)) {
		const advice =
			'It was copied along. Delete the whole text and type the address, or copy it again from where you received it.';
		throw unusable(`${label} contains a character that cannot be seen`, advice);
	}
	return trimmed;
}

/** The address with its scheme, https:// if it has none. */
function withScheme(text: string, label: string, notes: string[]): string {
	const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1]?.toLowerCase();
	if (scheme === 'http' || scheme === 'https') return text;
	if (scheme !== undefined) throw unusable(`${label} begins with ${scheme}://, but only https:// can be used`, EXAMPLE);
	const bare = text.replace(/^\/\//, '');
	if (!looksLikeHost(bare)) throw unusable(`${label} is not a web address`, EXAMPLE);
	const assumed = isLoopback(hostOf(bare)) ? 'http' : 'https';
	notes.push(`${label} does not begin with https://, so ${assumed}:// was put in front.`);
	return `${assumed}://${bare}`;
}

function unusable(reason: string, nextStep: string): PlatformError {
	return new PlatformError('configuration', reason, { description: `In the credential: ${nextStep}` });
}

/** "localhost:4010/x" is a host, "production" or an API key pasted into the wrong field is not. */
function looksLikeHost(text: string): boolean {
	if (/^[a-z][a-z0-9+.-]*:(?!\d+(?:\/|$|\?|#))/i.test(text)) return false;
	const host = hostOf(text);
	return host.includes('.') || host.startsWith('[') || isLoopback(host) || /:\d+(?:\/|$)/.test(text);
}

function hostOf(text: string): string {
	return parse(`https://${text}`)?.hostname ?? '';
}

function parse(text: string): URL | undefined {
	return URL.canParse(text) ? new URL(text) : undefined;
}
