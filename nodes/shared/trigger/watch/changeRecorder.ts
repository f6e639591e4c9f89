import type { DetectedChange, EndedIncident, EvaluationContext, Observation, WatchedValue } from './alertRule';
import type { RuleState, TrackedEntry } from './ruleState';

/** Collects what one evaluation changes: the entries of the rule, its incidents, and what is reported. */
export class ChangeRecorder {
	readonly entries: Map<string, TrackedEntry>;
	readonly changes: DetectedChange[] = [];
	readonly ended: EndedIncident[] = [];
	/** Whether something has changed that later events depend on, with an event or without. */
	isNews = false;
	/** Whether this is a first reading that only notes how things are. */
	readonly isQuiet: boolean;

	constructor(
		readonly before: RuleState,
		readonly observation: Observation,
		readonly context: EvaluationContext,
	) {
		this.entries = new Map(Object.entries(before.entries));
		this.isQuiet = !before.isBegun && !context.reportsFirst;
	}

	/** Opens an incident; reports it as the event `opens`, if it has a name and this is not a quiet reading. */
	open(opens: string | undefined, key: string, entry: TrackedEntry, to: WatchedValue): void {
		const incidentId = this.context.idOf(opens ?? 'incident', key);
		const isTold = !this.isQuiet || opens === undefined;
		this.entries.set(key, { ...entry, incident: [incidentId, isTold] });
		this.isNews = true;
		const { since = this.observation.at } = entry;
		if (!this.isQuiet) this.raise(opens, { key, from: null, to, since, incidentId, id: incidentId });
	}

	/** Closes the incident of an entry, if it has one; reports it as the event `closes`, if its begin was reported or not asked for. */
	close(
		closes: string | undefined,
		key: string,
		{ incident, since = this.observation.at }: TrackedEntry,
		change: Pick<DetectedChange, 'to'> & { until: number; isRemoved?: boolean },
	): void {
		if (!incident) return;
		const [id, isTold] = incident;
		this.isNews = true;
		this.ended.push({ key, id, since, isTold: isTold && closes !== undefined });
		if (isTold) this.raise(closes, { key, from: null, since, incidentId: id, ...change });
	}

	/** Reports a change as the event `name`; nothing without a name. */
	raise(
		name: string | undefined,
		change: Pick<DetectedChange, 'key' | 'from' | 'to' | 'since'> & Partial<DetectedChange>,
	): void {
		if (name === undefined) return;
		this.isNews = true;
		const { key, from, to, incidentId = null } = change;
		const id = this.context.idOf(name, key, ...(incidentId === null ? [from, to] : [incidentId]));
		this.changes.push({ until: null, incidentId, isRemoved: false, id, ...change, name });
	}
}
