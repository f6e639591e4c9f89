import type { Row } from '../shared/platform';
import { STATIONS } from '../shared/resources';
import { and } from '../shared/dsquery/compose';
import type { Group } from '../shared/dsquery/types';
import { sampleAt, watchingSample } from '../shared/trigger/events/samples';
import type { EventJson } from '../shared/trigger/items';
import type { Poll } from '../shared/trigger/poll';
import { firstRows } from '../shared/trigger/reading/lists';
import type { NothingToShow } from '../shared/trigger/run';
import { sampleOf } from '../shared/trigger/watch/rules';
import { UNKNOWN } from '../shared/trigger/watch/status';
import { handOver } from './handOver';
import { seenIn } from './read';
import type { StationSettings } from './settings';
import { valuesOf } from './state/stations';
import type { SeenStation, StationEvent, StationKey, StationRule } from './state/types';

const SAMPLES = 3;

/** Items made from real stations in their current state, as the trigger would send them. */
export async function sampleEvents(poll: Poll<StationSettings>): Promise<EventJson[]> {
	const { settings, now } = poll;
	const rows = new Map<StationKey, Row>();
	const seen = seenIn(poll, rows, await findSamples(poll), rows, true);
	const events = seen.flatMap((each) => samplesOf(settings.rule, each, now)).slice(0, SAMPLES);
	const unreadable = seen.filter(({ outOfService }) => outOfService === undefined);
	const watching = settings.reportsWatching ? [watchingSample(events, ({ station }) => station, unreadable, now)] : [];
	const { ready } = await handOver(poll, [...events, ...watching], rows);
	return ready;
}

function samplesOf(rule: StationRule, seen: SeenStation, now: number): StationEvent[] {
	const { station } = seen;
	if (rule.kind === 'inState') {
		const subject = { station, dimension: rule.dimension };
		return [sampleOf(rule, subject, { isIn: rule.isIn(seen), value: null }, sampleAt(now))];
	}
	const values = valuesOf(rule, seen).map((value) => (value === UNKNOWN ? null : value));
	return rule.each.map((status, index) => {
		const subject = { station, dimension: status.dimension };
		return sampleOf(status, subject, { isIn: false, value: values[index] ?? null }, sampleAt(now));
	});
}

/** Stations that would raise an event now, or any others if there are none. */
async function findSamples(poll: Poll<StationSettings>): Promise<Row[]> {
	const { filter, rule } = poll.settings;
	const active = rule.kind === 'inState' && rule.reportsOpening ? and(filter, rule.narrowing) : filter;
	const read = async (which: Group | undefined) =>
		await firstRows(poll, STATIONS, { filter: which, compared: filter, direction: 'Asc', take: SAMPLES });
	const rows = await read(active);
	return rows.length > 0 || active === filter ? rows : await read(filter);
}

export function nothingToShow({ filter, event }: StationSettings): NothingToShow {
	return {
		list: STATIONS,
		filter,
		description:
			event === 'filterMatch'
				? 'No station matches at the moment. Once the workflow is live, the trigger fires as soon as one does. To see sample data now, widen the filter for the test.'
				: 'Check the filter, and that the API key belongs to the organization whose stations you expect. A test shows stations as they are now; once the workflow is live, the trigger fires on changes only.',
	};
}
