import type { IPollFunctions } from 'n8n-workflow';

import { SECOND_MS } from '../dsquery/values/durations';
import { PlatformError } from '../platform';
import { settle } from '../settle';
import type { TriggerDefinition } from './definition';
import { toOutputItems } from './events/digest';
import { shortHash } from './hash';
import type { TriggerSettings } from './parameters';
import type { Poll } from './poll';
import { IdsRestartedError } from './reading/newRows';
import { isAlertAllowed } from './run/backoff';
import { usualIntervalMs } from './run/memory';
import { type PollOutput, type PollOutcome, runPoll } from './run/pollRunner';
import { eventIdSeed, saveState, loadState, type LoadedState, type TriggerState } from './watch/savedState';
import {
	restoreState,
	resetForNewGeneration,
	evaluateWatches,
	type PollEvaluation,
	type PollReading,
	type EvaluationClock,
} from './watch/evaluate';
import { markUnreadableAlerted } from './watch/coverage';

/** Runs one poll of a trigger, or a manual test. */
export async function runTrigger<Settings extends TriggerSettings, Read extends PollReading>(
	trigger: TriggerDefinition<Settings, Read>,
	context: IPollFunctions,
): Promise<PollOutput> {
	return await runPoll(trigger, context, async (poll) => await pollOnce(trigger, poll));
}

/** One poll: load, read, compare, match, items, hand over, save. */
async function pollOnce<Settings extends TriggerSettings, Read extends PollReading>(
	trigger: TriggerDefinition<Settings, Read>,
	poll: Poll<Settings>,
): Promise<PollOutcome> {
	const { context, memory, settings, began } = poll;
	const stored = context.getWorkflowStaticData('node');
	const { name, id } = context.getNode();
	const polling = { nodeId: id, today: poll.now, names: [...memory.names, name] };
	const about = { ...polling, nodeName: name, now: began, keepsContext: memory.keepsContext === true };
	const loaded = loadState(stored, memory.copy, about);
	const node = { workflowId: context.getWorkflow().id ?? '', id, name };
	const basis = eventIdSeed(loaded, node);
	// What this process remembers may belong to a batch that n8n never saved: then that poll does not count.
	const isFirst = loaded.state === undefined && !loaded.isUnreadable;
	const watches = trigger.watches(poll);

	const begun = restoreState(watches, loaded, { now: poll.now, isFirst, reportsFirst: settings.reportsFirst });
	poll.wasRead = Object.values(begun.watches).some(({ at }) => at > 0);
	const { state, found, begunAgain } = await readOf(trigger, poll, begun);
	const moment: EvaluationClock = {
		now: poll.now,
		usualMs: usualIntervalMs(memory),
		reportsWatching: settings.reportsWatching,
		idOf: (...parts) => shortHash([basis, ...parts]),
		onceIdOf: (...parts) => shortHash([node, state.generation, ...parts]),
	};
	const compared = await compareAndMatch(trigger, poll, found, (each) => evaluateWatches(watches, state, each, moment));
	if (meetsNothing(poll, state)) return { items: null };
	const events = await trigger.items(poll, compared, found);

	// n8n has given it up, and another one may have begun.
	if (poll.isLate) return { items: null, unread: new Map([[trigger.plural, tooLate(trigger.plural, poll)]]) };
	const mustSave = events.length > 0 || compared.isNews || loaded.mustSave;
	// The first poll after a start throws no alert: n8n would give up on the trigger.
	const mayAlert = !memory.isStart && poll.unread.size === 0 && isAlertAllowed(memory.said.get(UNREADABLE), began);
	const unreadable = mayAlert ? unreadableAlert(trigger, compared.overdue) : undefined;
	const after = unreadable ? onceSaid(compared) : compared.state;
	const { epoch, batch, handedOverAt } = mustSave ? saveState(stored, loaded, compared.state, polling) : loaded;
	memory.copy = { epoch, batch, handedOverAt, state: after, nodeName: name };
	logBegin(trigger, context, loaded);
	poll.logNotes();
	return {
		items: mustSave ? [toOutputItems(events, settings, trigger.row)] : null,
		unread: poll.unread,
		alert: begunAgain ?? unreadable,
	};
}

