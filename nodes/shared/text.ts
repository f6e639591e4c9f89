/** Words for messages, and the order of texts. */

const collator = new Intl.Collator('en', { sensitivity: 'base' });

/** Compares texts as an English dictionary orders them, whatever their capitals and accents. */
export function compareTexts(one: string, other: string): number {
	return collator.compare(one, other);
}

/** The beginning of a text, with an ellipsis if it is longer. */
export function shorten(text: string, length: number): string {
	return text.length <= length ? text : `${text.slice(0, length)}…`;
}

const SHOWN_LENGTH = 60;

/** A value as messages quote it: text in double quotes and cut short, objects and lists by their kind. */
export function quote(value: unknown): string {
	if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value);
	if (typeof value !== 'string') return kindOf(value);
	return JSON.stringify(shorten(value, SHOWN_LENGTH));
}

/** Whether a value is missing, or only whitespace and invisible characters such as copied text may contain. */
export function isBlank(value: unknown): boolean {
	if (value === undefined || value === null) return true;
	return typeof value === 'string' && /^[\s\u200b-\u200d\u2060\ufeff]*$/.test(value);
}

/** Whether a text has a character that takes no room, such as copied text may contain. */
export function hasInvisibleCharacter(text: string): boolean {
	return /[\p{C}\p{Default_Ignorable_Code_Point}]/u.test(text);
}

/** Whether a value is an object, not an array or a Date. It may be of another realm: expressions run in their own. */
export function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && Object.prototype.toString.call(value) === '[object Object]';
}

/** The kind of a value, as messages name it: "a list". */
export function kindOf(value: unknown): string {
	if (value === undefined || value === null) return 'nothing';
	if (Array.isArray(value)) return 'a list';
	if (typeof value === 'object') {
		if ('isLuxonDuration' in value) return 'a length of time';
		const isDate = 'isLuxonDateTime' in value || Object.prototype.toString.call(value) === '[object Date]';
		return isDate ? 'a date' : 'an object';
	}
	return KINDS[typeof value] ?? 'something else';
}

const KINDS: Readonly<Record<string, string>> = {
	string: 'text',
	number: 'a number',
	bigint: 'a number',
	boolean: 'true or false',
};

/** Names that a message lists; of others it says how many they are. */
const MOST_NAMED = 5;

/** Names as messages list them: the first ones, and how many more there are. */
export function formatFirstNames<Name>(
	names: readonly Name[],
	most = MOST_NAMED,
	show: (name: Name) => string = String,
): string {
	return joinWithMore(names.slice(0, most).map(show), names.length - most);
}

/** Texts in one line, and how many there are beside them. */
export function joinWithMore(shown: readonly string[], more: number): string {
	const text = shown.join(', ');
	return more > 0 ? `${text} and ${more} more` : text;
}

/** All of them in one line: "a, b and c". */
export function joinWithAnd(names: readonly string[]): string {
	return [names.slice(0, -1).join(', '), ...names.slice(-1)].filter(Boolean).join(' and ');
}

/** A count with its noun: "1 row", "2 rows". */
export function formatCount(count: number, one: string, many = `${one}s`): string {
	return `${count} ${count === 1 ? one : many}`;
}

const MOST_DAYS = 10_000;

/** "45 seconds", "10 minutes", "1 day 3 hours": rounded up, so that nobody tries again too early. */
export function formatDuration(ms: number): string {
	if (ms > MOST_DAYS * 86_400_000) return `more than ${MOST_DAYS} days`;
	const seconds = Math.ceil(ms / 1_000);
	if (seconds < 60) return formatCount(seconds, 'second');
	const total = Math.ceil(seconds / 60);
	const [days, hours, minutes] = [Math.floor(total / 1440), Math.floor((total % 1440) / 60), total % 60];
	const parts = [days > 0 && formatCount(days, 'day'), hours > 0 && formatCount(hours, 'hour')];
	return [...parts, minutes > 0 && formatCount(minutes, 'minute')].filter(Boolean).join(' ');
}
