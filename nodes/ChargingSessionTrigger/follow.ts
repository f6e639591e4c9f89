import min from 'lodash/min';
import uniq from 'lodash/uniq';

import { codeOf, type StatusValue } from '../shared/dsquery/catalogue';
import { readTime } from '../shared/dsquery/values/readTime';
import type { Row } from '../shared/platform';
import { SESSIONS } from '../shared/resources';
import { type RowKey, WHOLE_LIST } from '../shared/trigger/keys';
import type { Poll } from '../shared/trigger/poll';
import { lookUp, lookUpLost, shownIn } from '../shared/trigger/reading/lookUp';
import { type Newest, type NumberedList, readNewest } from '../shared/trigger/reading/newRows';
import { keyed, readPart } from '../shared/trigger/reading/part';
import type { Progress, TriggerState } from '../shared/trigger/watch/saved';
import type { FoundLook } from '../shared/trigger/watch/steps';
import {
	type Absence,
	missing,
	NOTHING_KNOWN,
	OUT_OF_SERVICE,
	type Seen,
	type State,
	undecidedIn,
	UNKNOWN,
} from '../shared/trigger/watch/watch';
import { openBetween, type OpenRule, openRules } from './rules';
import type { SessionSettings } from './settings';

type SessionPoll = Poll<SessionSettings>;
export type SessionLook = FoundLook & { seen: Map<RowKey, Seen> };

const NEW_SESSIONS: NumberedList = {
	list: SESSIONS,
	instead:
		'What works here: choose only Session Is Running Long under Trigger On. Or use a Schedule Trigger and Charging Sessions with a filter on Started At.',
};

/** What a poll has seen of new sessions, and of those that are followed. */
interface Followed {
	rows: Map<RowKey, Row>;
	/** For each watch. */
	looks: Record<string, SessionLook>;
	/** Where reading the open ones goes on, if it has not reached its end. */
	reading?: Progress;
}

/** Reads new sessions, and what has become of those that are followed. */
export async function readFollowed(poll: SessionPoll, state: TriggerState): Promise<Followed> {
	const { fresh = NOTHING_KNOWN, open } = state.watches;
	const newest = await poll.require(readNewest(poll, NEW_SESSIONS, state.watches.fresh));
	// Sessions that are open at first are reported as new, if that is asked for.
	const isInitial = state.reportsFirst === true && !fresh.isBegun;
	const adopts = isInitial || open?.isBegun === false;
	const undecided = undecidedIn(fresh);
	const sight = new Sight(poll, open, { ...newest, undecided }, adopts);
	sight.take(newest.rows);

	const { part, isWhole, reading } = await readOpen(poll, state, newest, adopts);
	sight.take(part?.rows ?? []);

	const coversOpen = (key: RowKey) => Number(key) <= newest.after && part?.covers(key) === true;
	const covers = (key: RowKey) => (Number(key) > newest.after ? newest.covers(key) : coversOpen(key));
	const ended = open ? missing(open, { kind: 'end' }, { seen: sight.seen, covers }) : [];
	await sight.findMissing([...undecided, ...ended]);

	const looks: Followed['looks'] = {
		fresh: {
			...{ seen: sight.fresh(isInitial), covers: coversOpen },
			...{ isWhole: isWhole || !isInitial, absent: new Map(), border: newest.border },
		},
	};
	if (open) {
		looks.open = { seen: sight.seen, covers, isWhole, absent: sight.absent };
		for (const rule of openRules(poll.settings)) {
			const known = Object.keys(state.watches[rule.watch]?.entries ?? {});
			looks[rule.watch] = { ...looks.open, ...sight.under(rule, known) };
		}
	}
	return { rows: sight.rows, looks, reading };
}

/** Reads the open sessions with a lower Id than the newest, from the lowest that is followed on. @param adopts whether from the start */
async function readOpen(poll: SessionPoll, { watches, readings }: TriggerState, { after }: Newest, adopts: boolean) {
	const known = Object.keys(watches.open?.entries ?? {}).map(Number);
	const from = adopts ? WHOLE_LIST.after : (min(known) ?? WHOLE_LIST.upTo);
	if (after === WHOLE_LIST.after || from > after) return { isWhole: true };
	const open = openBetween(poll.settings, poll.now, from, after);
	const part = await poll.attempt(readPart(poll, readings.open, open), 'open charging sessions');
	return part
		? { part, isWhole: part.isEnd, reading: part.isEnd ? undefined : part.round }
		: { isWhole: false, reading: readings.open };
}