/** Logs why the trigger begins anew, although something is stored. */
function logBegin(
	{ plural }: Pick<TriggerDefinition<never, never>, 'plural'>,
	{ logger }: IPollFunctions,
	{ isUnreadable, isOfAnother }: LoadedState,
): void {
	const from = 'It begins with how things are now.';
	if (isUnreadable) logger.warn(`The saved state of the ${plural} cannot be read. ${from}`);
	if (isOfAnother) logger.warn(`The saved state of the ${plural} is of an earlier node of this name. ${from}`);
}

/**
 * What the trigger has read, and the state to compare it with: nothing is known once the Ids of the list have begun
 * again.
 */
async function readOf<Settings extends TriggerSettings, Read extends PollReading>(
	trigger: TriggerDefinition<Settings, Read>,
	poll: Poll<Settings>,
	begun: TriggerState,
): Promise<{ state: TriggerState; found: Read; begunAgain?: PollOutcome['alert'] }> {
	const found = await settle(trigger.read(poll, begun));
	if (found.ok) return { state: begun, found: found.value };
	if (!(found.error instanceof IdsRestartedError)) throw found.error;
	const state = resetForNewGeneration(begun);
	const begunAgain = { reason: 'ids', error: found.error.alert };
	return { state, found: await trigger.read(poll, state), begunAgain };
}

/** The changes that match the filter. Where it could not be asked, things stay as they were. */
async function compareAndMatch<Settings extends TriggerSettings, Read extends PollReading>(
	trigger: TriggerDefinition<Settings, Read>,
	poll: Poll<Settings>,
	found: Read,
	compareWith: (found: PollReading) => PollEvaluation,
): Promise<PollEvaluation> {
	const all = compareWith(found);
	const match = await trigger.match?.(poll, all.changes, found);
	if (!match) return all;
	const compared = compareWith({ ...found, unmatched: match.unmatched });
	return { ...compared, changes: compared.changes.filter((change) => match.matches(change)) };
}

/** After so many polls in a row, an answer without content counts as an empty list. */
const BLANKS = 3;

/**
 * Whether a first reading got an answer without content. A gateway sends that, too; if it were believed, all rows would
 * be new later.
 */
function meetsNothing({ memory, hasBlankAnswer: hasMetNothing, context }: Poll, { watches }: TriggerState): boolean {
	const isFirst = Object.values(watches).some(({ isBegun }) => !isBegun);
	memory.blanks = isFirst && hasMetNothing ? memory.blanks + 1 : 0;
	if (memory.blanks === 0 || memory.blanks >= BLANKS) return false;
	context.logger.warn(
		'The platform answered with nothing in place of a list, so the trigger begins with a later poll.',
	);
	return true;
}

function onceSaid({ state, overdue }: PollEvaluation): TriggerState {
	return { ...state, coverage: markUnreadableAlerted(state.coverage, overdue) };
}

/** The reason of the failed execution about what could not be read for an hour. */
const UNREADABLE = 'unreadable';

function unreadableAlert(
	{ unreadable }: Pick<TriggerDefinition<never, never>, 'unreadable'>,
	overdue: readonly string[],
): PollOutcome['alert'] {
	if (overdue.length === 0 || !unreadable) return undefined;
	const { counted, first } = unreadable(overdue);
	const description = `The first is ${first}. Nothing is reported about what cannot be read, nothing that is open ends, and this time does not count as watched. Look at what the platform sends with Get of Charging Stations, and tell its support.`;
	const message = `The status of ${counted} cannot be read, for an hour now`;
	return { reason: UNREADABLE, error: new PlatformError('invalid-answer', message, { description }) };
}

/** Says in the log that n8n has given the poll up. */
function tooLate(plural: string, { context, budgetMs }: Poll): PlatformError {
	const message = `A poll took longer than the ${Math.round(budgetMs / SECOND_MS)} seconds that n8n allows`;
	const description =
		'Narrow the filter, so that there is less to read and to compare, or run n8n on a faster machine.';
	context.logger.warn(`${message}, so what it found about ${plural} is left to the next one. ${description}`);
	return new PlatformError('configuration', message, { description });
}
