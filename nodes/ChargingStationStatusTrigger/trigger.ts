import type { PollTrigger } from '../shared/trigger/run';
import { memories } from './memory';
import type { Remembered } from './memory';
import { sampleItems } from './samples';
import { readSettings } from './settings';
import type { TriggerSettings } from './settings';
import { rulesOf, watchOnce } from './watch';

/** The trigger that watches charging stations. */
export const stationTrigger: PollTrigger<TriggerSettings, Remembered> = {
	plural: 'charging stations',
	memories,
	nothing: () => ({ names: new Map() }),
	readSettings,
	subjectOf(context, settings, platform) {
		return [rulesOf(context, settings, platform).config, settings.filter ?? null];
	},
	pollOnce: watchOnce,
	sampleItems,
};
