import type { Catalogue, KnownCode, KnownField } from './types';

/**
 * The fields the specification shows for a charging session. Of the Status codes only two are public: the filter
 * examples select finished sessions with 4 and failed ones with 6.
 */
export const SESSIONS: Catalogue = {
	list: 'sessions',
	noun: 'session',
	fields: [
		{
			kind: 'status',
			name: 'Status',
			type: 'code',
			label: 'Status',
			description: 'How far the session has got, such as finished or failed',
			codes: [
				{ code: 4, label: 'Finished' },
				{ code: 6, label: 'Failed' },
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
			label: 'Energy Consumed (kWh)',
			description: 'Energy used by the session',
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
 * The fields the specification shows for a station in a list. Its id is only called an identifier, so it is written as
 * text: that suits numbers and other ids alike.
 */
export const STATIONS: Catalogue = {
	list: 'stations',
	noun: 'station',
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
			label: 'Status',
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

/** The specification shows no field of a location: all that the form offers comes from live rows. */
export const LOCATIONS: Catalogue = { list: 'locations', noun: 'location', fields: [] };

/** The field of that name, whatever its case, or undefined where the specification does not show it. */
export function knownField(catalogue: Catalogue, name: string): KnownField | undefined {
	const wanted = name.trim().toLowerCase();
	return catalogue.fields.find((field) => field.name.toLowerCase() === wanted);
}

/** A field name as the platform spells it: a known field's case is put right, any other name is sent as typed. */
export function spellField(catalogue: Catalogue, name: string): string {
	return knownField(catalogue, name)?.name ?? name.trim();
}

/** What a code is called: its label where the specification states one, otherwise "Code 2". A meaning is never guessed. */
export function codeLabel(codes: readonly KnownCode[] | undefined, code: number): string {
	return codes?.find((known) => known.code === code)?.label ?? `Code ${code}`;
}
