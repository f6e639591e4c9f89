import isEqual from 'lodash/isEqual';
import mapValues from 'lodash/mapValues';

import { shortHash } from '../../shared/trigger/hash';
import type { RowKey, StatusValue } from '../../shared/trigger/types';
import { eventsOf } from './types';
import type { Incident, InStateRule, PartOfDraft, SeenSession, Standing, StandingSessions } from './types';

/** A counter that falls and then rises so often counts anew. A single lower value may be a wrong one. */
const RISES_OF_A_NEW_COUNT = 2;

function lowerThan({ value: before, lower }: Standing, value: StatusValue): Standing['lower'] {
	if (Number(value) >= Number(before)) return undefined;
	if (lower === undefined || Number(value) < Number(lower.value)) return { value, rises: 0 };
	return Number(value) > Number(lower.value) ? { value, rises: lower.rises + 1 } : lower;
}

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
		const isOpen = last !== undefined && !last.isOver;
		const before = this.standingOf(session, isOpen ? last : undefined);
		const lasting = before && this.goOn(before, value);
		if (isOpen && !lasting) {
			incidents.set(session, { ...last, isOver: true });
			if (last.tellsEnd) this.report(true, session, last);
		}
		const standing = lasting ?? (rule.isIn(value) ? { value, since: part.elapsed } : undefined);
		if (standing) this.standing.set(session, standing);
		else this.standing.delete(session);
		if ((isOpen && lasting) || !standing || part.elapsed - standing.since < rule.afterMs) return;
		this.begin(session, standing, last, isQuiet);
	}

	/** @param last the incident of the session before this one */
	private begin(session: RowKey, { value, since }: Standing, last: Incident | undefined, isQuiet: boolean): void {
		const { incidents, part } = this;
		const begun: Incident = {
			...{ energy: value, since: part.now - (part.elapsed - since) },
			tellsEnd: !isQuiet && this.eventsOf(true).length > 0,
			...(last && { number: (last.number ?? 1) + 1 }),
		};
		incidents.set(session, begun);
		if (!isQuiet) this.report(false, session, begun);
	}

	/** @param open the incident of the session that lasts. After a restart, or if n8n did not save its end, only that counts. */
	private standingOf(session: RowKey, open: Incident | undefined): Standing | undefined {
		const known = this.standing.get(session);
		if (open === undefined || known?.value === open.energy) return known;
		return { value: open.energy, since: this.part.elapsed };
	}

	/** The same with one more value; undefined if that ends it. */
	private goOn(before: Standing, value: StatusValue): Standing | undefined {
		if (!this.rule.isIn(value, before.value)) return undefined;
		const lower = lowerThan(before, value);
		return lower && lower.rises >= RISES_OF_A_NEW_COUNT ? undefined : { ...before, lower };
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
