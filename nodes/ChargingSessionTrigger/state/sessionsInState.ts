import isEqual from 'lodash/isEqual';
import mapValues from 'lodash/mapValues';

import { shortHash } from '../../shared/trigger/hash';
import type { RowKey, StatusValue } from '../../shared/trigger/types';
import { eventsOf } from './types';
import type { Incident, InStateRule, PartOfDraft, SeenSession, Standing, StandingSessions } from './types';

/** Open sessions that come into a state and leave it again, such as those whose energy does not rise. */
export class SessionsInState {
	/** The last incident of each, whether it was reported or not. */
	private readonly incidents: Map<RowKey, Incident>;
	/** Since when this process has seen them in the state, whether that counts yet or not. */
	private readonly standing: Map<RowKey, Standing>;
	private readonly reading;

	constructor(
		readonly rule: InStateRule,
		private readonly part: PartOfDraft,
		standing: StandingSessions,
	) {
		const { slice, meaning } = rule;
		const { kept } = part;
		const config = meaning === undefined ? undefined : shortHash(meaning);
		this.reading = `${slice}Reading` as const;
		if (kept[`${slice}Config`] !== config) {
			kept[this.reading] = { reports: false };
			// Their numbers are kept, so that no eventId comes twice.
			kept[slice] = mapValues(kept[slice], (incident) => ({ ...incident, isOver: true as const }));
			standing.delete(slice);
		}
		kept[`${slice}Config`] = config;
		this.incidents = new Map(Object.entries(kept[slice] ?? {}));
		this.standing = standing.get(slice) ?? new Map<RowKey, Standing>();
		standing.set(slice, this.standing);
	}

	/**
	 * Takes in what a poll saw of sessions.
	 *
	 * @param open which are followed and not over, and which of them only since this poll without being new
	 * @param isComplete whether the poll saw all of those
	 * @returns of how many open ones nothing can be concluded
	 */
	observe(
		sessions: Iterable<SeenSession>,
		open: { has(session: RowKey): boolean; adopted: ReadonlySet<RowKey> },
		isComplete: boolean,
	): number {
		const { standing, incidents, part, reading } = this;
		for (const known of [standing, incidents]) {
			for (const session of known.keys()) if (!open.has(session)) known.delete(session);
		}
		let unknown = 0;
		for (const seen of sessions) {
			const { session } = seen;
			if (!open.has(session)) continue;
			const value = this.rule.valueOf(seen);
			const isFirstLook = part.kept[reading] !== undefined && !standing.has(session);
			if (value === undefined) unknown++;
			else this.compare(session, value, isFirstLook || open.adopted.has(session));
		}
		if (isComplete) part.kept[reading] = undefined;
		return unknown;
	}

	/** @param isQuiet whether a session that is in the state already was so before */
	private compare(session: RowKey, value: StatusValue, isQuiet: boolean): void {
		const { incidents, rule, part } = this;
		const last = incidents.get(session);
		const isIn = last !== undefined && !last.isOver && rule.isIn(value, last.energy);
		if (last && !last.isOver && !isIn) {
			incidents.set(session, { ...last, isOver: true });
			if (last.tellsEnd) this.report(true, session, last);
		}
		// After a restart, only the values of those that are known to be in the state are known.
		const standing = this.stand(session, value, isIn ? last.energy : undefined);
		if (isIn || !standing || part.elapsed - standing.since < rule.afterMs) return;
		const begun: Incident = {
			...{ energy: standing.value, since: part.now - (part.elapsed - standing.since) },
			tellsEnd: !isQuiet && this.eventsOf(true).length > 0,
			...(last && { number: (last.number ?? 1) + 1 }),
		};
		incidents.set(session, begun);
		if (!isQuiet) this.report(false, session, begun);
	}

	/** Since when a session has been in the state without a break, as far as polls saw; undefined if it is not. */
	private stand(session: RowKey, value: StatusValue, before: StatusValue | undefined): Standing | undefined {
		const { elapsed } = this.part;
		const known = this.standing.get(session) ?? (before === undefined ? undefined : { value: before, since: elapsed });
		const isSame = known !== undefined && this.rule.isIn(value, known.value);
		const standing = isSame ? known : this.rule.isIn(value) ? { value, since: elapsed } : undefined;
		if (standing) this.standing.set(session, standing);
		else this.standing.delete(session);
		return standing;
	}

	private report(hasEnded: boolean, session: RowKey, { energy, since, number }: Incident): void {
		const idParts = number === undefined ? [energy] : [energy, number];
		for (const name of this.eventsOf(hasEnded)) this.part.raise(name, session, this.part.now - since, idParts);
	}

	/** The chosen events about its begin, or about its end. */
	private eventsOf(isEnd: boolean): string[] {
		const all = eventsOf(this.part.rules, 'inState');
		return all.filter(([, rule]) => rule.slice === this.rule.slice && rule.isEnd === isEnd).map(([name]) => name);
	}

	/**
	 * To be called before the state is saved. That a session is over is saved with the next event: until then it would be
	 * found again.
	 */
	save(hasEvents: boolean): void {
		const { kept } = this.part;
		const { slice } = this.rule;
		const isNews = [...this.incidents].some(([session, incident]) => !isEqual(incident, kept[slice]?.[session]));
		if (hasEvents || isNews) kept[slice] = Object.fromEntries(this.incidents);
	}
}
