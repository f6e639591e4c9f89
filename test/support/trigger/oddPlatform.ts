import type { IDataObject } from 'n8n-workflow';

import { API_KEY, ScriptedServer, sendJson, sendRows } from '../scriptedServer.ts';

interface Wire {
	Pager?: { Skip: number; Take: number };
	Filter?: WireNode;
	Sort?: { Sorts: Array<{ Field: string; Dir: 'Asc' | 'Desc' }> };
}
type WireNode = { Logic: 'And' | 'Or'; Filters: WireNode[] } | { Field: string; Operator: string; Value: string };

/** A platform with any rows, sorted and paged as the test says. */
export class OddPlatform {
	readonly server = new ScriptedServer();
	rows: IDataObject[] = [];
	/** Whether numbers are sorted as text: 1, 10, 2. */
	sortsAsText = false;
	/** A gateway in front of it answers 404 to longer URLs. */
	longestUrl = Number.POSITIVE_INFINITY;

	constructor() {
		beforeAll(async () => await this.server.start());
		afterAll(async () => await this.server.stop());
		beforeEach(() => {
			this.rows = [];
			this.sortsAsText = false;
			this.longestUrl = Number.POSITIVE_INFINITY;
			this.server.script(({ url }, response) => {
				if (url.href.length > this.longestUrl) return sendJson(response, 404, { Message: 'Not found' });
				const id = /\/v1\/(.*)$/.exec(url.pathname)?.[1];
				if (id === undefined) return this.list(JSON.parse(url.searchParams.get('dsquery') ?? '{}') as Wire, response);
				const row = this.rows.find(({ Id }) => String(Id as string) === decodeURIComponent(id));
				return row ? sendJson(response, 200, row) : sendJson(response, 404, { Message: 'There is no such station' });
			});
		});
	}

	get credential(): IDataObject & { apiKey: string } {
		return { environment: 'production', productionUrl: this.server.baseUrl, testUrl: '', apiKey: API_KEY };
	}

	/** Answers a list request. */
	list({ Pager: pager, Filter: filter, Sort: sort }: Wire, response: Parameters<typeof sendRows>[0]): void {
		const found = this.rows.filter((row) => !filter || matches(filter, row));
		for (const { Field: field, Dir: direction } of [...(sort?.Sorts ?? [])].reverse()) {
			const sign = direction === 'Desc' ? -1 : 1;
			found.sort((a, b) => sign * compare(a[field], b[field], this.sortsAsText));
		}
		const { Skip: skip, Take: take } = pager ?? { Skip: 0, Take: 10 };
		sendRows(response, found.slice(skip, skip + take), found.length);
	}
}

function compare(a: unknown, b: unknown, asText: boolean): number {
	if (typeof a === 'number' && typeof b === 'number' && !asText) return a - b;
	return String(a) < String(b) ? -1 : Number(String(a) > String(b));
}

function matches(node: WireNode, row: IDataObject): boolean {
	if ('Filters' in node) {
		return node.Logic === 'And'
			? node.Filters.every((child) => matches(child, row))
			: node.Filters.some((child) => matches(child, row));
	}
	const { Operator: operator, Value: value } = node;
	const cell = row[node.Field];
	// As in SQL, a row without a value satisfies no condition.
	if (cell === null || cell === undefined) return operator === 'Neq';
	if (operator === 'In') return value.split(',').includes(String(cell as string));
	const isMet = OPERATORS[operator];
	if (!isMet) throw new Error(`No operator ${operator} here`);
	return isMet(compare(cell, typeof cell === 'number' ? Number(value) : value, false));
}

/** By how the cell compares with the value. */
const OPERATORS: Record<string, (order: number) => boolean> = {
	Eq: (order) => order === 0,
	Neq: (order) => order !== 0,
	Gt: (order) => order > 0,
	Gte: (order) => order >= 0,
	Lt: (order) => order < 0,
	Lte: (order) => order <= 0,
};
