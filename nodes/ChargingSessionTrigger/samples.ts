import { and, condition } from '../shared/dsquery/compose';
import type { Group } from '../shared/dsquery/types';
import { SESSIONS } from '../shared/resources';
import { type EventJson, sampleId } from '../shared/trigger/events/items';
import type { Poll } from '../shared/trigger/poll';
import { firstRows } from '../shared/trigger/reading/lists';
import { keyed } from '../shared/trigger/reading/part';
import type { NothingToShow } from '../shared/trigger/samples';
import { secondsOf, toJson } from './items';
import { endEvent, longAt, notOver } from './rules';
import type { SessionSettings } from './settings';

const SAMPLES = 3;

/** Items made from real sessions, the newest for each chosen event. */
export async function sampleEvents(poll: Poll<SessionSettings>): Promise<EventJson[]> {
	const { rules } = poll.settings;
	const each = Math.max(1, Math.floor(SAMPLES / rules.size));
	const samples: EventJson[] = [];
	for (const name of rules.keys()) samples.push(...(await samplesOf(poll, name, each)));
	return samples;
}

async function samplesOf(poll: Poll<SessionSettings>, name: string, count: number): Promise<EventJson[]> {
	const { settings, now } = poll;
	for (const filter of filtersFor(name, settings, now)) {
		const asked = { filter: and(settings.filter, filter), direction: 'Desc' as const, take: count };
		const rows = await firstRows(poll, SESSIONS, asked);
		const samples = [...keyed(rows)].map(([key, row]) => {
			const isLong = settings.rules.get(name)?.kind === 'long';
			const durationSeconds = isLong ? secondsOf(poll, name, row, now) : null;
			return toJson(poll, { name, key, id: sampleId() }, row, durationSeconds);
		});
		if (samples.length > 0) return samples;
	}
	return [];
}

/** Filters to try for each event, one after the other: without a session in a state, any that could come into it. */
function filtersFor(name: string, settings: SessionSettings, now: number): Array<Group | undefined> {
	const rule = settings.rules.get(name);
	const isRunning = and(...notOver(settings.overCodes));
	if (rule?.kind === 'long') return [longAt(rule, settings, now), isRunning];
	if (rule?.kind === 'open') return [isRunning];
	if (rule?.kind !== 'end') return [undefined];
	const reported = [...rule.codes].filter((code) => endEvent(settings, code) === name);
	return reported.length > 0 ? [and(condition('Status', 'In', reported.join(',')))] : [];
}

export function nothingToShow({ rules }: SessionSettings): NothingToShow {
	const state = [...rules.values()].some(({ kind }) => kind === 'new') ? '' : ' in such a state';
	return {
		list: SESSIONS,
		none: (which) => `There are no charging sessions${state}${which}`,
		description:
			'Check the filter and the chosen statuses, and that the API key belongs to the organization whose sessions you expect. A test shows sessions as they are now; once the workflow is live, the trigger fires on what happens from then on.',
	};
}
