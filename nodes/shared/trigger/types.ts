export type { StatusValue } from '../dsquery/catalogue';

/** A row in the state: `17` for the number 17, `=17` for the text "17". */
export type RowKey = string;

/** The part of a list that was read completely: all Ids above `after`, up to and including `upTo`. */
export interface Coverage {
	after: number;
	upTo: number;
}

export const WHOLE_LIST: Coverage = { after: Number.NEGATIVE_INFINITY, upTo: Number.POSITIVE_INFINITY };

/** Where reading a list resumes, as saved: above this Id; null for its start; undefined once all is read. */
export type Position = number | null | undefined;

/** The Id above which to resume. */
export function idBefore(position: Position): number {
	return position ?? WHOLE_LIST.after;
}

/** Where to resume once this part has been read. */
export function positionAfter({ upTo }: Coverage): Position {
	return upTo === WHOLE_LIST.upTo ? undefined : upTo;
}

/** What a trigger saves, as plain JSON. */
export interface TriggerState {
	/** Later events depend on it, so each change is saved together with a batch. */
	kept: object;
	/** A later poll would find it again, so it may be lost. */
	notes: object;
}

/** One poll's working copy of the state. */
export interface PollDraft<Event = unknown, State extends TriggerState = TriggerState> {
	/** Events raised before that could not be handed over yet. */
	readonly backlog: readonly Event[];
	readonly events: readonly Event[];
	/** The state to save, with the events that still wait. */
	toState(backlog: Event[]): State;
}

/** The saved state at the start of a poll. */
export interface PollStart<State> {
	state?: State;
	/** Whether nothing was ever saved. */
	isFirst: boolean;
}
