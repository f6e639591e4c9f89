import { PlatformError } from '../answers/errors';
import { SESSIONS, STATIONS, type ListResource } from '../../resources';

/** What a request is for. Decides the path, the scope needed and the wording of a refusal. */
export interface Endpoint {
	kind: 'list' | 'station' | 'export' | 'sign-in';
	path: string;
	/** Left out where the specification shows none. */
	scope?: string;
	/** "charging sessions" */
	plural: string;
	/** The path comes from a user. */
	typed?: true;
	/** The names of the list's fields that the specification shows. */
	known?: readonly string[];
	/** The id in the path of a detail request. */
	id?: string;
}

/** A list as an endpoint to send a request to. */
export function listEndpoint({ path, scope, plural, typed, fields }: ListResource): Endpoint {
	return { kind: 'list', path, scope, plural, typed, known: fields.map(({ name }) => name) };
}

/** The CSV export of sessions. It is a POST, but the specification counts it as a read operation. */
export const SESSIONS_EXPORT: Endpoint = {
	kind: 'export',
	path: `${SESSIONS.path}/export-csv`,
	scope: SESSIONS.scope,
	plural: SESSIONS.plural,
};

/**
 * The full detail of one station. The id may be any text: it is encoded to stay one path segment.
 *
 * @throws PlatformError for the few that cannot
 */
export function stationEndpoint(id: string): Endpoint {
	const message = noAddressOf(id);
	if (message !== undefined) throw new PlatformError('configuration', message);
	return {
		kind: 'station',
		path: `${STATIONS.path}/${encodeURIComponent(id)}`,
		scope: STATIONS.scope,
		plural: STATIONS.plural,
		id,
	};
}

/**
 * Why the detail of a station has no address: without an Id it is the path of the list, `.` and `..` change the path even
 * when encoded, and a lone surrogate cannot be encoded. Undefined if it has one.
 */
export function noAddressOf(id: string): string | undefined {
	if (id.trim() === '') return 'The detail of a station without an Id cannot be read';
	if (!/^\.{1,2}$/.test(id) && !/\p{Surrogate}/u.test(id)) return undefined;
	return `The Id “${id}” cannot be used in a web address, so the detail of this station cannot be read`;
}
