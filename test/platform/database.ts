import sqlite from 'node-sqlite3-wasm';
import type { Statement } from 'node-sqlite3-wasm';

export type SqlValue = string | number | bigint | Uint8Array | null;
type SqlRow = Record<string, SqlValue>;

/** How many prepared statements are kept: WebAssembly's memory is not collected, so older ones are ended. */
const KEPT = 300;

/** An SQLite database in memory. It is WebAssembly, so that it runs on every Node without a compiler. */
export class Database {
	private readonly sqlite = new sqlite.Database(':memory:');
	private readonly prepared = new Map<string, Statement>();

	get isOpen(): boolean {
		return this.sqlite.isOpen;
	}

	/** Runs statements that return nothing, separated by semicolons. */
	exec(sql: string): void {
		this.sqlite.exec(sql);
	}

	/** One statement. Integers beyond 2^53 come as bigint, a row that is not there as undefined. */
	prepare(sql: string) {
		return {
			all: (...values: SqlValue[]) => this.statement(sql).all(values) as SqlRow[],
			// The package's own get leaves the statement open behind its row.
			get: (...values: SqlValue[]) => this.statement(sql).all(values)[0] as SqlRow | undefined,
			run: (...values: SqlValue[]) => this.statement(sql).run(values),
		};
	}

	/** Makes a function of JavaScript known to SQL. */
	function(name: string, call: (value: SqlValue) => SqlValue, options?: { deterministic: boolean }): void {
		this.sqlite.function(name, call, options);
	}

	close(): void {
		this.prepared.clear();
		this.sqlite.close();
	}

	private statement(sql: string): Statement {
		const known = this.prepared.get(sql) ?? this.sqlite.prepare(sql);
		// The one that was used last comes last.
		this.prepared.delete(sql);
		this.prepared.set(sql, known);
		const [oldest] = this.prepared;
		if (oldest && this.prepared.size > KEPT) {
			this.prepared.delete(oldest[0]);
			oldest[1].finalize();
		}
		return known;
	}
}
