/** One choice under Trigger On. The panel, the subtitle and the settings follow from these records. */
export interface StationEventRecord {
	/** The entry under Trigger On, and its explanation. */
	label: string;
	description: string;
	/** What its notice about Poll Times adds. */
	advice: string;
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
		advice: '',
		reports: ['offline', 'backOnline'],
		baseline: 'ifAsked',
		keepsIncidents: true,
	},
	filterMatch: {
		label: 'Station Starts or Stops Matching a Filter',
		description: 'When a station starts or stops matching your conditions',
		advice: 'If hundreds of stations match at the same time, poll less often.',
		reports: ['startedMatching', 'stoppedMatching'],
		baseline: 'ifAsked',
		keepsIncidents: false,
	},
	statusChange: {
		label: 'Station Status Changes',
		description: 'When the network, administrative or hardware status of a station takes another value',
		advice: 'In a network of thousands of stations, poll less often or narrow the filter.',
		reports: ['statusChanged'],
		baseline: 'ifAsked',
		keepsIncidents: false,
	},
} as const satisfies Record<string, StationEventRecord>;

export type StationChoice = keyof typeof STATION_EVENTS;

export const STATION_CHOICES = Object.keys(STATION_EVENTS) as [StationChoice, ...StationChoice[]];

/** Reported besides, with the option Stations Added or Removed. Nothing of it is so before the first poll. */
export const FLEET_EVENTS = ['added', 'removed'] as const;
