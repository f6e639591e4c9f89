import chunk from 'lodash/chunk';
import countBy from 'lodash/countBy';
import mapKeys from 'lodash/mapKeys';
import uniq from 'lodash/uniq';
import upperFirst from 'lodash/upperFirst';
import type { INodeProperties } from 'n8n-workflow';

import { isBlank, quote } from '../shared/dsquery/faults';
import { isNote } from '../shared/dsquery/fieldValue';
import { writeQuery } from '../shared/dsquery/write';
import { chargePointsOf, valueText, withDetail } from '../shared/node/chargePoints';
import { filterProperties } from '../shared/node/form/filterForm';
import { limitProperty, optionsProperty, returnAllProperty } from '../shared/node/form/listParameters';
import { sortProperty } from '../shared/node/form/sortForm';
import { nothingMatches } from '../shared/node/noRows';
import type { Operation } from '../shared/node/operation';
import { RowShaper } from '../shared/node/output';
import { Parameters } from '../shared/node/parameters';
import { fieldNameIn } from '../shared/node/rowFields';
import { PlatformError, refuseLargeIds, settle } from '../shared/platform';
import type { Connection, Row } from '../shared/platform';
import { STATIONS } from '../shared/resources';

/** Stations that a note names; of more it says how many they are. */
const MOST_NAMED = 5;

const properties: INodeProperties[] = [
	{
		displayName:
			'Filters, Limit and Sort choose <b>stations</b>. The charge points are in the detail of each station, which costs one request per station.',
		name: 'chargePointsNotice',
		type: 'notice',
		default: '',
	},
	returnAllProperty,
	limitProperty,
	...filterProperties(STATIONS),
	{
		displayName: 'Charge Point Field Name or ID',
		name: 'chargePointField',
		type: 'options',
		typeOptions: { loadOptionsMethod: 'getChargePointFields' },
		default: '',
		description:
			'Return only charge points with certain values in this field, such as its status. Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
	},
	{
		displayName: 'Charge Point Value Names or IDs',
		name: 'chargePointValues',
		type: 'multiOptions',
		typeOptions: { loadOptionsMethod: 'getChargePointValues', loadOptionsDependsOn: ['chargePointField'] },
		default: [],
		description:
			'A charge point is returned if its field has one of these values. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
		displayOptions: { hide: { chargePointField: [''] } },
	},
	optionsProperty({
		paging: true,
		extra: [
			{
				displayName: 'Include Empty Stations',
				name: 'includeStationsWithout',
				type: 'boolean',
				default: true,
				description: 'Whether to return an item for a station whose detail is not found or has no charge points, too',
			},
			{
				displayName: 'Station Field Names or IDs',
				name: 'stationFields',
				type: 'multiOptions',
				typeOptions: { loadOptionsMethod: 'getOutputFields' },
				default: [],
				description:
					'Fields of the station to add to each charge point, with "station" before their names. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
			},
		],
	}),
	sortProperty(STATIONS),
];

/** Which charge points to return: those whose field has one of the values. */
interface Wanted {
	field: string;
	values: string[];
}

/** What a run returns of each station. */
interface Plan {
	wanted?: Wanted;
	stationFields: string[];
	includesWithout: boolean;
	zone: string;
}

/** A station with its detail, and its charge points. */
export interface Found {
	station: Row;
	entries: Row[];
	/** Why it has no charge points. */
	without?: 'no detail' | 'no entries' | 'not readable';
	/** Why they cannot be read. */
	unreadable?: string;
}

/** Get Charge Points: one item for each entry of EVSEs in the details of the stations that match the filter. */
export const getChargePoints: Operation = {
	name: 'Get Charge Points',
	value: 'getChargePoints',
	action: 'Get charge points of charging stations',
	description: 'Return each charge point (EVSE) of the stations that match a filter, with its own status',
	properties,
	prepare(context, itemIndex) {
		const parameters = Parameters.ofItem(context, itemIndex, properties);
		const query = parameters.query(STATIONS);
		const request = {
			limit: parameters.flag('returnAll') ? undefined : parameters.wholeNumber('limit'),
			paging: parameters.paging(),
		};
		const plan: Plan = {
			wanted: readWanted(parameters),
			stationFields: parameters.hasOption('stationFields') ? parameters.fieldNames('stationFields') : [],
			includesWithout: parameters.hasOption('includeStationsWithout') && parameters.flag('includeStationsWithout'),
			zone: parameters.zone,
		};
		const platformOptions = parameters.platformOptions();
		parameters.check();
		return {
			key: JSON.stringify({ ...request, plan, query: writeQuery(query), platformOptions }),
			platformOptions,
			async run(connection) {
				const { pages, hints } = await connection.list(STATIONS).read({ ...request, query });
				const stations = pages.flat();
				const { filter } = query;
				if (stations.length === 0 && filter)
					return { pages, hints: [...hints, nothingMatches(STATIONS.plural, filter)] };
				const found = await readChargePoints(connection, stations, request.paging);
				const { items, notes } = toItems(connection, found, plan);
				return { pages: items, hints: [...hints, ...notes] };
			},
		};
	},
};

