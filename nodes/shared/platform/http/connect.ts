import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { isGroup } from '../../dsquery/types';
import type { Condition, FilterNode, Query } from '../../dsquery/types';
import { writeQuery } from '../../dsquery/write';
import { CREDENTIAL_TYPES, FirstRequests, WaitClock } from './access';
import type { Access } from './access';
import { readCredential } from '../account/credential';
import type { CredentialSettings } from '../account/credential';
import { listEndpoint, SESSIONS_EXPORT, stationEndpoint } from './endpoint';
import type { AccountKind, Platform, PlatformContext, PlatformOptions, PlatformStats } from '../types';
import { STATIONS } from '../../resources';
import type { ListResource } from '../../resources';
import { readOpenAnswer, readPage, readRow } from '../answers/envelope';
import { PlatformError } from '../answers/errors';
import type { CancelSignal } from './pause';
import { requestJson, requestStream } from './request';
import type { Answer } from './request';
import { storedToken, UserSession } from '../account/session';
import { Spacing } from './spacing';
import { Supervision } from './supervision';

/** What a node's options say when the user leaves them alone. */
export const DEFAULT_OPTIONS: PlatformOptions = { timeoutMs: 60_000, maxRateLimitWaitMs: 300_000 };
/** A dropdown that is opened again within this time repeats what the key was told, in milliseconds. */
const EDITOR_MEMORY_MS = 15_000;

/**
 * Opens the platform with the node's credential. n8n authenticates every request with the credential of item 0, so
 * credential and base URL are resolved for item 0, once: otherwise the key could travel to another item's host.
 *
 * @throws PlatformError of kind configuration when the credential cannot be used
 */
export async function openPlatform(
	context: PlatformContext,
	options: Partial<PlatformOptions> = {},
): Promise<Platform> {
	const kind = kindOf(context);
	const account = accountOf(context, kind);
	const stored = async () => await context.getCredentials(CREDENTIAL_TYPES[account], 0);
	const credential = await stored();
	const settings = readCredential(account, credential);
	const stats: PlatformStats = { requests: 0, rateLimitWaitMs: 0 };
	const execution = askedFor(context, kind);
	const startedByPerson = kind === 'editor' || context.getMode?.() === 'manual';
	const inPagesItGives = smallerPages();
	const signal = signalOf(context);
	const askList = async <Result extends object>(
		list: ListResource,
		query: Query,
		read: (answer: Answer<unknown>, list: ListResource) => Result,
	): Promise<Result> =>
		await inPagesItGives(query, async (asked) => {
			const answer = await requestJson(access, {
				endpoint: listEndpoint(list),
				method: 'GET',
				qs: { dsquery: writeQuery(asked) },
				// Only a refusal needs them.
				get fields() {
					return fieldsOf(asked);
				},
				get longestPart() {
					return longestPartOf(asked);
				},
			});
			return read(answer, list);
		});
	const access: Access = {
		context,
		...settings,
		session: settings.ownerOf && openSession(settings, settings.ownerOf, stored),
		kind,
		execution,
		asker: startedByPerson ? (execution ?? `poll ${Date.now()}`) : undefined,
		signal,
		options: { ...DEFAULT_OPTIONS, ...options },
		stats,
		waiting: new WaitClock(stats),
		firsts: new FirstRequests(),
		supervision: new Supervision(signal),
		spacing: new Spacing(signal),
		zone: context.getTimezone(),
	};

	return {
		environment: settings.environment,
		baseUrl: settings.baseUrl,
		notes: settings.notes,
		keyId: settings.keyId,
		stats,
		async getPage(list, query) {
			return await askList(list, query, readPage);
		},
		async getOpenAnswer(list, query) {
			return await askList(list, query, readOpenAnswer);
		},
		async getStation(id) {
			return readRow(await requestJson(access, { endpoint: stationEndpoint(id), method: 'GET' }), STATIONS);
		},
		async exportSessions(ids) {
			return await requestStream(
				access,
				{ endpoint: SESSIONS_EXPORT, method: 'POST', body: { Ids: [...ids] } },
				(contentType) => !/html|json|xml/i.test(contentType),
			);
		},
	};
}

/**
 * Asks for smaller pages where the platform refuses large ones: which Take it allows is not public, and whoever reads a
 * list is content with fewer rows than it asked for. What was learned holds for all later pages.
 */