class Sight {
	readonly rows = new Map<RowKey, Row>();
	/** The status of new sessions, and of those that are followed. */
	readonly seen = new Map<RowKey, Seen>();
	readonly absent = new Map<RowKey, Absence>();
	private readonly entries: State['entries'];

	/** @param adopts whether open sessions are followed although they are not new */
	constructor(
		private readonly poll: SessionPoll,
		{ entries }: State = NOTHING_KNOWN,
		private readonly newest: Newest & { undecided: ReadonlySet<RowKey> },
		private readonly adopts: boolean,
	) {
		this.entries = entries;
	}

	take(rows: Iterable<Row>): void {
		const { settings, now } = this.poll;
		for (const [key, row] of keyed(rows)) {
			this.rows.set(key, row);
			const isFollowed = key in this.entries || this.isNew(key);
			const code = codeOf(row.Status);
			const isOver = settings.overCodes.has(code);
			const isLate = Math.max(readTime(row.StartedAtUtc) ?? now, this.firstSeen(key)) < now - settings.watchMs;
			if (isOver ? isFollowed : !isLate && (isFollowed || this.adopts)) this.seen.set(key, code);
			else if (isLate) this.absent.set(key, 'elsewhere');
		}
	}

	/** Looks up sessions by their Ids that no list has shown. */
	async findMissing(keys: readonly RowKey[]): Promise<void> {
		const { poll, rows: known, absent } = this;
		const lost = uniq(keys).filter((key) => !known.has(key) && !absent.has(key));
		const shown = await shownIn(poll, SESSIONS, { rows: this.newest.rows, mayAsk: false });
		const asking = { pace: poll.pace('lookUp'), shown };
		const { matching, notFound } = await lookUpLost(lookUp, poll, { list: SESSIONS }, lost, asking);
		this.take(matching.values());
		for (const key of notFound) absent.set(key, 'gone');
	}

	/** The sessions with the highest Ids, and whether each is new. @param isInitial whether those that are open count as new */
	fresh(isInitial: boolean): Map<RowKey, Seen> {
		const { newest, rows, seen, absent } = this;
		const isReported = (key: RowKey) => {
			if (newest.undecided.has(key)) return rows.has(key) || absent.has(key) ? seen.has(key) : UNKNOWN;
			return this.isNew(key) || (isInitial && this.isOpen(seen.get(key)));
		};
		const keys = new Set([...[...newest.rows].map(({ Id }) => String(Id)), ...newest.undecided]);
		if (isInitial) for (const key of seen.keys()) keys.add(key);
		return new Map([...keys].sort((a, b) => Number(a) - Number(b)).map((key) => [key, isReported(key)]));
	}

	/** A new session may have an old start: then it is watched from here on. */
	private firstSeen(key: RowKey): number {
		return this.isNew(key) ? this.poll.now : (this.entries[key]?.firstSeen ?? Number.NEGATIVE_INFINITY);
	}

	private isNew(key: RowKey): boolean {
		return this.newest.fresh.has(key) || this.newest.undecided.has(key);
	}

	/**
	 * What decides about open sessions. Whatever they were in ends without an event once they are over, or followed no more.
	 *
	 * @param known those that were in something
	 */
	under({ valueOf }: OpenRule, known: readonly RowKey[]): Pick<SessionLook, 'seen' | 'absent'> {
		const values = [...this.seen].map(([key, code]): [RowKey, Seen] => {
			if (code === UNKNOWN) return [key, UNKNOWN];
			return [key, this.isOpen(code) ? valueOf(this.rows.get(key) ?? {}) : OUT_OF_SERVICE];
		});
		const left = known.filter((key) => !(key in this.entries) || this.absent.get(key) === 'elsewhere');
		return { seen: new Map(values), absent: new Map(left.map((key) => [key, 'elsewhere'])) };
	}

	private isOpen(code: Seen | undefined): boolean {
		return code !== undefined && code !== UNKNOWN && !this.poll.settings.overCodes.has(code as StatusValue);
	}
}
