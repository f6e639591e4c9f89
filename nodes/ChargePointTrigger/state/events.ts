/** One choice under Trigger On. The panel, the subtitle and the settings follow from these records. */
export interface ChargePointEventRecord {
	/** The entry under Trigger On, and its explanation. */
	label: string;
	description: string;
	/** The names in `event` of what it reports. */
	reports: readonly string[];
	/** Whether reported incidents stay open when settings change, so that their end is reported too. */
	keepsIncidents: boolean;
}

/** The events of this trigger, by the stored value of Trigger On. */
export const CHARGE_POINT_EVENTS = {
	outOfOrder: {
		label: 'Charge Point Goes Out of Order or Comes Back',
		description: 'When the status of a charge point takes one of the codes you choose, and when it has another again',
		reports: ['outOfOrder', 'backInOrder'],
		keepsIncidents: true,
	},
	statusChange: {
		label: 'Charge Point Status Changes',
		description: 'When the status of a charge point takes another value',
		reports: ['statusChanged'],
		keepsIncidents: false,
	},
} as const satisfies Record<string, ChargePointEventRecord>;

export type ChargePointChoice = keyof typeof CHARGE_POINT_EVENTS;

export const CHARGE_POINT_CHOICES = Object.keys(CHARGE_POINT_EVENTS) as [ChargePointChoice, ...ChargePointChoice[]];
