import type { Trigger } from '../shared/trigger/trigger';
import { itemsOf, matchSessions } from './items';
import { readSessions, type SessionsFound } from './read';
import { nothingToShow, sampleEvents } from './samples';
import { parameters } from './parameters';
import { readSettings, type SessionSettings } from './settings';
import { watchesOf } from './watches';

export const sessionTrigger: Trigger<SessionSettings, SessionsFound> = {
	plural: 'charging sessions',
	parameters,
	row: 'session',
	readSettings,
	watches: watchesOf,
	read: readSessions,
	match: matchSessions,
	items: itemsOf,
	samples: sampleEvents,
	nothingToShow,
};
