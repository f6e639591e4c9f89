/** One choice under Trigger On. The panel, the subtitle and the settings follow from these records. */
export interface StationEventRecord {
	/** The entry under Trigger On, its explanation, and the words in the node's subtitle. */
	label: string;
	description: string;
	word: string;
	/** What a poll costs, and the name of the notice that says so. */
	cost: string;
	notice: string;
	/** The names in `event` of what it reports. */
	reports: readonly string[];
	/**
	 * What was already so when the workflow first goes live: reported if the user asks for it with Report Initial State
	 * (`ifAsked`), or never. After a change of settings, what is already so is never reported.
	 */
	baseline: 'ifAsked' | 'never';
	/** Whether reported incidents stay open when settings change, so that their end is reported too. */
	keepsIncidents: boolean;
}

/** The events of this trigger, by the stored value of Trigger On. */
export const STATION_EVENTS = {
	availability: {
		label: 'Station Goes Offline or Comes Back',
		description: 'When a station loses its connection, and when it is back',
		word: 'offline and back',
		cost: 'A poll costs one request while at most 100 stations are offline.',
		notice: 'pollingNotice',
		reports: ['offline', 'backOnline'],
		baseline: 'ifAsked',
		keepsIncidents: true,
	},
	filterMatch: {
		label: 'Station Starts or Stops Matching a Filter',
		description: 'When a station starts or stops matching your conditions',
		word: 'filter match',
		cost: 'A poll costs one request for each 100 stations that match the filter at the moment.',
		notice: 'matchNotice',
		reports: ['startedMatching', 'stoppedMatching'],
		baseline: 'ifAsked',
		keepsIncidents: false,
	},
	statusChange: {
		label: 'Station Status Changes',
		description: 'When the network, administrative or hardware status of a station takes another value',
		word: 'status change',
		cost: 'The first poll reads every station, 100 per request; later polls may do so too. In a large network, poll less often or narrow the filter.',
		notice: 'changeNotice',
		reports: ['statusChanged'],
		baseline: 'ifAsked',
		keepsIncidents: false,
	},
} as const satisfies Record<string, StationEventRecord>;

export type StationChoice = keyof typeof STATION_EVENTS;

export const STATION_CHOICES = Object.keys(STATION_EVENTS) as [StationChoice, ...StationChoice[]];

/** Reported besides, with the option Stations Added or Removed. Nothing of it is so before the first poll. */
export const FLEET_EVENTS = ['added', 'removed'] as const;