function readWanted(parameters: Parameters): Wanted | undefined {
	if (parameters.stored('chargePointField') === '') return undefined;
	const [field = '', ...more] = parameters.fieldNames('chargePointField');
	if (more.length > 0) parameters.refuse('chargePointField', 'one field is needed here, but these are several.');
	const values = parameters.texts('chargePointValues').filter((text) => !isNote(text));
	if (values.length === 0) {
		parameters.refuse('chargePointValues', 'no value is chosen. Choose one, or no field above.');
	}
	return { field, values };
}

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
): Promise<Found[]> {
	refuseLargeIds(stations);
	const found: Found[] = [];
	for (const group of chunk(stations, parallel)) {
		found.push(...(await Promise.all(group.map(async (station) => await detailOf(connection, station)))));
	}
	return found;
}

async function detailOf(connection: Connection, row: Row): Promise<Found> {
	const answer = await settle(connection.getStation(String(row.Id ?? '')));
	if (!answer.ok) {
		const kind = answer.error instanceof PlatformError ? answer.error.kind : undefined;
		// A station may be deleted while the others are read; an Id such as ".." has no address.
		if (kind === 'not-found' || kind === 'configuration') return { station: row, entries: [], without: 'no detail' };
		throw answer.error;
	}
	const station = withDetail(row, answer.value);
	const { entries, unreadable } = chargePointsOf(station);
	if (unreadable !== undefined) return { station, entries, without: 'not readable', unreadable };
	return { station, entries, ...(entries.length === 0 && { without: 'no entries' }) };
}

function toItems(connection: Connection, found: readonly Found[], { wanted, stationFields, includesWithout, zone }: Plan) {
	const output = { kind: 'selected', fields: stationFields, statusNames: false, localTimes: false, zone } as const;
	const shaper = new RowShaper(output, STATIONS);
	const about = (station: Row): Row => ({
		stationId: station.Id ?? null,
		stationName: station.Name ?? null,
		...mapKeys(shaper.shape([station])[0], (_, name) => `station${upperFirst(name)}`),
	});
	const items = found.map(({ station, entries, without }) => {
		if (without !== undefined && includesWithout) return [{ ...about(station), withoutChargePoints: without }];
		const chosen = wanted ? entries.filter((entry) => isWanted(entry, wanted)) : entries;
		const known = about(station);
		return chosen.map((entry) => ({ ...known, ...entry, ...known }));
	});
	const notes = [...stationNotes(found), ...wantedNotes(connection, found, wanted), ...shaper.hints(STATIONS.plural)];
	return { items, notes };
}

function isWanted(entry: Row, { field, values }: Wanted): boolean {
	const text = valueText(entry, field);
	return text !== undefined && values.includes(text);
}

/** Says which stations have no charge points, and why, and which have an Id that another one has, too. */
export function stationNotes(found: readonly Found[]): string[] {
	const named = (why: Found['without']) => stationNames(found.filter(({ without }) => without === why));
	const [noDetail, noEntries, notReadable] = [named('no detail'), named('no entries'), named('not readable')];
	const stationsOf = countBy(found, ({ station }) => String(station.Id));
	const doubled = stationNames(found.filter(({ station }) => (stationsOf[String(station.Id)] ?? 0) > 1));
	return [
		...(doubled === ''
			? []
			: [`These stations share an Id with another one, so they cannot be told apart: ${doubled}.`]),
		...(noDetail === '' ? [] : [`These stations have no detail, so their charge points are missing: ${noDetail}.`]),
		...(noEntries === '' ? [] : [`These stations have no charge points in their detail: ${noEntries}.`]),
		...(notReadable === '' ? [] : [`The charge points of these stations cannot be read: ${notReadable}.`]),
	];
}

/** The names of stations for a note: the first ones, and how many more there are. */
export function stationNames(found: readonly Found[]): string {
	const names = found.map(({ station, unreadable }) =>
		unreadable === undefined ? nameOf(station) : `${nameOf(station)} (${unreadable})`,
	);
	const more = names.length - MOST_NAMED;
	return more > 0 ? `${names.slice(0, MOST_NAMED).join(', ')} and ${more} more` : names.join(', ');
}

function nameOf({ Id: id, Name: name }: Row): string {
	return typeof name === 'string' && !isBlank(name) ? quote(name) : `ID ${String(id)}`;
}

/** Says how many charge points have no readable value, and why none was returned. */
function wantedNotes(connection: Connection, found: readonly Found[], wanted: Wanted | undefined): string[] {
	const entries = found.flatMap((each) => each.entries);
	if (!wanted || entries.length === 0) return [];
	const { field, values } = wanted;
	const { length: blank } = entries.filter((entry) => valueText(entry, field) === undefined);
	if (entries.some((entry) => isWanted(entry, wanted))) {
		const many = blank === 1 ? '1 charge point has' : `${blank} charge points have`;
		return blank === 0
			? []
			: [`${many} no readable value in ${quote(field)}, and ${blank === 1 ? 'is' : 'are'} left out.`];
	}
	const names = connection.namesOf(uniq(entries.flatMap(Object.keys)));
	const isKnown = entries.some((entry) => fieldNameIn(entry, field) !== undefined);
	return isKnown
		? [
				`None of the ${entries.length} charge points has ${values.map((value) => quote(value)).join(' or ')} in ${field}${blank > 0 ? `; ${blank} have no readable value there` : ''}.`,
			]
		: [`None of the charge points has a field ${quote(field)}. They have: ${names}.`];
}
