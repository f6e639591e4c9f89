/** What is wrong with a JSON text, and where: line and column count from 1. */
export interface JsonFlaw {
	message: string;
	line: number;
	column: number;
}

interface OpenList {
	kind: 'list';
	items: unknown[];
}

interface OpenObject {
	kind: 'object';
	entries: Map<string, unknown>;
	key: string;
}

type Open = OpenList | OpenObject;

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const WORD = /[A-Za-z_]+/y;
const BLANKS = /[ \t\r\n]*/y;
const WORDS = new Map<string, unknown>([
	['true', true],
	['false', false],
	['null', null],
]);

/** Carries a flaw out of the reader's loop. */
class Stop extends Error {
	readonly at: number;

	constructor(message: string, at: number) {
		super(message);
		this.at = at;
	}
}

/**
 * Reads JSON text. Unlike `JSON.parse` it says where the text goes wrong on every version of Node, refuses a property
 * that is there twice (of which `JSON.parse` would drop one without a word) and does not care how deep the text nests.
 */
export function readJsonText(text: string): { value: unknown } | { flaw: JsonFlaw } {
	try {
		return { value: new Reader(text).read() };
	} catch (stop) {
		if (!(stop instanceof Stop)) throw stop;
		const lines = text.slice(0, stop.at).split('\n');
		return { flaw: { message: stop.message, line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 } };
	}
}

class Reader {
	private at = 0;
	private readonly open: Open[] = [];

	private readonly text: string;

	constructor(text: string) {
		this.text = text;
	}

	read(): unknown {
		for (;;) {
			let value = this.value();
			if (value === OPENED) continue;
			// A finished value closes as many lists and objects as end behind it.
			for (;;) {
				const top = this.open.at(-1);
				if (!top) return this.end(value);
				if (top.kind === 'list') top.items.push(value);
				else top.entries.set(top.key, value);
				const sign = this.peek();
				const close = top.kind === 'list' ? ']' : '}';
				if (sign === ',') {
					this.at++;
					if (this.peek() === close) throw this.stop(`there is a comma too many before "${close}"`);
					if (top.kind === 'object') this.key(top);
					break;
				}
				if (sign !== close) throw this.stop(`a comma or "${close}" is needed here`);
				this.at++;
				this.open.pop();
				value = finished(top);
			}
		}
	}

	/** Reads one value, or opens a list or object that is not empty. */
	private value(): unknown {
		const sign = this.peek();
		if (sign === '{' || sign === '[') {
			this.at++;
			const opened: Open =
				sign === '[' ? { kind: 'list', items: [] } : { kind: 'object', entries: new Map<string, unknown>(), key: '' };
			if (this.peek() === (sign === '[' ? ']' : '}')) {
				this.at++;
				return finished(opened);
			}
			this.open.push(opened);
			if (opened.kind === 'object') this.key(opened);
			return OPENED;
		}
		if (sign === '"') return this.string();
		const number = this.match(NUMBER);
		if (number !== undefined) return Number(number);
		const start = this.at;
		const word = this.match(WORD);
		if (word !== undefined && WORDS.has(word)) return WORDS.get(word);
		this.at = start;
		throw this.stop(word === undefined ? 'a value is needed here' : `"${word}" needs double quotes around it`);
	}

	private key(object: OpenObject): void {
		if (this.peek() !== '"') throw this.stop('a property name in double quotes is needed here');
		const start = this.at;
		const key = this.string();
		if (object.entries.has(key)) throw new Stop(`the property "${key}" is there twice`, start);
		if (this.peek() !== ':') throw this.stop('a colon is needed after the property name');
		this.at++;
		object.key = key;
	}

	private string(): string {
		const token = this.match(STRING);
		if (token === undefined) throw this.stop('this text is not closed, or holds a line break or a single backslash');
		return JSON.parse(token) as string;
	}

	private end(value: unknown): unknown {
		if (this.peek() !== '') throw this.stop('there is more text after the end');
		return value;
	}

	/** The next sign that is not blank, or '' at the end. */
	private peek(): string {
		this.match(BLANKS);
		return this.text[this.at] ?? '';
	}

	private match(pattern: RegExp): string | undefined {
		pattern.lastIndex = this.at;
		const found = pattern.exec(this.text)?.[0];
		if (found !== undefined) this.at += found.length;
		return found;
	}

	private stop(message: string): Stop {
		const sign = this.text[this.at];
		if (sign === undefined) return new Stop(`the text ends too early: ${message}`, this.at);
		if (/[\u2018-\u201f']/.test(sign)) return new Stop(`${message}; use straight double quotes (")`, this.at);
		return new Stop(message, this.at);
	}
}

const OPENED = Symbol('opened');

function finished(open: Open): unknown {
	// fromEntries makes an own property of any name, "__proto__" included.
	return open.kind === 'list' ? open.items : Object.fromEntries(open.entries);
}
