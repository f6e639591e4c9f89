import isEqual from 'lodash/isEqual';
import isNil from 'lodash/isNil';
import sortBy from 'lodash/sortBy';
import uniq from 'lodash/uniq';

import { type CsvFile, readCsv } from '../../shared/csv/read';
import { bySession } from '../../shared/csv/sessions';
import { knownField } from '../../shared/dsquery/catalogue';
import { and, condition } from '../../shared/dsquery/compose';
import type { Condition } from '../../shared/dsquery/types';
import { SECOND_MS } from '../../shared/dsquery/values/durations';
import { chargePointIds, chargePointsOf } from '../../shared/list/chargePoints';
import { type Page, PlatformError, type Row } from '../../shared/platform';
import { settle } from '../../shared/settle';
import { LongWork } from '../../shared/longWork';
import { type ListResource, SESSIONS, STATIONS } from '../../shared/resources';
import { counted } from '../../shared/text';
import { type Asking, includes, PAGE, type Seen } from './asking';
import type { ListFacts, PlatformFacts } from './facts';
import { fine, handled, limited, unclear, type Verdict } from './findings';

/** A list under check. */
interface Checked extends Seen {
	asking: Asking;
	facts: ListFacts;
	/** Facts of the platform as a whole, to which checks add. */
	platform: PlatformFacts;
	/** Names of fields for a finding. */
	namesOf(names: readonly string[]): string;
}

/** One check of a list. To add one, put its record into `CHECKS`. */
interface Check<Answer> {
	name: string;
	/** The only list that it is about. */
	of?: ListResource;
	/** Asks. Undefined where nothing can be asked; left out where the first page tells. */
	query?(list: Checked): Promise<Answer> | undefined;
	expect(list: Checked, answer: Answer): Verdict | Promise<Verdict>;
	/** What a refusal says. Left out where it only says that this cannot be told. */
	refused?(error: PlatformError): Verdict;
}

interface ListCheck {
	name: string;
	of?: ListResource;
	find(list: Checked): Promise<Verdict>;
}

function check<Answer = undefined>({ name, of, query, expect, refused }: Check<Answer>): ListCheck {
	return {
		name,
		of,
		async find(list) {
			if (list.rows.length === 0) return unclear('The list has no rows to look at.');
			const asked = query?.(list);
			if (query && !asked) return unclear('These rows do not show it.');
			const answer = await settle(asked ?? Promise.resolve(undefined as Answer));
			if (answer.ok) return await expect(list, answer.value);
			const { error } = answer;
			if (!(error instanceof PlatformError) || error.kind === 'canceled') throw error;
			if (refused && !error.transient) return refused(error);
			return unclear(`${withoutValues(error)}.`, `${error.status ?? error.kind}`);
		},
	};
}

const FILTER_IGNORED = 'The platform does not apply the filter';

/** What happened. Messages about rows that contradict a filter, or about its values, quote them: reports must not. */
function withoutValues({ kind, message }: PlatformError): string {
	if (kind === 'configuration') return FILTER_IGNORED;
	return kind === 'query-refused' ? 'The platform refuses this query' : message;
}

/** Asks the list like its first page, from this place on. */
async function at({ asking, list, query }: Checked, skip: number, take?: number): Promise<Page> {
	return await asking.page(list, { ...query, pager: { skip, take: take ?? query.pager?.take ?? PAGE } });
}

async function matching({ asking, list }: Checked, ...conditions: Condition[]): Promise<Page> {
	return await asking.page(list, { filter: and(...conditions), sorts: [], pager: { skip: 0, take: 10 } });
}

const only = (row: Row) => condition('Id', 'Eq', String(row.Id));
const shown = ({ rows, totalCount }: Page) => `${rows.length} of ${totalCount ?? '?'} rows came`;

const fields = check({
	name: 'Fields',
	expect({ list, facts, namesOf }) {
		const names = Object.keys(facts.fields);
		const others = names.filter((name) => name !== 'Id' && !knownField(list, name));
		const evidence = names.map((name) => `${namesOf([name])} (${facts.fields[name]})`).join(', ');
		// The specification shows it only where the vendor provides one.
		const expected = list.fields.map(({ name }) => name).filter((name) => name !== 'HardwareStatus');
		const missing = expected.filter((name) => !names.includes(name));
		if (missing.length > 0) {
			const text = `No row has ${namesOf(missing)}. What needs it stays empty: choose other fields under Any Other Field.`;
			return limited(text, evidence);
		}
		const text = others.length > 0 ? `There are ${counted(others.length, 'field')} beyond the specification.` : '';
		if (facts.casing === 'camelCase') return handled(`${text} Names are in camelCase. The nodes read them.`, evidence);
		const leftOut = facts.leftOut.filter((name) => name !== 'HardwareStatus');
		if (leftOut.length === 0) return fine(text || 'Fields are those specified.', evidence);
		const without = `${text} Fields without a value are left out of the row. The nodes treat them as empty.`.trim();
		return handled(without, `${evidence}; left out of some rows: ${namesOf(leftOut)}`);
	},
});

