import type { PollTrigger } from '../shared/trigger/run';
import { memories } from './memory';
import type { Remembered } from './memory';
import { sampleItems } from './samples';
import { readSettings } from './settings';
import type { SessionSettings } from './settings';
import { rulesOf, watchOnce } from './watch';

/** The trigger that follows charging sessions. */
export const sessionTrigger: PollTrigger<SessionSettings, Remembered> = {
	plural: 'charging sessions',
	memories,
	nothing: () => ({ warned: false }),
	readSettings,
	subjectOf(_, settings, platform) {
		const { place, openConfig, longConfig } = rulesOf(settings, platform);
		return [place, openConfig, longConfig, settings.filter ?? null];
	},
	pollOnce: watchOnce,
	sampleItems,
};
