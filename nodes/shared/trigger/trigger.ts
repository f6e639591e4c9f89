import type { IPollFunctions } from 'n8n-workflow';

import { SECOND_MS } from '../dsquery/values/durations';
import { PlatformError } from '../platform';
import { shortHash } from './hash';
import { toItems } from './events/digest';
import { type NodeMemory, succeeded, usualDistanceMs } from './visit/memory';
import type { Poll } from './poll';
import type { PollSettings } from './parameters';
import { basisOf, handOver, hasState, load, type Loaded } from './watch/saved';
import { begin, compare, type Compared, type Found, type Watch } from './watch/steps';
import { type Items, noteSilence, type Outcome, visit, Visit, type Visited } from './visit/visit';

/** What one trigger adds: its query, what it watches, and its words. */
export interface Trigger<Settings extends PollSettings, Read extends Found> extends Visited<Settings> {
	watches(poll: Poll<Settings>): Readonly<Record<string, Watch>>;
	/** Asks the platform. Nothing is concluded yet. */
	read(poll: Poll<Settings>, state: ReturnType<typeof begin>): Promise<Read>;
	/** The items about what happened, in its order. */
	items(poll: Poll<Settings>, compared: Compared, found: Read): Promise<Parameters<typeof toItems>[0]>;
	/** What failed executions call what cannot be read for an hour: "2 stations", and the first of them. */
	unreadable?(keys: readonly string[]): { counted: string; first: string };
}

/** Runs one poll of a trigger, or a manual test. */
export async function runTrigger<Settings extends PollSettings, Read extends Found>(
	trigger: Trigger<Settings, Read>,
	context: IPollFunctions,
): Promise<Items> {
	return await visit(trigger, context, async (memory, began) => {
		const isActivation = beginsWith(context, memory);
		const standing = { hasState: hasState(context.getWorkflowStaticData('node'), memory.copy), isActivation };
		const around = new Visit(trigger, context, memory, began, standing);
		return await around.run(
			async (poll) => leftToSay(memory, isActivation) ?? (await pollOnce(trigger, poll, !isActivation)),
		);
	});
}

/** What the last poll could not say. The first one after a start does not: n8n would give the trigger up. */
function leftToSay(memory: NodeMemory, isActivation: boolean): Outcome | undefined {
	const { unsaid: alert } = memory;
	if (!alert || isActivation) return undefined;
	memory.unsaid = undefined;
	return { items: null, alert };
}

/** One poll: load, read, compare, hand over, save. @returns also what must be said in a failed execution */
async function pollOnce<Settings extends PollSettings, Read extends Found>(
	trigger: Trigger<Settings, Read>,
	poll: Poll<Settings>,
	mayAlert: boolean,
): Promise<Outcome> {
	const { context, memory, settings, began } = poll;
	const stored = context.getWorkflowStaticData('node');
	const { name, id } = context.getNode();
	const loaded = load(stored, memory.copy, { nodeName: name, now: began, keepsContext: memory.keepsContext === true });
	const basis = basisOf(loaded, { workflowId: context.getWorkflow().id ?? '', id, name });
	// What this process remembers may be of a batch that n8n never saved: then it is as if that poll had not been.
	const isFirst = loaded.state === undefined && !loaded.isUnreadable;
	const watches = trigger.watches(poll);

	const state = begin(watches, loaded, { now: poll.now, isFirst, reportsFirst: settings.reportsFirst });
	const found = await trigger.read(poll, state);
	const compared = compare(watches, state, found, {
		...{ now: poll.now, usualMs: usualDistanceMs(memory), reportsWatching: settings.reportsWatching },
		idOf: (...parts) => shortHash([basis, ...parts]),
	});
	const events = await trigger.items(poll, compared, found);

	// It hung, and another one has begun.
	if (memory.running?.since !== began) return { items: null };
	if (poll.isLate) return { items: null, alert: tooLate(trigger.plural, poll, !mayAlert) };
	const mustSave = events.length > 0 || compared.isNews || loaded.mustSave;
	const { alert, state: after } = alertOf(trigger, poll, compared, mayAlert);
	const handed = mustSave ? { ...handOver(stored, loaded, compared.state), handedOverAt: performance.now() } : loaded;
	const { epoch, batch, handedOverAt } = handed;
	memory.copy = { epoch, batch, handedOverAt, state: after, nodeName: name };
	succeeded(memory);
	report(trigger.plural, poll, loaded);
	if (!mustSave) return { items: null, alert };
	// A poll gives a batch or a failed execution. So the next one says it before it asks anything: what nobody saw is not lost.
	memory.unsaid ??= alert;
	return { items: [toItems(events, settings)] };
}

/** What must be said in a failed execution, although the poll succeeds; and the state once it is said. */
function alertOf<Settings extends PollSettings, Read extends Found>(
	{ plural, unreadable }: Trigger<Settings, Read>,
	{ nothingRead: reason, memory, began, zone }: Poll<Settings>,
	{ state, overdue, said }: Compared,
	mayAlert: boolean,
): { alert?: PlatformError; state: Compared['state'] } {
	if (reason) return { alert: noteSilence(memory, began, { plural, zone, reason }, !mayAlert), state };
	if (!mayAlert || overdue.length === 0 || !unreadable) return { state };
	const { counted, first } = unreadable(overdue);
	const description = `The first is ${first}. Nothing is reported about what cannot be read, nothing that is open ends, and this time does not count as watched. Look at what the platform sends with Get of Charging Stations, and tell its support.`;
	const message = `The status of ${counted} cannot be read, for an hour now`;
	return { alert: new PlatformError('invalid-answer', message, { description }), state: said() };
}

/** Says that n8n has given the poll up: in the log, and in a failed execution if that goes on. */
function tooLate(plural: string, poll: Poll, isQuiet: boolean): PlatformError | undefined {
	const { context, memory, began, zone, budgetMs } = poll;
	const message = `A poll took longer than the ${Math.round(budgetMs / SECOND_MS)} seconds that n8n allows`;
	const description =
		'Narrow the filter, so that there is less to read and to compare, or run n8n on a faster machine.';
	context.logger.warn(`${message}, so what it found about ${plural} is left to the next one. ${description}`);
	const reason = new PlatformError('configuration', message, { description });
	return noteSilence(memory, began, { plural, zone, reason }, isQuiet);
}

/** Says in the log what is to be said of a poll that succeeded. */
function report(plural: string, poll: Poll, { isUnreadable }: Loaded): void {
	const { context, connection, memory } = poll;
	if (!poll.nothingRead) memory.silence = undefined;
	if (isUnreadable) {
		context.logger.warn(`The saved state of the ${plural} cannot be read. It begins again with how things are now.`);
	}
	for (const note of connection.notes) poll.warnOnce(note);
}

const polledWith = new WeakSet<IPollFunctions>();

/** Whether a poll is the first after a start. n8n's default engine keeps one context from then on; others never do. */
function beginsWith(context: IPollFunctions, memory: NodeMemory): boolean {
	const isFresh = !polledWith.has(context);
	polledWith.add(context);
	if (!isFresh) memory.keepsContext = true;
	const isFirst = memory.polls++ === 0;
	return isFirst || (isFresh && memory.keepsContext === true);
}