/** A time of a row that does not change any more, to the second. */
function knownTime({ rows }: Seen): { row: Row; ms: number } | undefined {
	for (const row of rows) {
		const { StartedAtUtc: value } = row;
		const [, time] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?Z?$/.exec(String(value)) ?? [];
		if (time !== undefined && !isNil(row.Id)) return { row, ms: Date.parse(`${time}Z`) };
	}
	return undefined;
}

const written = (ms: number) => new Date(ms).toISOString().slice(0, 19);

/** A time of such a name may say that a row is over. It is named, not interpreted. */
const END_NAME = /^(End|Stop|Finish|Complet)/i;

const times = check({
	name: 'Times',
	expect({ facts, namesOf }) {
		const kinds = Object.entries(facts.fields).filter(([, kind]) => kind.startsWith('time'));
		const ends = kinds.map(([name]) => name).filter((name) => END_NAME.test(name));
		const end = ends.length > 0 ? ` ${namesOf(ends)} may be the end of a row.` : '';
		const evidence = kinds.map(([name, kind]) => `${namesOf([name])}: ${kind}`).join(', ');
		if (kinds.some(([, kind]) => kind !== 'time'))
			return handled(`Times are written in another form than specified. The nodes read it.${end}`, evidence);
		return fine(kinds.length > 0 ? `Times are written as specified.${end}` : 'No field holds a time.', evidence);
	},
});

const timeZone = check<Page>({
	name: 'Time zone',
	of: SESSIONS,
	query(list) {
		const known = knownTime(list);
		if (!known) return undefined;
		const window = `${written(known.ms - 2 * SECOND_MS)},${written(known.ms + 3 * SECOND_MS)}`;
		return matching(list, only(known.row), condition('StartedAtUtc', 'GteLt', window));
	},
	expect(_, page) {
		const evidence = `${shown(page)} in a window of 5 s around the time of a row`;
		if (page.rows.length > 0) return fine('Times in conditions are UTC, as specified. Periods are exact.', evidence);
		const text = 'Times in conditions are not read as UTC: periods are off by some hours. Tell the platform’s support.';
		return limited(text, evidence);
	},
});

const codes = check({
	name: 'Status codes',
	expect({ facts, namesOf }) {
		const listed = Object.entries(facts.codes).map(([name, counts]) => {
			const each = Object.entries(counts).map(([code, rows]) => `${code} × ${rows}`);
			return `${namesOf([name])}: ${each.slice(0, 30).join(', ')}`;
		});
		const evidence = listed.join('; ');
		if (listed.length === 0) return fine('No field is a status.');
		const odd = Object.keys(facts.codes).filter((name) => facts.codes[name]?.['no code'] !== undefined);
		if (odd.length === 0)
			return fine('Each status is a code. What the codes mean: docs/stations.md says how to find out.', evidence);
		const advice = 'Filters take only numbers there: leave it out of them, and use n8n’s Filter node.';
		return limited(`${namesOf(odd)} holds something other than codes. ${advice}`, evidence);
	},
});

const BY_POSITION = 'The nodes read this list by position, with pages that overlap, and stop if pages do not join.';

const ids = check({
	name: 'Ids',
	expect({ facts, first }) {
		const own = uniq(first.rows.map(({ Id: id }) => id)).length;
		if (facts.ids === 'none') return handled(`Rows have no Id. ${BY_POSITION}`);
		if (facts.ids === 'mixed') return handled(`Some rows have another Id, or none. ${BY_POSITION}`);
		if (own < first.rows.length)
			return handled(`Some rows share an Id. ${BY_POSITION}`, `${own} different ones in ${first.rows.length} rows`);
		if (facts.ids === 'large') return handled(`Ids are larger than other software reads exactly. ${BY_POSITION}`);
		return facts.ids === 'texts' ? handled(`Ids are text. ${BY_POSITION}`) : fine('Ids are whole numbers.');
	},
});

