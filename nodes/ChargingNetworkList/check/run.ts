import { networkList, pathOf } from '../../shared/list/networkList';
import { MINUTE_MS } from '../../shared/dsquery/values/durations';
import { type Connection, isQueryRefused, PlatformError, settle, Turns } from '../../shared/platform';
import { type ListResource, OTHER_LISTS, OWN_LISTS, SESSIONS, STATIONS } from '../../shared/resources';
import { EXPORT_CHECKS } from './exporting';
import { FILTER_CHECKS } from './filters';
import { type Finding, fine, limited, type ListCheck, PLATFORM, unclear, type Verdict } from './findings';
import { Budget, ListProbe, LONGEST_MINUTES, MOST_REQUESTS, RequestsSpent } from './listProbe';
import { PAGING_CHECKS } from './paging';
import * as reaching from './reach';
import type { Reached } from './reach';
import { SHAPE_CHECKS } from './shape';
import { STATION_CHECKS } from './stations';

/** Checks of one list alone. Of those that have some, everything is checked. */
const OWN_CHECKS: Partial<Record<string, readonly ListCheck[]>> = {
	[SESSIONS.path]: EXPORT_CHECKS,
	[STATIONS.path]: STATION_CHECKS,
};

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
	const reach = async (list: ListResource) => await reaching.reach(new ListProbe(list, timed, budget));
	const main: Reached[] = [];
	for (const list of only ? [only] : Object.values(OWN_LISTS)) main.push(await reach(list));
	const refusal = reaching.refusalOfAll(main);
	const others: Reached[] = [];
	const findings: Finding[] = [];
	if (!refusal) {
		const asked = only ? [] : OTHER_LISTS;
		for (const list of asked) others.push(await reach(networkList(pathOf(list))));
		for (const one of main) findings.push(...(await ofList(one, only !== undefined)));
	}
	const all = [...ofPlatform(connection, main, others), ...findings];
	return [...all, whatToDo(all, refusal)].map((finding) => safe(connection, finding, refusal !== undefined));
}

/** A finding without secrets and, unless its address is what is wrong, without hosts: reports are for public issues. */
function safe({ withoutSecrets, baseUrl }: Connection, finding: Finding, showsHosts: boolean): Finding {
	const { host } = new URL(baseUrl);
	const isName = /[.:]/.test(host);
	const cleared = (text: string) => {
		const safeText = withoutSecrets(text);
		if (showsHosts) return safeText;
		const elsewhere = safeText.replace(/\bhttps?:\/\/[^\s“”]+/gi, 'another address');
		return isName ? elsewhere.replaceAll(host, 'the platform') : elsewhere;
	};
	return { ...finding, text: cleared(finding.text), evidence: cleared(finding.evidence) };
}

function ofPlatform(connection: Connection, main: readonly Reached[], others: readonly Reached[]): Finding[] {
	const verdicts: Record<string, Verdict> = {
		Address: reaching.address(connection, main),
		License: reaching.licence([...main, ...others]),
		...(others.length > 0 && { 'Other lists': reaching.otherLists(others) }),
	};
	return Object.entries(verdicts).map(([check, verdict]): Finding => ({ check, list: PLATFORM, ...verdict }));
}

/** Everything about one list, as far as it can be read. */
async function ofList(reached: Reached, isChosen: boolean): Promise<Finding[]> {
	const { list, refusal } = reached;
	const { path, plural } = list.resource;
	const named = (check: string, verdict: Verdict): Finding => ({ check, list: plural, ...verdict });
	const findings = [named('Access', reaching.access(reached))];
	const own = OWN_CHECKS[path];
	const further = own || isChosen ? [...PAGING_CHECKS, ...FILTER_CHECKS, ...(own ?? [])] : [];
	// Checks whose questions are answered already do not wait for anything.
	const turns = new Turns();
	for (const check of refusal ? [] : [...SHAPE_CHECKS, ...further]) {
		if (turns.due) await turns.give();
		list.begin(check.mostRequests);
		const verdict = await verdictOf(check, list);
		const evidence = [list.evidence, verdict.evidence].filter((part) => part !== '').join('; ');
		findings.push(named(check.name, { ...verdict, evidence }));
	}
	return findings;
}

async function verdictOf({ find }: ListCheck, list: ListProbe): Promise<Verdict> {
	const verdict = await settle(find(list));
	if (verdict.ok) return verdict.value;
	const { error } = verdict;
	if (error instanceof RequestsSpent) {
		const most = `all checks together send at most ${MOST_REQUESTS} requests in ${LONGEST_MINUTES} minutes`;
		return unclear(`Not finished: ${most}. Check one list alone.`);
	}
	if (!(error instanceof PlatformError) || error.kind === 'canceled') throw error;
	// What this query was answered says something about the platform only together with others.
	const came = isQueryRefused(error) ? 'The platform refuses what this check asks.' : `${error.message}.`;
	return unclear(came, `${error.status ?? error.kind}`);
}

/** The last finding: what to do about the others. @param refusal why no list can be read */
function whatToDo(findings: readonly Finding[], refusal: PlatformError | undefined): Finding {
	const of = (result: Finding['result']) => findings.filter((finding) => finding.result === result);
	const [limits, open, handled] = [of('limits'), of('cannot tell'), of('works around')];
	const evidence = `${findings.length} findings: ${limits.length} limits, ${handled.length} worked around, ${open.length} unclear`;
	const named = (verdict: Verdict): Finding => ({ check: 'What to do', list: PLATFORM, ...verdict });
	if (refusal) return named(limited(refusal.description, evidence));
	if (limits.length > 0) {
		const checks = limits.map(({ check, list }) => (list === PLATFORM ? check : `${check} (${list})`)).join(', ');
		const advice = 'For help, set Result to One Report and paste it into an issue.';
		return named(limited(`Read what these limit: ${checks}. ${advice}`, evidence));
	}
	if (open.length > 0) {
		const text =
			'Nothing needs to be done now. Some checks could not tell, and say why: run them again later, or when there are more rows.';
		return named(unclear(text, evidence));
	}
	return named(fine('Nothing needs to be done: your workflows can rely on what was checked.', evidence));
}
