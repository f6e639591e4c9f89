import { MINUTE_MS } from '../../shared/dsquery/values/durations';
import { isQueryRefused, PlatformError, settle, Turns } from '../../shared/platform';
import type { Connection } from '../../shared/platform';
import { OTHER_LISTS, OWN_LISTS, SESSIONS, STATIONS } from '../../shared/resources';
import type { ListResource } from '../../shared/resources';
import { networkList, pathOf } from '../../shared/node/networkList';
import { EXPORT_CHECKS } from './exporting';
import { FILTER_CHECKS } from './filters';
import { fine, limited, PLATFORM, unclear } from './findings';
import type { Finding, ListCheck, Verdict } from './findings';
import { Budget, ListProbe, LONGEST_MINUTES, MOST_REQUESTS, RequestsSpent } from './listProbe';
import { PAGING_CHECKS } from './paging';
import * as reaching from './reach';
import type { Reached } from './reach';
import { SHAPE_CHECKS } from './shape';
import { STATION_CHECKS } from './stations';

/** Of these lists, everything is checked. */
const WHOLLY: readonly ListResource[] = [SESSIONS, STATIONS];
/** A refusal of one of these kinds applies to all lists. */
const OF_ALL = new Set([
	'unauthorized',
	'license-inactive',
	'network-failure',
	'redirected',
	'not-the-platform',
	'rate-limited',
]);

/** The checks of a list, in their order. */
export function checksOf({ path }: ListResource): ListCheck[] {
	const own = { [SESSIONS.path]: EXPORT_CHECKS, [STATIONS.path]: STATION_CHECKS }[path] ?? [];
	return [...SHAPE_CHECKS, ...PAGING_CHECKS, ...FILTER_CHECKS, ...own];
}

/**
 * Checks the platform with at most 60 requests, one after another, in at most five minutes.
 *
 * @param only the list to check; all that can be read when left out: then everything of sessions and stations, of
 * locations the shape, and of others whether they can be read
 */
export async function checkPlatform(connection: Connection, only?: ListResource): Promise<Finding[]> {
	const ending = AbortSignal.timeout(LONGEST_MINUTES * MINUTE_MS);
	const timed = connection.until(ending);
	const budget = new Budget(timed, ending);
	const probe = (list: ListResource) => new ListProbe(list, timed, budget);
	const main: Reached[] = [];
	for (const list of only ? [only] : Object.values(OWN_LISTS)) main.push(await reaching.reach(probe(list)));
	const isReached = main.some(
		({ refusal }) => !refusal || (refusal !== reaching.NOT_ASKED && !OF_ALL.has(refusal.kind)),
	);
	const others: Reached[] = [];
	if (!only && isReached) {
		const asked = OTHER_LISTS.filter(({ isChecked }) => isChecked);
		for (const list of asked) others.push(await reaching.reach(probe(networkList(pathOf(list)))));
	}
	const findings: Finding[] = [];
	for (const one of isReached ? main : []) findings.push(...(await ofList(one, only !== undefined)));
	const all = withAdvice([...(await ofPlatform(connection, main, others)), ...findings]);
	return all.map((finding) => safe(connection, finding, isReached));
}

/** A finding without secrets and, unless its address is what is wrong, without hosts: reports are for public issues. */
function safe({ withoutSecrets, baseUrl }: Connection, finding: Finding, isReached: boolean): Finding {
	const { host } = new URL(baseUrl);
	const isName = /[.:]/.test(host);
	const cleared = (text: string) => {
		const safeText = withoutSecrets(text);
		if (!isReached) return safeText;
		const elsewhere = safeText.replace(/\bhttps?:\/\/[^\s“”]+/gi, 'another address');
		return isName ? elsewhere.replaceAll(host, 'the platform') : elsewhere;
	};
	return { ...finding, text: cleared(finding.text), evidence: cleared(finding.evidence) };
}

async function ofPlatform(connection: Connection, main: readonly Reached[], others: readonly Reached[]) {
	const facts = (await Promise.all(main.map(async ({ list }) => await settle(list.first())))).flatMap((look) =>
		look.ok ? [look.value.facts] : [],
	);
	const all = [...main, ...others];
	const verdicts: Array<[string, Verdict]> = [
		['Address', reaching.address(connection, main)],
		['License', reaching.licence(all)],
		['Clock', reaching.clock(connection)],
		['Rate limit', reaching.rateLimit(connection, all, [...new Set(facts.flatMap((each) => each.rateLimitHeaders))])],
		['Compression', reaching.compression(facts.find((each) => each.isCompressed !== undefined)?.isCompressed)],
		...(others.length > 0 ? [['Other lists', reaching.otherLists(others)] as [string, Verdict]] : []),
	];
	return verdicts.map(([check, verdict]): Finding => ({ check, list: PLATFORM, ...verdict }));
}

/** Everything about one list, as far as it can be read. */
async function ofList(reached: Reached, isChosen: boolean): Promise<Finding[]> {
	const { list, refusal } = reached;
	const { resource } = list;
	const named = (check: string, verdict: Verdict): Finding => ({ check, list: resource.plural, ...verdict });
	const findings = [named('Access', reaching.access(reached))];
	if (refusal) return findings;
	const isWhole = isChosen || WHOLLY.includes(resource);
	// Checks whose questions are answered already do not wait for anything.
	const turns = new Turns();
	for (const check of isWhole ? checksOf(resource) : SHAPE_CHECKS) {
		if (turns.due) await turns.give();
		findings.push(named(check.name, await verdictOf(check, list)));
	}
	return findings;
}

async function verdictOf({ find, mostRequests }: ListCheck, list: ListProbe): Promise<Verdict> {
	list.begin(mostRequests);
	const verdict = await settle(find(list));
	if (verdict.ok) return verdict.value;
	const { error } = verdict;
	if (error instanceof RequestsSpent) {
		return unclear(
			`Not finished: all checks together send at most ${MOST_REQUESTS} requests in ${LONGEST_MINUTES} minutes. Check one list alone.`,
			'no more requests or time',
		);
	}
	if (!(error instanceof PlatformError) || error.kind === 'canceled') throw error;
	// What this query was answered says something about the platform only together with others.
	const came = isQueryRefused(error) ? 'The platform refuses what this check asks.' : `${error.message}.`;
	return unclear(came, `${error.status ?? error.kind}`);
}

/** The findings, and one more that says what to do. */
function withAdvice(findings: readonly Finding[]): Finding[] {
	const of = (result: Finding['result']) => findings.filter((finding) => finding.result === result);
	const [limits, open, handled] = [of('limits'), of('cannot tell'), of('works around')];
	const places = limits.map(({ check, list }) => (list === PLATFORM ? check : `${check} (${list})`)).join(', ');
	const evidence = `${findings.length} findings: ${limits.length} limits, ${handled.length} worked around, ${open.length} unclear`;
	const verdict =
		limits.length > 0
			? limited(
					`Read what these limit: ${places}. For help, set Result to One Report and paste it into an issue.`,
					evidence,
				)
			: open.length > 0
				? unclear(
						'Nothing needs to be done now. Some checks could not tell, and say why: run them again later, or when there are more rows.',
						evidence,
					)
				: fine('Nothing needs to be done: your workflows can rely on what was checked.', evidence);
	return [...findings, { check: 'What to do', list: PLATFORM, ...verdict }];
}