function smallerPages() {
	let mostRows = Number.POSITIVE_INFINITY;
	let granted = 0;
	return async <Result extends object>(query: Query, read: (asked: Query) => Promise<Result>): Promise<Result> => {
		const { pager } = query;
		if (!pager) return await read(query);
		for (;;) {
			const take = Math.min(pager.take, mostRows);
			const page = await read({ ...query, pager: { ...pager, take } }).catch((error: unknown) => {
				const isPageRefused = error instanceof PlatformError && error.kind === 'too-large' && error.status !== 413;
				// A page that came elsewhere is not too large: the platform refuses something else, such as to skip so many.
				if (!isPageRefused || take < 2 || take <= granted) throw error;
				mostRows = Math.min(mostRows, Math.floor(take / 2));
				return undefined;
			});
			if (!page) continue;
			granted = Math.max(granted, take);
			return page;
		}
	};
}

function openSession(
	{ keyId, credential, secrets }: CredentialSettings,
	ownerOf: (token: string) => string,
	reread: () => Promise<ICredentialDataDecryptedObject>,
): UserSession {
	return new UserSession(
		keyId,
		ownerOf,
		storedToken(credential, ownerOf),
		async () => storedToken(await reread(), ownerOf),
		(token) => {
			if (!secrets.includes(token)) secrets.push(token);
		},
	);
}

function kindOf(context: PlatformContext): Access['kind'] {
	if ('getInputData' in context) return 'execution';
	return 'getCurrentNodeParameter' in context ? 'editor' : 'poll';
}

/**
 * In whose name the node works: one answer for the whole execution, as n8n authenticates every item with the credential
 * of item 0. Workflows saved before there was a choice use the API key, and so do the triggers, which have none.
 */
function accountOf(context: PlatformContext, kind: Access['kind']): AccountKind {
	if (kind === 'poll') return 'apiKey';
	const chosen: unknown =
		'getCurrentNodeParameter' in context
			? context.getCurrentNodeParameter('authentication')
			: context.getNodeParameter('authentication', 0, 'apiKey');
	if (chosen === 'signedInUser') return chosen;
	if (chosen === 'apiKey' || chosen === undefined || chosen === null) return 'apiKey';
	throw new PlatformError('configuration', `“${String(chosen)}” is no way to sign in`, {
		description: 'Choose API Key or Signed-In User in the field Authentication.',
	});
}

/** What refusals are remembered for. A poll asks anew each time: its trigger decides itself when to ask again. */
function askedFor(context: PlatformContext, kind: Access['kind']): string | undefined {
	if (kind === 'poll') return undefined;
	if (kind === 'editor') return `editor ${Math.floor(Date.now() / EDITOR_MEMORY_MS)}`;
	const id: unknown = context.getExecutionId?.();
	return typeof id === 'string' && id !== '' ? id : undefined;
}

/** Only executions can be stopped; hosts differ in whether their contexts say so. */
function signalOf(context: PlatformContext): CancelSignal | undefined {
	return 'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined;
}

function fieldsOf({ filter, sorts }: Query): string[] {
	const fields = new Set(sorts.map(({ field }) => field));
	for (const { field } of conditionsOf(filter)) fields.add(field);
	return [...fields];
}

/** The conditions on the one field that takes the most room in the URL. */
function longestPartOf({ filter }: Query): string | undefined {
	const parts = new Map<string, { room: number; values: number }>();
	for (const { field, operator, value } of conditionsOf(filter)) {
		const part = parts.get(field) ?? { room: 0, values: 0 };
		part.room += value.length + field.length;
		part.values += operator === 'In' ? value.split(',').length : 1;
		parts.set(field, part);
	}
	const [longest] = [...parts].sort(([, a], [, b]) => b.room - a.room);
	if (!longest) return undefined;
	const [field, { values }] = longest;
	return values > 1 ? `the ${values} values of “${field}”` : `the value of “${field}”`;
}

/** All conditions of a filter, however deep; groups may nest to any depth, so nothing here calls itself. */
function* conditionsOf(filter: FilterNode | undefined): Generator<Condition> {
	const waiting = filter ? [filter] : [];
	for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
		if (!isGroup(node)) yield node;
		else for (const child of node.filters) waiting.push(child);
	}
}
