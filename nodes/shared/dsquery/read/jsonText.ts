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
const STRING = /"[^"\\]*(?:\\[^][^"\\]*)*"/y;
const WORD = /[A-Za-z_]+/y;
const BLANKS = /[ \t\r\n]*/y;
const WORDS = new Map<string, unknown>([
	['true', true],
	['false', false],
	['null', null],
]);

/** Stands for a list or object that was opened and gets its members next. */
const OPENED = Symbol('opened');
/** Stands for a text that is not JSON; the reader's flaw says why. */
const FLAWED = Symbol('flawed');

/**
 * Reads JSON text. Unlike `JSON.parse` it says where the text goes wrong on every version of Node, refuses a property
 * that is there twice (of which `JSON.parse` would drop one without a word) and does not care how deep the text nests.
 */
export function readJsonText(text: string): { value: unknown } | { flaw: JsonFlaw } {
	const reader = new Reader(text);
	const value = reader.read();
	return reader.flaw ? { flaw: reader.flaw } : { value };
}

class Reader {
	flaw: JsonFlaw | undefined;
	private at = 0;
	private readonly open: Open[] = [];
	private readonly text: string;

	constructor(text: string) {
		this.text = text;
	}

	read(): unknown {
		for (;;) {
			let value = this.value();
			if (value === FLAWED) return FLAWED;
			if (value === OPENED) continue;
			// A finished value closes as many lists and objects as end behind it.
			for (;;) {
				const top = this.open.at(-1);
				if (!top) return this.peek() === '' ? value : this.stop('there is more text after the end');
				if (top.kind === 'list') top.items.push(value);
				else top.entries.set(top.key, value);
				const sign = this.peek();
				const close = top.kind === 'list' ? ']' : '}';
				if (sign === ',') {
					this.at++;
					if (this.peek() === close) return this.stop(`there is a comma too many before "${close}"`);
					if (top.kind === 'object' && !this.key(top)) return FLAWED;
					break;
				}
				if (sign !== close) return this.stop(`a comma or "${close}" is needed here`);
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
			return opened.kind === 'object' && !this.key(opened) ? FLAWED : OPENED;
		}
		if (sign === '"') return this.string() ?? FLAWED;
		const number = this.match(NUMBER);
		if (number !== undefined) return Number(number);
		const start = this.at;
		const word = this.match(WORD);
		if (word !== undefined && WORDS.has(word)) return WORDS.get(word);
		this.at = start;
		return this.stop(word === undefined ? 'a value is needed here' : `"${word}" needs double quotes around it`);
	}

	/** Reads a property name and its colon; says whether both were there. */
	private key(object: OpenObject): boolean {
		if (this.peek() !== '"') {
			this.stop('a property name in double quotes is needed here');
			return false;
		}
		const start = this.at;
		const key = this.string();
		if (key === undefined) return false;
		if (object.entries.has(key)) {
			this.at = start;
			this.stop(`the property "${key}" is there twice`);
			return false;
		}
		if (this.peek() !== ':') {
			this.stop('a colon is needed after the property name');
			return false;
		}
		this.at++;
		object.key = key;
		return true;
	}

	private string(): string | undefined {
		const start = this.at;
		const token = this.match(STRING);
		try {
			if (token !== undefined) return JSON.parse(token) as string;
		} catch {
			// A control character or an unknown escape; it is reported below like a missing quote.
		}
		this.at = start;
		this.stop('this text is not closed, or holds a line break or a single backslash');
		return undefined;
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

	/** Notes what is wrong at the present place. */
	private stop(message: string): typeof FLAWED {
		const sign = this.text[this.at];
		const lines = this.text.slice(0, this.at).split('\n');
		const where = { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
		if (sign === undefined) this.flaw = { message: `the text ends too early: ${message}`, ...where };
		else if (/[\u2018-\u201f']/.test(sign))
			this.flaw = { message: `${message}; use straight double quotes (")`, ...where };
		else this.flaw = { message, ...where };
		return FLAWED;
	}
}

function finished(open: Open): unknown {
	// fromEntries makes an own property of any name, "__proto__" included.
	return open.kind === 'list' ? open.items : Object.fromEntries(open.entries);
}
