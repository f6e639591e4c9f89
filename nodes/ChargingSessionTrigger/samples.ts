import { randomUUID } from 'crypto';

import { and, condition } from '../shared/dsquery/compose';
import type { Group } from '../shared/dsquery/types';
import { SESSIONS } from '../shared/resources';
import { shortHash } from '../shared/trigger/hash';
import type { EventJson } from '../shared/trigger/items';
import type { Poll } from '../shared/trigger/poll';
import type { NothingToShow } from '../shared/trigger/run';
import type { StatusValue } from '../shared/trigger/types';
import { toJson } from './items';
import { clocksOf, inState, notOver, toSight } from './read';
import type { SessionSettings } from './settings';
import { eventsOf, SESSION_EVENTS } from './state/events';
import type { SessionEventName, SessionEventRecord } from './state/events';

/** Sessions shown in a manual test. */
const SAMPLES = 3;

/** Items made from real sessions, the newest for each chosen event. */
export async function sampleEvents(poll: Poll<SessionSettings>): Promise<EventJson[]> {
	const { events } = poll.settings;
	const each = Math.max(1, Math.floor(SAMPLES / events.size));
	const samples: EventJson[] = [];
	for (const name of events) samples.push(...(await samplesOf(poll, name, each)));
	return samples;
}

async function samplesOf(poll: Poll<SessionSettings>, name: SessionEventName, count: number): Promise<EventJson[]> {
	const { connection, settings, now } = poll;
	for (const filter of filtersFor(name, settings, now)) {
		const query = {
			filter: and(settings.filter, filter),
			sorts: [{ field: 'Id', direction: 'Desc' as const }],
			pager: { skip: 0, take: count },
		};
		const { rows } = await connection.list(SESSIONS).page(query, { ...settings, filter: query.filter });
		const samples = rows.flatMap((row): EventJson[] => {
			const sight = toSight(row);
			if (!sight) return [];
			const runningMs = clocksOf(poll).platform - (sight.startedAt ?? Number.POSITIVE_INFINITY);
			const durationSeconds = SESSION_EVENTS[name].kind === 'state' ? Math.max(0, Math.round(runningMs / 1000)) : null;
			// New ids for each test, so that a node that removes duplicates lets every test through.
			const id = shortHash(randomUUID());
			return [toJson(poll, { name, session: sight.session, detectedAt: now, durationSeconds, id }, row)];
		});
		if (samples.length > 0) return samples;
	}
	return [];
}

/** Filters to try in turn for each event. If no session is in a state, any that could come to be in it is shown. */
function filtersFor(name: SessionEventName, settings: SessionSettings, now: number): Array<Group | undefined> {
	const event: SessionEventRecord = SESSION_EVENTS[name];
	switch (event.kind) {
		case 'new':
			return [undefined];
		case 'end': {
			const chosen = eventsOf('end').filter(([other]) => settings.events.has(other));
			const first = chosen.slice(
				0,
				chosen.findIndex(([other]) => other === name),
			);
			const isReported = (code: StatusValue) => !first.some(([, { codes }]) => codes(settings).has(code));
			const codes = [...event.codes(settings)].filter(isReported);
			return codes.length > 0 ? [and(condition('Status', 'In', codes.join(',')))] : [];
		}
		case 'state':
			return [inState(event, settings, now), and(...notOver(settings.overCodes))];
		case 'stall':
			return [and(...notOver(settings.overCodes))];
	}
}

/** Why there is nothing to show. */
export function nothingToShow({ filter, events }: SessionSettings): NothingToShow {
	const which = filter === undefined ? '' : ' that match the filter';
	const state = events.has('started') ? '' : ' in such a state';
	return {
		message: `There are no charging sessions${state}${which}, so there is nothing to show`,
		asked: filter && { list: SESSIONS, filter },
		description:
			'Check the filter and the chosen statuses, and that the API key belongs to the organization whose sessions you expect. A test shows sessions as they are now; once the workflow is live, the trigger fires on what happens from then on.',
	};
}
