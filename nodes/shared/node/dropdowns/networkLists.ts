import startCase from 'lodash/startCase';
import type { ILoadOptionsFunctions, INodeListSearchItems, INodeListSearchResult } from 'n8n-workflow';

import { NOTE_VALUE } from '../../dsquery/fieldValue';
import { MINUTE_MS } from '../../dsquery/values/durations';
import { openConnection, pause, PlatformError, settle, type Connection } from '../../platform';
import { OTHER_LISTS, SESSIONS, type ListResource } from '../../resources';
import { networkList, pathOf } from '../networkList';

/** Lists asked for at the same time. */
const LANES = 3;
/** A person is waiting: lists that take longer are left out, in milliseconds. */
const SEARCH_MS = 3_000;
/** How long the lists that a key reaches are cached, in milliseconds; an unfinished search, only briefly. */
const MEMORY_MS = 10 * MINUTE_MS;
const SHORT_MEMORY_MS = 15_000;

interface Search {
	entries: INodeListSearchItems[];
	/** Why the search stopped early. Undefined if all lists were asked for. */
	ended?: string;
}

const searches = new Map<string, { until: number; search: Promise<Search> }>();

/** *From List*: the lists of the platform that the key reaches, found by asking for one row of each. Never throws. */
export async function searchNetworkLists(this: ILoadOptionsFunctions, filter?: string): Promise<INodeListSearchResult> {
	const { entries, ended } = await remembered(this).catch(
		(error: unknown): Search => ({ entries: [], ended: messageOf(error) }),
	);
	const wanted = filter?.trim().toLowerCase() ?? '';
	const found = entries.filter(({ name, value }) => `${name} ${value}`.toLowerCase().includes(wanted));
	if (wanted !== '' && found.length > 0) return { results: found };
	const note = [ended, 'Lists under other paths can be typed By Path'].filter(Boolean).join('. ');
	return { results: [...found, { name: note, value: NOTE_VALUE }] };
}

async function remembered(context: ILoadOptionsFunctions): Promise<Search> {
	const connection = await openConnection(context, { timeoutMs: SEARCH_MS });
	const now = performance.now();
	for (const [key, { until }] of searches) if (until < now) searches.delete(key);
	const known = searches.get(connection.keyId);
	if (known) return await known.search;
	const isUser = context.getCurrentNodeParameter('authentication') === 'signedInUser';
	const entry = { until: now + MEMORY_MS, search: searchLists(connection, isUser) };
	searches.set(connection.keyId, entry);
	const found = await entry.search;
	if (found.ended !== undefined) entry.until = performance.now() + SHORT_MEMORY_MS;
	return found;
}

/** Asks for one row of each likely list, until a refusal applies to all of them or time is up. */
async function searchLists(connection: Connection, isUser: boolean): Promise<Search> {
	const over = new AbortController();
	const late = settle(pause(SEARCH_MS, over.signal)).then(() => TOO_LATE);
	const ask = async (list: ListResource) => {
		const page = connection.list(list).page({ sorts: [], pager: { skip: 0, take: 1 } });
		const asked = await Promise.race([settle(page), late]);
		return asked.ok ? undefined : asked.error;
	};
	// API keys can read this list: a refusal other than a missing scope or role would apply to every list.
	const refusal = await ask(SESSIONS);
	let ended = isOfOneList(refusal) ? undefined : messageOf(refusal);

	const found = new Map<string, INodeListSearchItems>();
	const waiting = [...OTHER_LISTS];
	const lane = async () => {
		while (ended === undefined) {
			const next = waiting.shift();
			if (next === undefined) return;
			const list = networkList(pathOf(next));
			const error = await ask(list);
			const lacks = error instanceof PlatformError ? whatLacks(error) : undefined;
			if (isOfAll(error) || (isUser && lacks === NO_KEYS)) ended ??= messageOf(error);
			else if (error === undefined || lacks !== undefined) {
				const label = [startCase(next.name), lacks && `(${lacks})`].filter(Boolean).join(' ');
				found.set(next.name, { name: label, value: list.path });
			}
		}
	};
	await Promise.all(Array.from({ length: LANES }, lane));
	over.abort();
	return { entries: OTHER_LISTS.flatMap(({ name }) => found.get(name) ?? []), ...(ended !== undefined && { ended }) };
}

const TOO_LATE = { ok: false as const, error: new Error('The platform took too long, so not all lists were found') };
const NO_KEYS = 'does not take API keys';

/** Whether the list was reached, or is refused because the key may not read it. */
function isOfOneList(error: unknown): boolean {
	if (error === undefined) return true;
	return error instanceof PlatformError && ['scope-missing', 'role-insufficient', 'forbidden'].includes(error.kind);
}

/** Whether all other lists would fail, too, or time is up. */
function isOfAll(error: unknown): boolean {
	if (error instanceof PlatformError)
		return ['rate-limited', 'license-inactive', 'network-failure'].includes(error.kind);
	return error !== undefined;
}

/** What a key needs to read a list that refuses it. Undefined if there is no such list, or the platform does not say. */
export function whatLacks({ kind, scope }: PlatformError): string | undefined {
	if (scope !== undefined) return `needs the scope ${scope.slice(0, 60)}`;
	if (kind === 'unauthorized') return NO_KEYS;
	return kind === 'role-insufficient' ? 'needs another role' : undefined;
}

function messageOf(error: unknown): string {
	return error instanceof Error && error.message ? error.message : 'The platform could not be reached';
}
