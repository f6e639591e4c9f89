import { conditionsIn } from '../../dsquery/compose';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../dsquery/values/durations';
import type { PlatformAnswer } from '../types';
import { parseRefusalText, type RefusalText } from './refusalText';
import { PlatformError } from './errors';
import { FALLBACK_RULE, RULES, type RefusalContext } from './refusalRules';
import { escapeRegExp, sanitizeText } from './safeText';

const SCOPE_NAME = /\b([a-z][a-z0-9-]{0,60}:read(?:write)?)\b/i;
/** Longer fields are not searched for. */
const LONGEST_FIELD = 80;

/** Turns a refusal of any body shape into the error that says what happened and what to do next. */
export function refusalError(refusal: PlatformAnswer): PlatformError {
	const { status } = refusal;
	const text = parseRefusalText(refusal.body);
	const clues = cluesIn(refusal, text);
	const { kind, about, message, advice } =
		RULES.find((rule) => isAmong(status, rule.status) && (rule.where?.(clues) ?? true)) ?? FALLBACK_RULE;
	return new PlatformError(kind, message(clues), {
		description: [advice(clues), status < 400 ? '' : said(refusal, text)].filter(Boolean).join(' '),
		advice: advice(clues),
		isWebPage: text.isWebPage,
		status,
		retryAfterMs: clues.retryAfterMs,
		scope: about === 'scope' ? clues.missingScope : undefined,
		property: about === 'field' ? clues.field : undefined,
	});
}

function isAmong(status: number, statuses: string): boolean {
	const hundreds = `${Math.min(5, Math.floor(status / 100))}xx`;
	return statuses.split(' ').some((each) => each === String(status) || each === hundreds);
}

function cluesIn(refusal: PlatformAnswer, text: RefusalText): RefusalContext {
	const { status } = refusal;
	const words = text.isWebPage ? '' : text.all;
	const hasScopeCode = /scopeinsufficient/i.test((text.code ?? '').replace(/[^a-z]/gi, ''));
	const isAboutScope = hasScopeCode || (status === 403 && /\bscopes?\b/i.test(words));
	const isAboutQuota = status === 403 && !hasScopeCode && /\bquotas?\b/i.test(words);
	const field = isAmong(status, '400 422') ? fieldIn(words, refusal) : undefined;
	return {
		...refusal,
		text,
		words,
		isAboutQuota,
		isAboutScope,
		field,
		retryAfterMs: refusal.retryAfterMs ?? (isAboutQuota ? replenishedInMs(words) : undefined),
		missingScope: isAboutScope ? scopeIn(refusal, text) : undefined,
		value: field === undefined ? undefined : valueIn(words, refusal),
	};
}

function scopeIn({ endpoint, secrets }: PlatformAnswer, { all }: RefusalText): string | undefined {
	const named = SCOPE_NAME.exec(all)?.[1]?.toLowerCase();
	return named === undefined || named === endpoint.scope ? endpoint.scope : sanitizeText(named, secrets);
}

/** The field of the query that the platform's words name: a quoted one, else the first one mentioned. */
function fieldIn(words: string, { query, secrets }: PlatformAnswer): string | undefined {
	const fields = [...conditionsIn(query?.filter), ...(query?.sorts ?? [])]
		.map(({ field }) => field)
		.filter(({ length }) => length <= LONGEST_FIELD);
	const quoted = /['"‘’“”`]([A-Za-z_][\w.]{0,80})['"‘’“”`]/.exec(words)?.[1]?.toLowerCase();
	const mentioned = fields
		.map((field) => ({ field, at: words.search(new RegExp(`(?<![\\w.])${escapeRegExp(field)}(?!\\w)`)) }))
		.filter(({ at }) => at >= 0)
		.sort((a, b) => a.at - b.at || b.field.length - a.field.length);
	const name = fields.find((field) => field.toLowerCase() === quoted) ?? mentioned[0]?.field;
	return name === undefined ? undefined : sanitizeText(name, secrets);
}

/** The value of the query that the platform's words quote. */
function valueIn(words: string, { query, secrets }: PlatformAnswer): string | undefined {
	const conditions = conditionsIn(query?.filter);
	const values = new Set(conditions.flatMap(({ value }) => [value, ...value.split(',')]));
	for (const { field } of conditions) values.delete(field);
	const quoted = [...words.matchAll(/['"‘“`](?=([^'"‘’“”`]{1,80})['"’”`])/g)].map(([, text = '']) => text);
	const value = quoted.find((text) => values.has(text));
	return value === undefined ? undefined : sanitizeText(value, secrets);
}

/** "Quota will be replenished in 02:30:15", or with days before it: 3.02:30:15. */
function replenishedInMs(words: string): number | undefined {
	const found = /\bin (?:(\d{1,4})\.)?(\d{1,2}):(\d\d):(\d\d)\b/.exec(words);
	if (!found) return undefined;
	const [days = 0, hours = 0, minutes = 0, seconds = 0] = found.slice(1).map((part) => Number(part ?? 0));
	return days * DAY_MS + hours * HOUR_MS + minutes * MINUTE_MS + seconds * SECOND_MS || undefined;
}

/** What the platform itself said. */
function said({ secrets }: PlatformAnswer, text: RefusalText): string {
	const message = sanitizeText(text.message ?? '', secrets);
	const code = sanitizeText(text.code ?? '', secrets);
	const quote = [message && `“${message}”`, code && !message.includes(code) && `(${code})`].filter(Boolean).join(' ');
	return quote && `${text.isWebPage ? 'The web page says' : 'The platform says'}: ${quote}`;
}
