import { REMEMBERED_IDS } from '../shared/trigger/reading/newRows';
import type { Poll } from '../shared/trigger/poll';
import type { Watch } from '../shared/trigger/watch/steps';
import type { Rule } from '../shared/trigger/watch/watch';
import { endEvent, eventsOf, openRules } from './rules';
import type { SessionSettings } from './settings';

/**
 * What the chosen events need: `fresh` tells new sessions from old ones, `open` follows those that are not over, and long
 * sessions and what open ones come into have watches of their own.
 */
export function watchesOf({ connection, settings }: Poll<SessionSettings>): Record<string, Watch> {
	const { overCodes, watchMs, meaning } = settings;
	const place = [connection.baseUrl, connection.environment];
	const [news, ends, long, open] = [
		...[eventsOf(settings, 'new'), eventsOf(settings, 'end'), eventsOf(settings, 'long')],
		openRules(settings),
	] as const;
	const isOpen = [[...overCodes].map(String).sort(), watchMs];
	const about = { place, meaning: null, keepsIncidents: true, filtersEvents: true } as const;
	const watches: Array<[name: string, watch: Watch]> = [];
	const add = (name: string, rule: Rule, own: Partial<Watch> = {}) => watches.push([name, { ...about, rule, ...own }]);
	const follows = ends.length + open.length > 0;
	if (follows || news.length > 0) {
		const isReported = (value: unknown) => news.length > 0 && value === true;
		const rule: Rule = { kind: 'presence', appears: news[0]?.[0], isReported, isReportedAtFirst: true };
		add('fresh', rule, { newest: REMEMBERED_IDS, meaning: news.length > 0, isOnce: true });
	}
	if (follows) {
		const isOver = (code: unknown) => overCodes.has(code as never);
		add('open', { kind: 'end', isOver, ends: (code) => endEvent(settings, code) }, { meaning: isOpen, isOnce: true });
	}
	for (const { watch, rule } of open) add(watch, rule, { meaning });
	for (const [name, { afterMs }] of long) {
		const rule: Rule = { kind: 'presence', appears: name, isReportedAtFirst: true };
		add(name, rule, { meaning: [...isOpen, afterMs, meaning], keepsIncidents: false, filtersEvents: undefined });
	}
	return Object.fromEntries(watches);
}