const pageSize = check<Page>({
	name: 'Page size',
	query: (list) => at(list, list.first.rows.length),
	expect({ first, query }, next) {
		const length = first.rows.length;
		const evidence = `${shown(first)}, then ${next.rows.length}`;
		if (query.pager?.take !== PAGE)
			return limited('A page of 100 rows is refused. Set the option Page Size to less in each node.', evidence);
		if (length > PAGE)
			return handled(
				'Take has no effect: more rows come than asked for. The nodes leave out what is too much.',
				evidence,
			);
		const others = next.rows.filter((row) => !includes(first, row));
		if (next.rows.length > 0 && others.length === 0) {
			const advice = 'Remove sorts, so that lists are read by Id, and narrow filters: the nodes stop otherwise.';
			return limited(`Skip has no effect. ${advice}`, evidence);
		}
		if (others.length === 0 || length === PAGE)
			return fine('A page has as many rows as asked for, up to 100.', evidence);
		const most = `A page has ${counted(length, 'row')} at most, though 100 were asked for.`;
		return handled(`${most} The nodes read more pages instead.`, evidence);
	},
});

const READ_INSTEAD = 'Get Many with Return All gives every row.';

const totalCount = check<Page | undefined>({
	name: 'TotalCount',
	query: (list) => {
		const { totalCount: count } = list.first;
		return count === undefined ? Promise.resolve(undefined) : at(list, Math.max(0, count - 1), 2);
	},
	expect({ first, facts }, last) {
		const { totalCount: count } = first;
		if (facts.isArray) return handled('There is no count, as in a bare list. The nodes read it to its end.');
		if (!last)
			return limited(`The platform does not count rows: it sends no TotalCount that is a number. ${READ_INSTEAD}`);
		const evidence = `${shown(last)} at the last place counted`;
		if (last.rows.length === 1 && count === last.totalCount)
			return fine('TotalCount is exact: the last row counted is there, and none after it.', evidence);
		if (count === first.rows.length && last.totalCount === last.rows.length)
			return limited(`TotalCount counts the rows of the page alone. ${READ_INSTEAD}`, evidence);
		if (count !== last.totalCount) return unclear('The number of rows changed while it was checked.', evidence);
		const wrong = `The platform counts ${counted(count ?? 0, 'row')}, and its rows do not confirm it.`;
		return limited(`${wrong} Count returns that figure. ${READ_INSTEAD}`, evidence);
	},
});

const sort = check({
	name: 'Sort',
	expect({ first, last }) {
		if (!last || first.rows.length < 2) return unclear('The rows do not show whether they are sorted.');
		const evidence = `${shown(first)}, and ${last.rows.length} from the end`;
		const [up = [], down = []] = [first, last].map(({ rows }) => rows.map(({ Id: id }) => id));
		const isSorted = isEqual(up, sortBy(up)) && isEqual(down, sortBy(down).reverse());
		if ([...up, ...down].every((id) => typeof id === 'number') ? isSorted : !isEqual(up, down))
			return fine('Rows come in the order asked for, in both directions.', evidence);
		const text =
			'Sorts have no effect. Turn on Return All and use n8n’s Sort and Limit nodes: with a limit, the nodes stop rather than return the wrong first rows.';
		return limited(text, evidence);
	},
});

const NO_FILTER = `${FILTER_IGNORED}: the nodes stop where rows contradict one. Read all rows, and use n8n’s Filter node.`;

const filter = check<Page>({
	name: 'Filter',
	query(list) {
		const row = rowToFind(list);
		return row && matching(list, only(row));
	},
	expect(list, page) {
		const evidence = `${shown(page)} for the Id of one`;
		const isFound = page.rows.some((row) => row.Id === rowToFind(list)?.Id);
		if (isFound && page.rows.length === 1) return fine('A filter finds what it says.', evidence);
		if (page.rows.length === 0) return limited('Equals finds nothing by Id. Use Is Any Of with one value.', evidence);
		return isFound && list.first.rows.length === 1
			? unclear('There is one row.', evidence)
			: limited(NO_FILTER, evidence);
	},
	refused: (error) =>
		limited(error.kind === 'configuration' ? NO_FILTER : `${withoutValues(error)}.`, `${error.status ?? error.kind}`),
});

/** A row with an Id of its own, from the middle of the page. */
function rowToFind({ first: { rows } }: Seen): Row | undefined {
	const own = rows.filter(({ Id: id }) => !isNil(id) && id !== '' && rows.filter((row) => row.Id === id).length === 1);
	return own[own.length >> 1];
}

