import chunk from 'lodash/chunk';
import mapKeys from 'lodash/mapKeys';
import uniq from 'lodash/uniq';
import upperFirst from 'lodash/upperFirst';

import { formatCount, formatFirstNames, isBlank, quote } from '../shared/text';
import { isNoteChoice } from '../shared/dsquery/fieldChoice';
import {
	identifyChargePoints,
	parseChargePoints,
	chargePointValueText,
	mergeDetail,
} from '../shared/list/chargePoints';
import { chargePointFieldOptions, chargePointValueOptions as seenValues } from '../shared/list/dropdowns/chargePoints';
import { listDropdown } from '../shared/list/dropdowns/liveRows';
import { noRowsNote } from '../shared/list/noRows';
import { RowShaper } from '../shared/list/output';
import { findFieldByPath } from '../shared/dsquery/fieldName';
import { operation } from '../shared/operation/operation';
import {
	multiDropdownParameter,
	optionalFieldNameParameter,
	fieldNamesParameter,
} from '../shared/parameters/dropdownParameters';
import { filtersParameter, sortParameter } from '../shared/list/filters';
import { limitParameters } from '../shared/parameters/limit';
import { fixedListParameter } from '../shared/list/list';
import { options, paging, parallelRequests, toPagingOptions, timeoutOptions } from '../shared/parameters/options';
import { notice } from '../shared/parameters/parameter';
import { flag } from '../shared/parameters/simple';
import { createRowBuffer, PlatformError, type Connection, type Row } from '../shared/platform';
import { settle } from '../shared/settle';
import { STATIONS } from '../shared/resources';

const list = fixedListParameter(STATIONS);

const chargePointField = optionalFieldNameParameter({
	label: 'Charge Point Field Name or ID',
	description: 'Return only charge points with certain values in this field, such as its status',
	dropdown: {
		method: 'getChargePointFields',
		load: chargePointFieldOptions('chargePointField', {
			name: 'None',
			value: '',
			description: 'Return all charge points',
		}),
	},
});

const chargePointValues = multiDropdownParameter(
	{
		label: 'Charge Point Value Names or IDs',
		description: 'A charge point is returned if its field, which you choose above, has one of these values',
		dropdown: { method: 'getChargePointValues', load: seenValues('chargePointValues', 'chargePointField') },
		dependsOn: ['chargePointField'],
	},
	(texts) => texts.filter((text) => !isNoteChoice(text)),
);

/** Which charge points to return: those whose field has one of the values. */
interface ChargePointFilter {
	field: string;
	values: string[];
}

/** What a run returns of each station. */
interface ChargePointOutput {
	wanted?: ChargePointFilter;
	stationFields: string[];
	includesWithout: boolean;
	zone: string;
}

/** A station with its detail, and its charge points. */
interface StationChargePoints {
	station: Row;
	entries: Row[];
	/** Why it has no charge points. */
	without?: 'no detail' | 'no entries' | 'not readable';
	/** Why they cannot be read. */
	unreadable?: string;
}

/** Get Charge Points: one item for each entry of EVSEs in the details of the stations that match the filter. */
export const getChargePoints = operation({
	name: 'Get Charge Points',
	value: 'getChargePoints',
	action: 'Get charge points of charging stations',
	description: 'Return each charge point (EVSE) of the stations that match a filter, with its own status',
	parameters: {
		chargePointsNotice: notice(
			'Filters, Limit and Sort choose <b>stations</b>. The charge points are in the detail of each station, which costs one request per station.',
		),
		list,
		...limitParameters(),
		filters: filtersParameter(list),
		chargePointField,
		chargePointValues,
		options: options({
			...paging,
			parallelRequests: parallelRequests(
				'How many pages, and how many details of stations, may be read at the same time. 1 reads one after the other.',
			),
			includeStationsWithout: flag({
				label: 'Include Empty Stations',
				description: 'Whether to return an item for a station whose detail is not found or has no charge points, too',
				default: true,
			}),
			stationFields: fieldNamesParameter({
				label: 'Station Field Names or IDs',
				description: 'Fields of the station to add to each charge point, with "station" before their names',
				dropdown: listDropdown(list, 'getOutputFields'),
			}),
			...timeoutOptions,
		}),
		sort: sortParameter(list),
	},
	check({ chargePointField: field, chargePointValues: { length } }, refuse) {
		if (field !== undefined && length === 0) {
			refuse('chargePointValues', 'no value is chosen. Choose one, or no field above.');
		}
		if (field === undefined && length > 0) {
			refuse('chargePointField', 'no field is chosen, but values are. Choose the field that has them, or remove them.');
		}
	},
	async run(values, { connection, zone }) {
		const { limit, chargePointField: field, chargePointValues: wantedValues } = values;
		const { filter } = values.filters;
		const pace = toPagingOptions(values.options);
		const query = { filter, sorts: values.sort };
		const sink = createRowBuffer();
		const { notes: read } = await connection.list(STATIONS).read({ query, wanted: limit, paging: pace, sink });
		const stations = sink.all;
		if (stations.length === 0 && filter) {
			return { notes: read, whyEmpty: noRowsNote(STATIONS.plural, filter) };
		}
		const found = await readChargePoints(connection, stations, pace);
		const { items, notes } = toItems(connection, found, {
			wanted: field === undefined ? undefined : { field, values: wantedValues },
			stationFields: values.options.stationFields ?? [],
			includesWithout: values.options.includeStationsWithout,
			zone,
		});
		const isCut = field !== undefined && stations.length === limit;
		return { pages: items, notes: [...read, ...notes, ...(isCut ? [limitNote(limit)] : [])] };
	},
});

