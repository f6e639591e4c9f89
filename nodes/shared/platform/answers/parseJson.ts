import { Turns } from '../http/turns';
import { noteLargeId } from './largeIds';

/**
 * Stands before an Id that a number cannot hold exactly, while JSON is parsed. It cannot be guessed, so no text that
 * came begins with it.
 */
const MARK = `${Math.random()}:`;

/** What a text held: JSON, or something else. */
type Parsed = { body: unknown } | undefined;

/**
 * Parses text that should be JSON; undefined when it is not. Ignores a byte order mark.
 * Integers that a number cannot hold exactly become the text that came. `largeId` tells such an Id from one that came
 * as text.
 */
export function parseJson(text: string): unknown {
	const scan = new JsonScan(text.replace(/^\uFEFF/, ''));
	while (!scan.isDone) scan.goOn();
	const parsed = parsedOf(scan);
	if (!parsed) return undefined;
	const marked = scan.hasLargeIds ? new Unmarking(parsed.body) : undefined;
	while (marked && !marked.isDone) marked.goOn();
	return parsed.body;
}

/** Parses text of any length like `parseJson`, and lets n8n do other things before and after the parsing itself. */
export async function parseLongJson(text: string): Promise<Parsed> {
	const turns = new Turns();
	const scan = new JsonScan(text.replace(/^\uFEFF/, ''));
	await turns.through(scan);
	const parsed = parsedOf(scan);
	if (parsed && scan.hasLargeIds) await turns.through(new Unmarking(parsed.body));
	return parsed;
}

function parsedOf({ json }: JsonScan): Parsed {
	try {
		return { body: JSON.parse(json) as unknown };
	} catch {
		return undefined;
	}
}

/** Signs, texts and numbers in one step of a scan; objects in one step of unmarking. */
const STEP = 2_000;
const [QUOTE, BACKSLASH, COMMA, COLON, MINUS, DOT, ZERO, NINE] = [0x22, 0x5c, 0x2c, 0x3a, 0x2d, 0x2e, 0x30, 0x39];
const [OPEN_LIST, OPEN_OBJECT] = [0x5b, 0x7b];
/** The longest integer that a number can hold exactly, with its sign. */
const LONGEST_EXACT = 17;
/** What every longer integer holds. */
const LONG_INTEGER = /\d{16}/;

/** Goes through JSON once, from token to token, and makes texts of integers beyond 2^53. Linear, in steps. */
class JsonScan {
	hasLargeIds = false;
	private at = 0;
	/** The last text, whether it goes on, and whether the next value has the name Id. */
	private text = { from: 0, to: 0 };
	private isInText = false;
	private isId = false;
	/** What is rewritten so far, and up to where. */
	private readonly parts: string[] = [];
	private copied = 0;

	constructor(private readonly written: string) {
		// Most answers have nothing to rewrite.
		if (!LONG_INTEGER.test(written)) this.at = written.length;
	}

	get isDone(): boolean {
		return this.at >= this.written.length;
	}

	/** The JSON to parse. */
	get json(): string {
		if (this.parts.length === 0) return this.written;
		return [...this.parts, this.written.slice(this.copied)].join('');
	}

	goOn(): void {
		const { written } = this;
		for (let left = STEP; left > 0 && !this.isDone; left--) {
			const sign = written.charCodeAt(this.at);
			if (this.isInText) this.passText();
			else if (sign === QUOTE) {
				this.text.from = this.at++;
				this.isInText = true;
			} else if (sign === MINUS || (sign >= ZERO && sign <= NINE)) this.passNumber();
			else {
				this.at++;
				this.passSign(sign);
			}
		}
	}

	/** After a colon comes the value of the name before it; after a comma or a bracket, something else. */
	private passSign(sign: number): void {
		const { written, text } = this;
		if (sign === COLON) this.isId = /^"id"$/i.test(written.slice(text.from, Math.min(text.to, text.from + 5)));
		else if (sign === COMMA || sign === OPEN_LIST || sign === OPEN_OBJECT) this.isId = false;
	}

	/** Goes on to the next quotation mark, which ends the text unless a backslash stands before it. */
	private passText(): void {
		const { written, at } = this;
		const end = written.indexOf('"', at);
		let before = end - 1;
		while (before >= at && written.charCodeAt(before) === BACKSLASH) before--;
		this.isInText = end >= 0 && (end - before) % 2 === 0;
		this.at = end < 0 ? written.length : end + 1;
		this.text.to = this.at;
	}

	private passNumber(): void {
		const { written } = this;
		const from = this.at;
		let isInteger = true;
		let to = from + 1;
		for (; ; to++) {
			const sign = written.charCodeAt(to);
			if (sign >= ZERO && sign <= NINE) continue;
			// A fraction or an exponent: 1.5, 1E+20.
			if (sign !== DOT && sign !== MINUS && !isExponent(sign)) break;
			isInteger = false;
		}
		this.at = to;
		if (!isInteger || to - from < LONGEST_EXACT - 1) return;
		if (to - from <= LONGEST_EXACT && Number.isSafeInteger(Number(written.slice(from, to)))) return;
		if (this.isId) this.hasLargeIds = true;
		this.parts.push(`${written.slice(this.copied, from)}"${this.isId ? MARK : ''}${written.slice(from, to)}"`);
		this.copied = to;
	}
}

const isExponent = (sign: number) => sign === 0x65 || sign === 0x45 || sign === 0x2b;

/** Takes the mark off large Ids, and remembers them. */
class Unmarking {
	private readonly open: object[] = [];

	constructor(root: unknown) {
		this.add(root);
	}

	get isDone(): boolean {
		return this.open.length === 0;
	}

	goOn(): void {
		for (let left = STEP; left > 0; left--) {
			const object = this.open.pop();
			if (!object) return;
			const isList = Array.isArray(object);
			for (const [name, value] of Object.entries(object) as Array<[string, unknown]>) {
				if (!isList && typeof value === 'string' && value.startsWith(MARK)) {
					const digits = value.slice(MARK.length);
					Reflect.set(object, name, digits);
					noteLargeId(object, digits);
				} else this.add(value);
			}
		}
	}

	private add(value: unknown): void {
		if (typeof value === 'object' && value !== null) this.open.push(value);
	}
}
