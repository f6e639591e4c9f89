import type { ListEndpoint } from './types';

/** What a request is for. It decides the path, the scope that is needed and the words of a refusal. */
export interface Endpoint extends ListEndpoint {
	kind: 'list' | 'station' | 'export' | 'sign-in';
	/** The id in the path of a detail request. */
	id?: string;
}

/** The list of charging sessions. */
export const SESSIONS_LIST: ListEndpoint = {
	path: '/api/charging-sessions/v1',
	scope: 'charging-sessions:read',
	plural: 'charging sessions',
};

/** The list of charging stations. */
export const STATIONS_LIST: ListEndpoint = {
	path: '/api/charging-stations/v1',
	scope: 'charging-stations:read',
	plural: 'charging stations',
};

/** The list of locations. The specification shows neither its scope nor the shape of its answer. */
export const LOCATIONS_LIST: ListEndpoint = {
	path: '/api/locations/v1',
	plural: 'locations',
	open: true,
};

/** The CSV export of sessions. It is a POST, but the specification counts it as a read operation. */
export const SESSIONS_EXPORT: Endpoint = {
	kind: 'export',
	path: '/api/charging-sessions/v1/export-csv',
	scope: 'charging-sessions:read',
	plural: 'charging sessions',
};

/** The full detail of one station. The id may be any text: it is encoded so that it stays one segment of the path. */
export function stationEndpoint(id: string): Endpoint {
	return {
		kind: 'station',
		path: `${STATIONS_LIST.path}/${encodeURIComponent(id)}`,
		scope: STATIONS_LIST.scope,
		plural: STATIONS_LIST.plural,
		id,
	};
}

/** A list as an endpoint to send a request to. */
export function listEndpoint(list: ListEndpoint): Endpoint {
	return { ...list, kind: 'list' };
}
