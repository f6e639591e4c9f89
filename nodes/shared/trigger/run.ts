import type { IPollFunctions } from 'n8n-workflow';

import { toNodeError } from '../operation/nodeError';
import { engineOf, enter } from './engines';
import { type EventJson, toItems } from './items';
import { handedOver, isOvertaken, succeeded } from './memory';
import { hurried } from './outage';
import type { Poll } from './poll';
import type { PollSettings } from './parameters';
import { hasState, StateFile } from './stateFile';
import type { PollDraft, PollStart, TriggerState } from './types';
import { type Items, noteSilence, visit, Visit, type Visited } from './visit';

type EventOf<Draft extends PollDraft> = Draft['events'][number];
type StateOf<Draft extends PollDraft> = ReturnType<Draft['toState']>;

/** What is handed over now, and the events that wait for the next poll. */
export interface HandOver<Event> {
	ready: EventJson[];
	waiting: Event[];
}

/**
 * What one trigger adds to the skeleton: the steps of a poll, in their order, and what a manual test shows.
 *
 * @typeParam Found what a poll has read
 */
export interface PollTrigger<Settings extends PollSettings, Draft extends PollDraft, Found> extends Visited<Settings> {
	/** Makes the working copy of the state, adapted to the settings. */
	begin(poll: Poll<Settings>, start: PollStart<StateOf<Draft>>): Draft & PollDraft<EventOf<Draft>, StateOf<Draft>>;
	/** Asks the platform. Nothing is concluded yet. */
	read(poll: Poll<Settings>, draft: Draft): Promise<Found>;
	/** Turns what was read into events and changes of the draft. */
	compare(poll: Poll<Settings>, draft: Draft, found: Found): void;
	/** Completes each event for output. Events that cannot be completed yet may wait. */
	handOver(
		poll: Poll<Settings>,
		events: ReadonlyArray<EventOf<Draft>>,
		found: Found,
	): HandOver<EventOf<Draft>> | Promise<HandOver<EventOf<Draft>>>;
}

/** Runs one poll of a trigger in any of n8n's engines, or a manual test. */
export async function runPoll<Settings extends PollSettings, Draft extends PollDraft, Found>(
	trigger: PollTrigger<Settings, Draft, Found>,
	context: IPollFunctions,
): Promise<Items> {
	return await visit(trigger, context, async (memory, began) => {
		const stored = context.getWorkflowStaticData('node');
		const engine = engineOf(context);
		const { isFirst, isReactivated } = enter(memory, context, engine);
		// Other engines continue with the state in memory, and an activation expects an answer.
		if (engine.isScheduled && isOvertaken(memory, stored)) {
			context.logger.debug(`n8n has not saved the last poll of the ${trigger.plural} yet, so this one is left out.`);
			return null;
		}
		if (isReactivated && memory.outage) memory.outage = hurried(memory.outage, began);
		const standing = { hasState: hasState(stored, memory), isActivation: isFirst || isReactivated };
		return await new Visit(trigger, context, memory, began, standing).run(async (poll) => {
			const { epoch, batch } = stored;
			const items = await pollOnce(trigger, poll, engine.savesWithoutBatch);
			// n8n discards the items of a poll that took longer.
			if (items && !poll.isLate) handedOver(memory, { epoch, batch });
			return { items };
		});
	});
}

/** One poll. @returns null if nothing must be saved; an empty batch if only the state must */
async function pollOnce<Settings extends PollSettings, Draft extends PollDraft, Found>(
	trigger: PollTrigger<Settings, Draft, Found>,
	poll: Poll<Settings>,
	savesWithoutBatch: boolean,
): Promise<Items> {
	const { context, connection, memory, settings, began } = poll;
	const file = fileOf<StateOf<Draft>>(poll, savesWithoutBatch);
	const draft = trigger.begin(poll, file);
	const found = await trigger.read(poll, draft);
	trigger.compare(poll, draft, found);
	const events = [...draft.backlog, ...draft.events];
	const { ready, waiting } = await trigger.handOver(poll, events, found);

	// It took too long, and another one has begun.
	if (memory.running?.since !== began) return null;
	const { nothingRead } = poll;
	const blind =
		nothingRead && noteSilence(memory, began, { plural: trigger.plural, zone: poll.zone, reason: nothingRead });
	// n8n saves the state together with the batch. Without a batch, it may keep or lose what is written.
	const hasNews = draft.events.length > 0 || ready.length > 0 || blind !== undefined;
	const mustSave = file.save(draft.toState(waiting), hasNews);
	succeeded(memory);
	if (!nothingRead) memory.silence = undefined;
	report(trigger.plural, poll, file.isUnreadable, waiting.length);
	if (blind) context.__emitError(toNodeError(context.getNode(), connection.safeError(blind)));
	return mustSave ? [toItems(ready, settings.output)] : null;
}

function fileOf<State extends TriggerState>({ context, memory }: Poll, savesWithoutBatch: boolean): StateFile<State> {
	return new StateFile<State>(context.getWorkflowStaticData('node'), memory, context.getNode(), savesWithoutBatch);
}

/** Says in the log what is to be said of a poll that succeeded. */
function report(plural: string, poll: Poll, isUnreadable: boolean, waiting: number): void {
	const { context, connection } = poll;
	const { logger } = context;
	if (waiting > 0) logger.info(`${waiting} events about ${plural} wait for the next poll.`);
	if (isUnreadable) {
		logger.warn(`The saved state of the ${plural} cannot be read. It begins again with how things are now.`);
	}
	for (const note of connection.notes) poll.warnOnce(note);
}
