import type { StatusValue } from '../shared/dsquery/listSchema';
import { MINUTE_MS } from '../shared/dsquery/values/durations';
import { chargePointValueOptions } from '../shared/list/dropdowns/chargePoints';
import { restartsWatch } from '../shared/parameters/parameter';
import { flag } from '../shared/parameters/simple';
import {
	createEventMaker,
	stateThresholds,
	isChosenChange,
	type Sentence,
	sentencesOf,
} from '../shared/trigger/events/records';
import { statusCodesParameter } from '../shared/trigger/parameters';
import { includesStatus, isNoneAValue } from '../shared/trigger/status';
import type { AlertRuleOf, WatchedValue } from '../shared/trigger/watch/alertRule';

/** What uptime calls a charge point out of order. */
export const CHARGE_POINT_CAUSE = 'chargePoint';

/** What an event of this trigger watches for. */
export interface ChargePointRule {
	rule: AlertRuleOf<'state' | 'values'>;
	/** Whether reported incidents stay open when settings change, so that their end is reported, too. */
	keepsIncidents?: true;
	/** Whether a missing status is a value: see `isNoneAValue`. */
	noneIsValue: boolean;
	/** What uptime calls these incidents; undefined if they are none. */
	cause?: string;
}

interface ChargePointRuleSettings {
	statusField: string;
	minutesInState: number;
}

const event = createEventMaker<ChargePointRuleSettings, ChargePointRule>();

const dependsOn = ['statusField'];

/** The rule of a charge point that is in one of these codes for too long, and then is not. */
function inOneOf(
	codes: ReadonlySet<StatusValue> = new Set(),
	{
		statusField,
		minutesInState,
		opens,
		closes,
		cause,
	}: ChargePointRuleSettings & Record<'opens' | 'closes' | 'cause', string>,
): ChargePointRule {
	const isIn = (value: WatchedValue) => includesStatus(codes, value as StatusValue);
	return {
		rule: { kind: 'state', opens, closes, ...stateThresholds(isIn, { minutesInState }) },
		noneIsValue: isNoneAValue(statusField, codes),
		cause,
		keepsIncidents: true,
	};
}

/** The sentence about the end of an incident. @param what it was in, as part of a sentence */
function isOver(what: string): Sentence {
	return ({ name, ended, isRemoved }) =>
		isRemoved ? `${name} no longer exists. It was ${what} ${ended}.` : `${name} is no longer ${what}. It was ${ended}.`;
}

/** The events of this trigger, by the stored value of Trigger On. */
export const CHARGE_POINT_EVENTS = {
	outOfOrder: event({
		label: 'Charge Point Goes Out of Order or Comes Back',
		description: 'When the status of a charge point takes one of the codes you choose, and when it has another again',
		subtitle: 'out of order after',
		parameters: {
			outOfOrderValues: restartsWatch(
				statusCodesParameter({
					label: 'Out of Order Names or IDs',
					hint: 'A charge point with one of these values is out of order. What a code means is not public: ask the platform.',
					dropdown: { method: 'getOutOfOrderValues', load: chargePointValueOptions('outOfOrderValues', 'statusField') },
					dependsOn,
					whyNone:
						'nothing is chosen. Choose the codes that mean out of order: they are not public, so none is preset.',
				}),
			),
		},
		options: {
			reportWatching: flag({
				label: 'Report Watched Time Hourly',
				description:
					'Whether to also output one item an hour (event: watching) with the time in which all charge points were watched, and which were out of order. Uptime is computed from these and the incidents. They come mixed with the alerts: filter on event. For uptime, leave Alert Only After at 0: it hides shorter incidents.',
				default: true,
			}),
		},
		sentences: {
			outOfOrder: ({ name, to, began, lasted }) =>
				`${name} has been out of order${to === undefined ? '' : ` (${to})`} since ${began}${lasted}.`,
			backInOrder: isOver('out of order'),
		},
		rule: ({ outOfOrderValues, ...settings }) =>
			inOneOf(outOfOrderValues, {
				...settings,
				opens: 'outOfOrder',
				closes: 'backInOrder',
				cause: CHARGE_POINT_CAUSE,
			}),
	}),
	inStatus: event({
		label: 'Charge Point Has a Status for Too Long',
		description:
			'When a charge point has had a status that you choose, such as occupied, for too many minutes, and when that is over',
		subtitle: 'in status after',
		parameters: {
			heldStatuses: restartsWatch(
				statusCodesParameter({
					label: 'Too Long in Status Names or IDs',
					hint: 'A charge point may go from one of these to another: the minutes of Alert Only After go on.',
					dropdown: { method: 'getHeldStatuses', load: chargePointValueOptions('heldStatuses', 'statusField') },
					dependsOn,
					whyNone: 'nothing is chosen. Choose the codes of the status that must not last too long, such as occupied.',
				}),
			),
		},
		options: {},
		sentences: {
			inStatus: ({ name, to = 'not set', began, lasted }) =>
				`${name} has been in one of the chosen statuses (now ${to}) since ${began}${lasted}.`,
			leftStatus: isOver('in one of the chosen statuses'),
		},
		rule: ({ heldStatuses, ...settings }) =>
			inOneOf(heldStatuses, { ...settings, opens: 'inStatus', closes: 'leftStatus', cause: 'inStatus' }),
	}),
	statusChange: event({
		label: 'Charge Point Status Changes',
		description: 'When the status of a charge point takes another value',
		subtitle: 'status after',
		parameters: {
			fromValues: statusCodesParameter({
				label: 'Old Status Names or IDs',
				hint: 'Report only changes that start from one of these values. Without a choice, from any.',
				dropdown: { method: 'getFromValues', load: chargePointValueOptions('fromValues', 'statusField') },
				dependsOn,
			}),
			toValues: statusCodesParameter({
				label: 'New Status Names or IDs',
				hint: 'Report only changes that lead to one of these values. Without a choice, to any.',
				dropdown: { method: 'getToValues', load: chargePointValueOptions('toValues', 'statusField') },
				dependsOn,
			}),
		},
		options: {},
		sentences: {
			statusChanged: ({ name, from, to = 'not set', began }) =>
				from === undefined ? `${name} has the status ${to}.` : `${name} changed from ${from} to ${to} at ${began}.`,
		},
		rule: ({ statusField, fromValues, toValues, minutesInState }) => ({
			rule: {
				kind: 'values',
				changes: 'statusChanged',
				isReported: (_, from, to) => isChosenChange(fromValues, toValues, from, to),
				afterMs: minutesInState * MINUTE_MS,
			},
			noneIsValue: isNoneAValue(statusField, fromValues, toValues),
		}),
	}),
};

export type ChargePointChoice = keyof typeof CHARGE_POINT_EVENTS;

export const SENTENCES = sentencesOf(CHARGE_POINT_EVENTS);
