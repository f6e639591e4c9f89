import type { FastifyInstance } from 'fastify';

import { applyBehaviour } from './behaviour.ts';
import type { SqlValue } from './database.ts';
import { Refusal } from './errors.ts';
import type { StandIn } from './index.ts';
import { LIST_NAMES, TABLES, type ListName } from './tables.ts';
import { FAULT_KINDS, type Fault, type NewSession } from './types.ts';

const objectOf = (properties: Record<string, object>, required: string[] = []) => ({
	type: 'object',
	required,
	properties,
});
const ANY = { body: objectOf({}) };
const FAULT = { body: objectOf({ kind: { enum: FAULT_KINDS } }, ['kind']) };
const LICENSE = { body: objectOf({ active: { type: 'boolean' } }, ['active']) };
const ROWS = { body: { ...objectOf({}), minProperties: 1 }, params: objectOf({ list: { enum: LIST_NAMES } }) };

/** Changes one row, or with the id "*" all of a list: a fleet-wide outage in one call. */
function changeRows({ db }: StandIn, list: ListName, id: string, values: Record<string, unknown>): number {
	const known = Object.keys(TABLES[list].fields);
	const names = Object.keys(values);
	if (names.some((name) => !known.includes(name))) {
		throw new Refusal(400, `${list} has the columns ${known.join(', ')}`);
	}
	const bound = Object.values(values).map((value) =>
		typeof value === 'object' && value !== null ? JSON.stringify(value) : (value as SqlValue),
	);
	const changes = names.map((name) => `${name} = ?`).join(', ');
	const done = db.prepare(`UPDATE ${list} SET ${changes} WHERE Id = ? OR ? = '*'`).run(...bound, id, id);
	if (!done.changes) throw new Refusal(404, `${list} has no row ${id}`);
	return Number(done.changes);
}

/**
 * The control API, for people with curl: behaviour, faults, licence, keys, rows and sessions. It bypasses the gateway, is
 * not recorded, and like the stand-in listens only on the loopback interface.
 */
export function addControlRoutes(app: FastifyInstance, platform: StandIn): void {
	// curl labels what it sends as a form.
	app.removeAllContentTypeParsers();
	app.addContentTypeParser('*', { parseAs: 'string' }, app.getDefaultJsonParser('error', 'error'));
	app.setNotFoundHandler(({ url }) => {
		throw new Refusal(404, `There is nothing at ${url}`);
	});
	app.get('/requests', () => platform.requests);
	app.get('/behaviour', () => shown(platform.behaviour));
	app.put<{ Body: Record<string, unknown> }>('/behaviour', { schema: ANY }, ({ body }) => {
		applyBehaviour(platform.behaviour, body);
		return shown(platform.behaviour);
	});
	app.post<{ Body: Fault }>('/faults', { schema: FAULT }, ({ body }) => {
		// JSON has no Infinity: null means "every request from now on".
		platform.faults.add({ ...body, ...(body.times === null && { times: Infinity }) });
		return {};
	});
	app.delete('/faults', () => {
		platform.faults.clear();
		return {};
	});
	app.put<{ Body: { active: boolean } }>('/license', { schema: LICENSE }, ({ body }) => {
		platform.license.active = body.active;
		return platform.license;
	});
	app.post<{ Params: { id: string } }>('/keys/:id/regenerate', ({ params }) => ({
		secret: platform.regenerate(params.id),
	}));
	app.delete<{ Params: { id: string } }>('/keys/:id', ({ params }) => {
		platform.revoke(params.id);
		return {};
	});
	app.patch<{ Params: { list: ListName; id: string }; Body: Record<string, unknown> }>(
		'/rows/:list/:id',
		{ schema: ROWS },
		({ params, body }) => ({ changed: changeRows(platform, params.list, params.id, body) }),
	);
	app.post<{ Body: NewSession | undefined }>('/sessions', ({ body }) => ({ Id: platform.startSession(body) }));
	app.post('/reset', () => {
		platform.reset();
		return {};
	});
}

/** A switch that is off is undefined, which JSON would leave out. */
const shown = (behaviour: object) =>
	Object.fromEntries(Object.entries(behaviour).map(([name, value]) => [name, (value as unknown) ?? null]));
