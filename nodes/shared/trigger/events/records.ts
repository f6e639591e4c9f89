import uniq from 'lodash/uniq';

import { MINUTE_MS } from '../../dsquery/values/durations';
import { showParameterWhen, type Parameter, type Parameters, type ValuesOf } from '../../parameters/parameter';
import type { StatusValue } from '../../dsquery/listSchema';
import { includesStatus } from '../status';
import type { WatchedValue } from '../watch/alertRule';

/** Longest time, in minutes, that a state may be waited for: a week. */
export const MOST_MINUTES = 10_080;

export interface EventSentenceValues {
	/** What a sentence calls the thing. */
	name: string;
	/** The name of the status, if there are several. */
	field?: string;
	/** The status before and the status now. Undefined if there is none. */
	from?: string;
	to?: string;
	/** "04:46" */
	began: string;
	/** ", for 10 minutes", if it lasts. */
	lasted: string;
	/** "from 04:46 to 05:10, for 24 minutes", if it has ended. */
	ended: string;
	/** "3 outages within 24 hours" */
	times?: string;
	/** It has ended because what it happened to is not there any more. */
	isRemoved: boolean;
}

/** One or two sentences in English about an event. */
export type Sentence = (words: EventSentenceValues) => string;

/** One choice under Trigger On. Panel, settings, items, samples and saved state follow from these records. */
export interface EventRecord<
	P extends Parameters = Parameters,
	Options extends Parameters = Parameters,
	Values = never,
	Rule = unknown,
> {
	label: string;
	description: string;
	/**
	 * The words under the node on the canvas, or the parameter with the changes to report and the words for each. "After" is
	 * completed with the minutes of Alert Only After, or left out.
	 */
	subtitle: string | { parameter: string; words: Readonly<Record<string, string>> };
	/** Its own parameters, and those in Options: shown, and read, when it is chosen. Several events may bring the same. */
	parameters: P;
	options: Options;
	/** The names in `event` of what it reports, each with its sentence. */
	sentences: Readonly<Record<string, Sentence>>;
	rule(values: Partial<ValuesOf<P & Options>> & Values): Rule;
}

/**
 * Makes records of a trigger's events.
 *
 * @typeParam Values what parameters say that every event has
 * @typeParam More what the records of this trigger say besides
 */
export function createEventMaker<Values, Rule, More = unknown>() {
	return <P extends Parameters, Options extends Parameters>(
		record: EventRecord<P, Options, Values, Rule> & More,
	): EventRecord<P, Options, Values, Rule> & More => record;
}

type EventRecords<Part extends string> = Readonly<Record<string, Readonly<Record<Part, Parameters>>>>;
type UnionToIntersection<Union> = (Union extends unknown ? (each: Union) => void : never) extends (
	all: infer Together,
) => void
	? Together
	: never;
type ConditionalParameters<P> = {
	readonly [Name in keyof P]: P[Name] extends Parameter<infer Value, infer Absent>
		? Parameter<Value | undefined, Absent>
		: never;
};

/** The parameters that events bring, each shown for those that bring it. */
export function parametersOfEvents<E extends EventRecords<Part>, Part extends 'parameters' | 'options'>(
	event: 'event' | 'events',
	events: E,
	part: Part,
): ConditionalParameters<UnionToIntersection<E[keyof E][Part]>> {
	const choices = Object.keys(events) as Array<Extract<keyof E, string>>;
	const all = choices.flatMap((choice) => Object.entries(events[choice]?.[part] ?? {}));
	const shown = uniq(all.map(([name]) => name)).map((name) => {
		const parameter = Object.fromEntries(all)[name];
		const bringers = choices.filter((choice) => name in (events[choice]?.[part] ?? {}));
		const other = part === 'options' ? `/${event}` : event;
		return [name, parameter && showParameterWhen(other, bringers, parameter)];
	});
	// Each is of the type that its record says.
	return Object.fromEntries(shown) as ConditionalParameters<UnionToIntersection<E[keyof E][Part]>>;
}

const MINUTES = '$parameter["minutesInState"] > 0 ? " after " + $parameter["minutesInState"] + " min" : ""';

/** What the canvas shows under the node: the words of the chosen event. */
export function subtitleOf(events: Readonly<Record<string, Pick<EventRecord, 'subtitle'>>>): string {
	const words = Object.entries(events).map(([choice, { subtitle }]) => {
		if (typeof subtitle === 'string') return `${choice}: [${JSON.stringify(subtitle)}]`;
		const chosen = `[$parameter[${JSON.stringify(subtitle.parameter)}]].flat()`;
		return `${choice}: ${chosen}.map((change) => (${JSON.stringify(subtitle.words)})[change])`;
	});
	return `={{ ({ ${words.join(', ')} })[$parameter["event"]].join(", ").replaceAll(" after", ${MINUTES}) }}`;
}

/** The sentences of all events, by the name in `event`. */
export function sentencesOf(
	events: Readonly<Record<string, Pick<EventRecord, 'sentences'>>>,
): Record<string, Sentence> {
	return Object.assign({}, ...Object.values(events).map(({ sentences }) => sentences)) as Record<string, Sentence>;
}

/** When a thing counts as in a state, and as out of it. */
export function stateThresholds(
	isIn: (value: WatchedValue) => boolean,
	{ minutesInState, backAfterMinutes = 0 }: { minutesInState: number; backAfterMinutes?: number },
) {
	return { isIn, openAfterMs: minutesInState * MINUTE_MS, closeAfterMs: backAfterMinutes * MINUTE_MS };
}

type StatusCodeSet = ReadonlySet<StatusValue> | undefined;

/** Whether a change leads from a code in `of` to one in `into`. An empty set allows any; a first value comes from none. */
export function isChosenChange(
	of: StatusCodeSet,
	into: StatusCodeSet,
	from: WatchedValue | undefined,
	to: WatchedValue,
): boolean {
	const isChosen = (codes: StatusCodeSet, value: WatchedValue) =>
		!codes?.size || includesStatus(codes, value as StatusValue);
	return isChosen(into, to) && (from === undefined ? !of?.size : isChosen(of, from));
}
