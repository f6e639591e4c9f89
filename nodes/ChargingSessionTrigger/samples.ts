import { randomUUID } from 'crypto';
import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { and, condition } from '../shared/dsquery/compose';
import type { Group } from '../shared/dsquery/types';
import { openPlatform, PlatformError, toNodeError } from '../shared/platform';
import type { Platform } from '../shared/platform';
import { SESSIONS } from '../shared/resources';
import { toItems } from '../shared/trigger/items';
import { shortHash } from '../shared/trigger/hash';
import { decodeValue } from '../shared/trigger/keys';
import type { SessionEventName } from './state/sessions';
import { toJson } from './present';
import type { ReadyEvent } from './present';
import { notOver, openBetween, startOf, toSight } from './read';
import { FAILED_CODES, readSettings } from './settings';
import type { SessionSettings } from './settings';

/** Sessions shown in a manual test. */
const SAMPLES = 3;

/**
 * What a manual test shows: items made from real sessions, the newest for each chosen event. The saved state is neither
 * read nor changed.
 *
 * @throws NodeApiError, NodeOperationError when there is no session to show
 */
export async function sampleItems(context: IPollFunctions): Promise<INodeExecutionData[][]> {
	try {
		const settings = readSettings(context);
		const platform = await openPlatform(context, settings.platformOptions);
		const each = Math.max(1, Math.floor(SAMPLES / settings.events.size));
		const ready: ReadyEvent[] = [];
		for (const name of settings.events) ready.push(...(await samplesOf(platform, settings, name, each)));
		if (ready.length === 0) throw nothingToShow(settings);
		const surroundings = { environment: platform.environment, zone: context.getTimezone() };
		return [toItems(ready, settings.output, surroundings, toJson)];
	} catch (error) {
		throw toNodeError(context.getNode(), error);
	}
}

async function samplesOf(
	platform: Platform,
	settings: SessionSettings,
	name: SessionEventName,
	count: number,
): Promise<ReadyEvent[]> {
	for (const filter of filtersFor(settings, name)) {
		const { rows } = await platform.getPage(SESSIONS, {
			filter: and(settings.filter, filter),
			sorts: [{ field: 'Id', direction: 'Desc' }],
			pager: { skip: 0, take: count },
		});
		const now = Date.now();
		const platformNow = now + (platform.stats.clockAheadMs ?? 0);
		const ready = rows.flatMap((row): ReadyEvent[] => {
			const session = toSight(row)?.session;
			if (session === undefined) return [];
			const durationSeconds =
				name === 'runningLong' ? Math.max(0, Math.round((platformNow - (startOf(row) ?? platformNow)) / 1000)) : null;
			// Each test has ids of its own, so that a node that drops repeats lets every test pass.
			const id = shortHash(randomUUID());
			return [{ event: { name, session, detectedAt: now, durationSeconds, id }, session: row }];
		});
		if (ready.length > 0) return ready;
	}
	return [];
}

/** Which sessions to show for an event. Where none runs long, those that run at all. */
function filtersFor(
	{ events, endCodes, overCodes, longMs, watchMs }: SessionSettings,
	name: SessionEventName,
): Array<Group | undefined> {
	const among = (codes: Iterable<string>) =>
		and(condition('Status', 'In', [...codes].map((code) => String(decodeValue(code))).join(',')));
	if (name === 'started') return [undefined];
	if (name === 'ended') {
		const codes = [...endCodes].filter((code) => !events.has('failed') || !FAILED_CODES.has(code));
		return codes.length > 0 ? [among(codes)] : [];
	}
	if (name === 'failed') return [among(FAILED_CODES)];
	const latest = Date.now() - longMs;
	return [openBetween(overCodes, latest - watchMs, latest), and(...notOver(overCodes))];
}

function nothingToShow({ filter, events }: SessionSettings): PlatformError {
	const which = filter === undefined ? '' : ' that match the filter';
	const state = events.has('started') ? '' : ' in such a state';
	return new PlatformError(
		'configuration',
		`There are no charging sessions${state}${which}, so there is nothing to show`,
		{
			description:
				'Check the filter and the chosen statuses, and that the API key belongs to the organisation whose sessions you expect. A test shows sessions as they are now; once the workflow is active, the trigger fires on what happens from then on.',
		},
	);
}