const unknownField = check<Page>({
	name: 'Unknown field',
	query: (list) => matching(list, condition('NoSuchFieldAnywhere', 'Eq', 'x')),
	expect: (_, page) =>
		page.rows.length > 0
			? limited(
					'A condition on a field that does not exist is ignored: a misspelled one lets all rows through.',
					shown(page),
				)
			: handled('A field that does not exist gives no rows instead of a refusal: a misspelled one finds nothing.'),
	refused({ kind, property, message, status }) {
		if (kind !== 'query-refused') return unclear(`${message}.`, `${status ?? kind}`);
		if (property !== undefined) return fine('A field that does not exist is refused by name, as specified.');
		return handled(
			'A field that does not exist is refused, but not named: messages about misspelled ones are less exact.',
		);
	},
});

const evses = check<Row>({
	name: 'EVSEs',
	of: STATIONS,
	query: ({ asking, first: { rows } }) => {
		const station = rows.find(({ Id: id }) => !isNil(id));
		return station && asking.ask(async (connection) => await connection.getStation(String(station.Id)));
	},
	expect({ namesOf, platform }, row) {
		const { entries, unreadable } = chargePointsOf(row);
		const has = `the station has: ${namesOf(Object.keys(row))}`;
		if (unreadable !== undefined) {
			const text = 'The detail of a station has no list of EVSEs: alerts about charge points cannot work.';
			return limited(text, `${unreadable}; ${has}`);
		}
		const inside = uniq(entries.flatMap(Object.keys));
		const evidence = `EVSEs: ${entries.length}, with: ${namesOf(inside)}; ${has}`;
		if (entries.length === 0) return unclear('This station has no EVSEs to look at.', evidence);
		const { field } = chargePointIds(entries);
		platform.chargePoints = { ids: field ? 'own' : 'none' };
		if (!inside.some((name) => name.toLowerCase() === 'status'))
			return limited('The EVSEs have no field Status. Look for its name in the evidence.', evidence);
		if (field) return fine(`Each of the EVSEs has its own ${field} and status.`, evidence);
		return handled(
			'The EVSEs have no Ids of their own: alerts and uptime know each by its place in the list.',
			evidence,
		);
	},
});

const EXPORTED = 5;

/** The greatest Ids first: an order that platforms do not have by themselves. */
const idsToExport = ({ rows }: Seen) =>
	sortBy(uniq(rows.map(({ Id: id }) => id)).filter(Number.isSafeInteger) as number[], (id) => -id).slice(0, EXPORTED);

const exported = check<CsvFile>({
	name: 'Export',
	of: SESSIONS,
	query(list) {
		const wanted = idsToExport(list);
		if (wanted.length === 0) return undefined;
		const read = async (bytes: Buffer) => await readCsv(bytes, new LongWork(), () => '');
		return list.asking.ask(async (connection) => await connection.exportSessions(wanted, read));
	},
	async expect(list, file) {
		const { columns, delimiter, lineEnd, hasBom, isClosed } = file;
		list.platform.export = { columns, delimiter, lineEnd, hasBom, isClosed };
		const wanted = idsToExport(list);
		const found = await bySession(file, wanted, new LongWork());
		const evidence = `${counted(file.records.length, 'record')} for ${wanted.length} sessions; columns: ${list.namesOf(columns)}`;
		if (file.records.length === 0)
			return handled('The file has no records. The node asks again in smaller parts.', evidence);
		if (found.withoutId === file.records.length) {
			const text =
				'No column says by its name which session a record is of: the node can only count them, and says so. If one does, enter its name in the option Session ID Column.';
			return limited(text, evidence);
		}
		if (found.records.size < wanted.length) {
			const text = 'Sessions are missing in the file. The node asks for them again, and names those that stay missing.';
			return handled(text, evidence);
		}
		if (found.foreign + found.withoutId > 0)
			return handled('There are other records than asked for. The node keeps them out.', evidence);
		if (!isEqual([...found.records.keys()], wanted))
			return handled('Records come in another order than asked for. The node restores it.', evidence);
		if (file.records.length > wanted.length)
			return handled('Some sessions have several records. The node keeps them all.', evidence);
		return fine('Each session asked for is in the file, once and in order.', evidence);
	},
	refused: (error) => limited(`Sessions cannot be exported: ${withoutValues(error)}.`, `${error.status ?? 'no file'}`),
});

/** All checks of a list, in the order of the findings. */
export const CHECKS: readonly ListCheck[] = [
	...[fields, times, timeZone, codes, ids, sort, pageSize, totalCount, filter, unknownField, evses, exported],
];
