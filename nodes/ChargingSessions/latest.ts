import type { SortEntry } from '../shared/dsquery/types';
import { periodOf } from '../shared/dsquery/values/coveredDays';
import { listDropdown } from '../shared/node/dropdowns/liveRows';
import { nothingMatches } from '../shared/node/noRows';
import { RowShaper } from '../shared/node/output';
import { operation } from '../shared/operation';
import { field } from '../shared/parameters/chosen';
import { filters } from '../shared/parameters/filters';
import { givenList } from '../shared/parameters/list';
import { includeInputFields, options, paging, pagingOf, patience } from '../shared/parameters/options';
import { addedFields, rowOutput } from '../shared/parameters/output';
import { readTexts, text } from '../shared/parameters/simple';
import { PlatformError, type ListResult } from '../shared/platform';
import { SESSIONS } from '../shared/resources';
import { MOST_READ, NewestOfEach } from './newestOfEach';

const list = givenList(SESSIONS);
const BEGIN = 'StartedAtUtc';
const NEWEST_FIRST: SortEntry[] = [
	{ field: BEGIN, direction: 'Desc' },
	{ field: 'Id', direction: 'Desc' },
];
/** How many sessions are read, again from the newest, until the values asked for are complete; then all. */
const STEPS = [100, 1_000, MOST_READ];

const ONLY_NEWEST = `Only the newest ${MOST_READ.toLocaleString('en')} sessions were read, so a value whose last session is older is not here. To read more, add Started At: In Period under Filters, or name the values in Only Values.`;

/** Get Latest of Each: the newest session of each station, charge point or other value of a field. */
export const latest = operation({
	name: 'Get Latest of Each',
	value: 'latest',
	action: 'Get latest charging session of each station',
	description: 'Return the newest session of each station, or of each value of another field, with its energy so far',
	parameters: {
		list,
		groupByField: field({
			label: 'Group By Field Name or ID',
			description: 'There is one session for each value of this field, for example for each name of a station',
			dropdown: listDropdown(list, 'getGroupFields'),
		}),
		onlyValues: text(
			{
				label: 'Only Values',
				description: `The values that you need, with commas between them, or a list in an expression. Reading stops when each has a session. Left empty: all values; without a period on Started At in the filter, of the newest ${MOST_READ.toLocaleString('en')} sessions.`,
				placeholder: 'e.g. Depot North, Depot South',
				default: '',
			},
			readTexts,
		),
		filters: filters(list),
		...rowOutput(list),
		options: options({ ...paging, includeInputFields, ...addedFields(list), ...patience }),
	},
	async run(values, { connection, zone }) {
		const { groupByField, onlyValues, filters: given } = values;
		const { filter } = given;
		const newest = new NewestOfEach(groupByField, onlyValues);
		const read = async (wanted: number) => {
			const sorts = wanted === Number.POSITIVE_INFINITY ? [] : NEWEST_FIRST;
			const request = { query: { filter, sorts }, wanted, paging: pagingOf(values.options), sink: newest };
			return await connection.list(SESSIONS).read(request);
		};
		const most = periodOf(filter, BEGIN) ? Number.POSITIVE_INFINITY : MOST_READ;
		const readNotes = onlyValues.length > 0 ? await untilComplete(newest, read) : await upTo(most, newest, read);
		if (newest.read > 0 && !newest.hasField) {
			throw new PlatformError('configuration', `None of the sessions has a field ${groupByField} to group by`, {
				description: `Check the name in Group By Field. The sessions have: ${connection.namesOf(newest.names)}.`,
			});
		}
		const shaper = new RowShaper({ ...values, ...values.options, zone }, SESSIONS);
		const rows = shaper.shape(newest.rows);
		const isEmpty = newest.read === 0 && filter !== undefined;
		const notes = isEmpty ? [nothingMatches(SESSIONS.plural, filter)] : shaper.notes(SESSIONS.plural);
		return { pages: [rows], notes: [...readNotes, ...notes, ...newest.notes] };
	},
});

type Read = (wanted: number) => Promise<ListResult>;

/** Reads the newest sessions, and more of them until each value that is asked for has one. */
async function untilComplete(newest: NewestOfEach, read: Read): Promise<string[]> {
	for (const wanted of STEPS) {
		const { notes } = await read(wanted);
		if (newest.isComplete || newest.read < wanted) return notes;
	}
	return (await read(Number.POSITIVE_INFINITY)).notes;
}

async function upTo(wanted: number, newest: NewestOfEach, read: Read): Promise<string[]> {
	const { notes, count = Number.POSITIVE_INFINITY } = await read(wanted);
	return newest.read >= wanted && count > wanted ? [...notes, ONLY_NEWEST] : notes;
}
