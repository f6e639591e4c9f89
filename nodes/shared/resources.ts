import type { ListSchema } from './dsquery/types';

/** A list of the platform: its path, the scope it needs, what its rows are called, and their known fields. */
export interface ListResource extends ListSchema {
	path: string;
	/** Left out if the specification shows none: then it is unknown whether the list accepts API keys. */
	scope?: string;
	/** "charging sessions" */
	plural: string;
	/** Fields that only the detail of a row has. */
	detailFields?: readonly string[];
	/** The specification does not show the shape of its answer: it may not be the paged envelope. */
	unknownShape?: true;
	/** The path comes from a user: there may be no such list. */
	typed?: true;
	/** Where only the first rows are wanted, those with the highest Ids are, unless a sort says otherwise. */
	newestFirst?: true;
	/** An example for the option Add Status Names. Left out if no code has a known meaning. */
	statusExample?: string;
}

/** A list without a node of its own, under the last part of its known or likely path. */
interface OtherList extends Partial<ListResource> {
	name: string;
}

/** The lists that *Check Platform* looks for: areas that the specification mentions without a path. */
export const OTHER_LISTS: readonly OtherList[] = [
	{ name: 'tariffs' },
	{ name: 'users' },
	{ name: 'teams' },
	{ name: 'energy-assets' },
	{ name: 'billing' },
	{ name: 'audit-trail' },
];

/** The only public Status codes of a session: the specification's filter examples select by them. */
export const SESSION_CODES = { finished: 4, failed: 6 } as const;

/** The fields the specification shows for a charging session. */
export const SESSIONS: ListResource = {
	path: '/api/charging-sessions/v1',
	scope: 'charging-sessions:read',
	noun: 'session',
	plural: 'charging sessions',
	newestFirst: true,
	statusExample: '"StatusName": "Finished" beside "Status": 4',
	otherExample: 'Station Name',
	fields: [
		{
			kind: 'status',
			name: 'Status',
			type: 'code',
			label: 'Status',
			description: 'How far the session has got, such as finished or failed',
			codes: [
				{ code: SESSION_CODES.finished, label: 'Finished' },
				{ code: SESSION_CODES.failed, label: 'Failed' },
			],
		},
		{
			kind: 'startedAtUtc',
			name: 'StartedAtUtc',
			type: 'date',
			label: 'Started At',
			description: 'When the session started',
		},
		{
			kind: 'energyConsumed',
			name: 'EnergyConsumed',
			type: 'number',
			label: 'Energy Consumed',
			description: 'Energy used by the session, in the unit of your platform (usually kWh)',
		},
		{
			kind: 'id',
			name: 'Id',
			type: 'number',
			label: 'Session ID',
			description: 'The number that identifies the session',
		},
	],
};

/**
 * The fields the specification shows for a station in a list. Its id is only called an identifier, so it is typed as
 * text, which suits numbers and other ids alike.
 */
export const STATIONS: ListResource = {
	path: '/api/charging-stations/v1',
	scope: 'charging-stations:read',
	noun: 'station',
	plural: 'charging stations',
	otherExample: 'Location',
	statusExample: '"NetworkStatusName": "Online" beside "NetworkStatus": 1',
	detailFields: ['EVSEs'],
	fields: [
		{ kind: 'name', name: 'Name', type: 'text', label: 'Name', description: 'The name of the station' },
		{
			kind: 'networkStatus',
			name: 'NetworkStatus',
			type: 'code',
			label: 'Network Status',
			description: 'Whether the station is connected and heard from right now',
			codes: [{ code: 1, label: 'Online' }],
		},
		{
			kind: 'status',
			name: 'Status',
			type: 'code',
			label: 'Administrative Status',
			description: 'The administrative state of the station, such as taken out of service on purpose',
		},
		{
			kind: 'hardwareStatus',
			name: 'HardwareStatus',
			type: 'code',
			label: 'Hardware Status',
			description: 'The condition the device reports about itself, where its vendor provides one',
		},
		{ kind: 'id', name: 'Id', type: 'text', label: 'Station ID', description: 'What identifies the station' },
	],
};

/**
 * The specification shows neither the scope nor the fields of a location, nor the shape of the answer: all that the
 * form offers comes from live rows.
 */
export const LOCATIONS: ListResource = {
	path: '/api/locations/v1',
	unknownShape: true,
	noun: 'location',
	plural: 'locations',
	fields: [],
};

/** The lists with a node of their own. */
export const OWN_LISTS = { sessions: SESSIONS, stations: STATIONS, locations: LOCATIONS };
