import type { Row } from '../shared/platform';
import { SESSIONS } from '../shared/resources';
import type { EventJson } from '../shared/trigger/items';
import { lookUpSome } from '../shared/trigger/reading/lists';
import type { Poll } from '../shared/trigger/poll';
import type { HandOver } from '../shared/trigger/run';
import type { RowKey } from '../shared/trigger/types';
import { toJson } from './items';
import type { SessionSettings } from './settings';
import type { SessionEvent } from './state/types';

/**
 * Adds its session to each event, and drops events whose session does not match the filter. Events that cannot be
 * checked now wait for the next poll.
 *
 * @param rows rows that this poll has already read
 */
export async function handOver(
	poll: Poll<SessionSettings>,
	events: readonly SessionEvent[],
	rows: ReadonlyMap<RowKey, Row>,
): Promise<HandOver<SessionEvent>> {
	const { filter, rules } = poll.settings;
	// Long sessions were read with the filter.
	const toCheck = ({ session, name }: SessionEvent) =>
		!rows.has(session) || (filter !== undefined && rules.get(name)?.kind !== 'long');
	const keys = [...new Set(events.filter(toCheck).map(({ session }) => session))];
	const found = await lookUpSome(poll, { list: SESSIONS, filter }, keys, poll.pace('last'));

	const ready: EventJson[] = [];
	const waiting: SessionEvent[] = [];
	for (const event of events) {
		const { session } = event;
		if (!toCheck(event)) ready.push(toJson(poll, event, rows.get(session) ?? null));
		else if (!found.asked.has(session)) waiting.push(event);
		else if (found.rows.has(session) || filter === undefined) {
			ready.push(toJson(poll, event, found.rows.get(session) ?? null));
		}
	}
	return { ready, waiting };
}