/** What does not show where only charge points with certain values come. */
const limitNote = (limit: number) =>
	`Limit counts stations: only the charge points of ${formatCount(limit, 'station')} were looked at. To look at those of all stations, switch on Return All.`;

/**
 * Reads the detail of each station, in order.
 *
 * @param parallel how many to read at a time
 * @throws if a detail cannot be read for another reason than that the station is not there
 */
export async function readChargePoints(
	connection: Connection,
	stations: readonly Row[],
	{ parallel }: { parallel: number },
): Promise<StationChargePoints[]> {
	const found: StationChargePoints[] = [];
	for (const group of chunk(stations, parallel)) {
		found.push(...(await Promise.all(group.map(async (station) => await detailOf(connection, station)))));
	}
	return found;
}

async function detailOf(connection: Connection, row: Row): Promise<StationChargePoints> {
	const noDetail: StationChargePoints = { station: row, entries: [], without: 'no detail' };
	const answer = await settle(connection.getStation(String(row.Id ?? '')));
	if (!answer.ok) {
		// It has no Id, or was deleted while the others were read. Any other refusal may go for all of them.
		if (answer.error instanceof PlatformError && answer.error.kind === 'not-found') return noDetail;
		throw answer.error;
	}
	const station = mergeDetail(row, answer.value);
	const { entries, unreadable } = parseChargePoints(station);
	if (unreadable !== undefined) return { station, entries, without: 'not readable', unreadable };
	return { station, entries, ...(entries.length === 0 && { without: 'no entries' }) };
}

function toItems(
	connection: Connection,
	found: readonly StationChargePoints[],
	{ wanted, stationFields, includesWithout, zone }: ChargePointOutput,
) {
	const shaper = new RowShaper(
		{ output: 'selected', outputFields: stationFields, addStatusNames: false, addLocalTimes: false, zone },
		STATIONS,
	);
	const [chosen = []] = shaper.finish([shaper.shape(found.map(({ station }) => station))]);
	const items = found.map(({ station, entries, without }, place): Row[] => {
		const about = { stationId: station.Id ?? null, stationName: station.Name ?? null };
		const fields = mapKeys(chosen[place], (_, name) => `station${upperFirst(name)}`);
		if (without !== undefined && includesWithout) return [{ ...about, ...fields, withoutChargePoints: without }];
		const { ids } = identifyChargePoints(entries);
		return entries.flatMap((entry, index) => {
			if (wanted && !isWanted(entry, wanted)) return [];
			const known = { ...about, chargePointId: ids[index] ?? null, ...fields };
			return [{ ...known, ...entry, ...known }];
		});
	});
	const unknown = shaper.notes(STATIONS.plural, 'Options > Station Field Names');
	const notes = [...stationNotes(found), ...wantedNotes(connection, found, wanted), ...unknown];
	return { items, notes };
}

function isWanted(entry: Row, { field, values }: ChargePointFilter): boolean {
	const text = chargePointValueText(entry, field)?.toLowerCase();
	return values.some((value) => value.toLowerCase() === text);
}

/** Says which stations have no charge points, and why. */
export function stationNotes(found: readonly StationChargePoints[]): string[] {
	const named = (why: StationChargePoints['without']) =>
		formatStationNames(found.filter(({ without }) => without === why));
	const [noDetail, noEntries, notReadable] = [named('no detail'), named('no entries'), named('not readable')];
	return [
		...(noDetail === '' ? [] : [`These stations have no detail, so their charge points are missing: ${noDetail}.`]),
		...(noEntries === '' ? [] : [`These stations have no charge points in their detail: ${noEntries}.`]),
		...(notReadable === '' ? [] : [`The charge points of these stations cannot be read: ${notReadable}.`]),
	];
}

/** The names of stations for a note: the first ones, and how many more there are. */
export function formatStationNames(found: readonly StationChargePoints[]): string {
	const names = found.map(({ station, unreadable }) =>
		unreadable === undefined ? nameOf(station) : `${nameOf(station)} (${unreadable})`,
	);
	return formatFirstNames(names);
}

function nameOf({ Id: id, Name: name }: Row): string {
	return typeof name === 'string' && !isBlank(name) ? quote(name) : `ID ${String(id)}`;
}

/** Says how many charge points have no readable value, and why none was returned. */
function wantedNotes(
	connection: Connection,
	found: readonly StationChargePoints[],
	wanted: ChargePointFilter | undefined,
): string[] {
	const entries = found.flatMap((each) => each.entries);
	if (!wanted || entries.length === 0) return [];
	const { field, values } = wanted;
	const { length: blank } = entries.filter((entry) => chargePointValueText(entry, field) === undefined);
	if (entries.some((entry) => isWanted(entry, wanted))) {
		const many = blank === 1 ? '1 charge point has' : `${blank} charge points have`;
		return blank === 0
			? []
			: [`${many} no readable value in ${quote(field)}, and ${blank === 1 ? 'is' : 'are'} left out.`];
	}
	const names = connection.namesOf(uniq(entries.flatMap(Object.keys)));
	const isKnown = entries.some((entry) => findFieldByPath(entry, field) !== undefined);
	return isKnown
		? [
				`None of the ${entries.length} charge points has ${values.map((value) => quote(value)).join(' or ')} in ${field}${blank > 0 ? `; ${blank} have no readable value there` : ''}.`,
			]
		: [`None of the charge points has a field ${quote(field)}. They have: ${names}.`];
}
