import { SESSIONS, STATIONS, type ListResource } from '../../resources';
import { PlatformError } from '../answers/errors';
import type { Endpoint } from '../types';

/** A list as an endpoint to send a request to. */
export function createListEndpoint({ path, scope, plural, typed }: ListResource): Endpoint {
	return { kind: 'list', path, scope, plural, typed };
}

/** The CSV export of sessions. It is a POST, but the specification counts it as a read operation. */
export const SESSIONS_EXPORT: Endpoint = {
	kind: 'export',
	path: `${SESSIONS.path}/export-csv`,
	scope: SESSIONS.scope,
	plural: SESSIONS.plural,
};

/** POST /token: email address and password for a token (specification, Authentication, JWT). */
export const SIGN_IN: Endpoint = { kind: 'sign-in', path: '/token', plural: 'tokens' };

/**
 * The full detail of one station. The id may be any text: it is encoded to stay one path segment.
 *
 * @throws PlatformError of kind not-found for the few that cannot be: without an Id it is the path of the list, `.` and `..`
 * change the path even when encoded, and a lone surrogate cannot be encoded
 */
export function createStationEndpoint(id: string): Endpoint {
	if (id.trim() === '') {
		throw new PlatformError('not-found', 'The detail of a station without an Id cannot be read');
	}
	if (/^\.{1,2}$/.test(id) || /\p{Surrogate}/u.test(id)) {
		const message = `The Id “${id}” cannot be used in a web address, so the detail of this station cannot be read`;
		throw new PlatformError('not-found', message);
	}
	const { path, scope, plural } = STATIONS;
	return { kind: 'station', path: `${path}/${encodeURIComponent(id)}`, scope, plural, id };
}
