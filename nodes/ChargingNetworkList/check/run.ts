import upperFirst from 'lodash/upperFirst';

import { networkList, otherListPath } from '../../shared/list/networkList';
import type { Connection } from '../../shared/platform';
import { type ListResource, OTHER_LISTS, OWN_LISTS } from '../../shared/resources';
import {
	checkAccess,
	type AccountAnswers,
	summarizeAccount,
	checkAddress,
	checkLicense,
	OF_ALL,
	type OtherListProbes,
	checkOtherLists,
} from './access';
import { ProbeClient, MOST_NAMES, type ListProbe } from './probeClient';
import { CHECKS } from './checks';
import { factsOf, type PlatformFacts } from './facts';
import { type CheckFinding, asSpecifiedVerdict, limitsVerdict, cannotTellVerdict, type Verdict } from './findings';

const PLATFORM = 'platform';

/** A path that no platform has: what likely paths answer says something only where it is another answer. */
const NOWHERE = '/api/no-such-list-anywhere/v1';

/**
 * Checks the platform with at most 40 requests, one after another.
 *
 * @param only the list to check; without it those with a node of their own, and whether others can be read
 */
export async function checkPlatform(
	connection: Connection,
	only?: ListResource,
): Promise<{ findings: CheckFinding[]; facts: PlatformFacts }> {
	const asking = new ProbeClient(connection);
	const facts: PlatformFacts = { lists: [] };
	const main: ListProbe[] = [];
	for (const list of only ? [only] : Object.values(OWN_LISTS)) main.push(await asking.reach(list));
	const isRefused = main.every(({ refusal }) => refusal && OF_ALL.has(refusal.kind));
	const checked: CheckFinding[][] = [];
	if (!isRefused) for (const one of main) checked.push(await ofList(asking, one, facts));
	// Last, as it says the least where no more requests are left.
	const others = isRefused || only ? undefined : await reachOthers(asking);
	const account = summarizeAccount(connection, main, others?.reached ?? []);
	const all = [
		finding('Address', PLATFORM, checkAddress(account)),
		finding('License', PLATFORM, checkLicense(account)),
		...(others ? [finding('Other lists', PLATFORM, checkOtherLists(account, others))] : []),
		...checked.flatMap((findings, place) => {
			const one = main[place] as ListProbe;
			return [finding(ACCESS, one.list.plural, checkAccess(one, account)), ...findings];
		}),
	];
	all.push(finding('What to do', PLATFORM, whatToDo(all, account)));
	return { findings: all.map((one) => safe(connection, one, isRefused)), facts };
}

/** The check of whether a list can be read. */
const ACCESS = 'Access';

const finding = (check: string, list: string, verdict: Verdict): CheckFinding => ({ check, list, ...verdict });

/** Everything about one list that can be read. */
async function ofList(
	asking: ProbeClient,
	{ list, seen }: ListProbe,
	platform: PlatformFacts,
): Promise<CheckFinding[]> {
	if (!seen) return [];
	const whole = await asking.seeEnd(seen);
	const facts = factsOf(whole);
	platform.lists.push(facts);
	const namesOf = (names: readonly string[]) => asking.connection.namesOf(names, MOST_NAMES);
	const findings: CheckFinding[] = [];
	for (const { name, of, find } of CHECKS) {
		if (of && of !== list) continue;
		findings.push(finding(name, list.plural, await find({ ...whole, asking, facts, platform, namesOf })));
	}
	return findings;
}

async function reachOthers(asking: ProbeClient): Promise<OtherListProbes> {
	const nowhere = await asking.reach(networkList(NOWHERE));
	const reached: ListProbe[] = [];
	for (const list of OTHER_LISTS) reached.push(await asking.reach(networkList(otherListPath(list)), nowhere));
	return { reached, nowhere };
}

/** What to do about the findings. */
function whatToDo(findings: readonly CheckFinding[], { refusal }: AccountAnswers): Verdict {
	const of = (result: CheckFinding['result']) => findings.filter((one) => one.result === result);
	const [limits, open, handled] = [of('limits'), of('cannot tell'), of('works around')];
	const evidence = `${findings.length} findings: ${limits.length} limits, ${handled.length} worked around, ${open.length} unclear`;
	const isOfAccount = refusal && (OF_ALL.has(refusal.kind) || refusal.kind === 'forbidden');
	if (isOfAccount) return limitsVerdict(refusal.advice, evidence);
	if (limits.length > 0) {
		const checks = limits.map(({ check, list }) => (list === PLATFORM ? check : `${check} (${list})`)).join(', ');
		const advice = 'For help, set Result to One Report and paste it into an issue.';
		return limitsVerdict(`Read what these limit: ${checks}. ${advice}`, evidence);
	}
	if (open.some(({ check }) => check === ACCESS)) {
		const text =
			'Not all lists could be read, so little could be checked. Run Check Platform again once the platform answers.';
		return cannotTellVerdict(text, evidence);
	}
	if (open.length > 0) {
		const text =
			'Nothing needs to be done now. Some checks could not tell, and say why: run them again later, or when there are more rows.';
		return cannotTellVerdict(text, evidence);
	}
	return asSpecifiedVerdict('Nothing needs to be done: your workflows can rely on what was checked.', evidence);
}

/** A finding without secrets and, unless its address is what is wrong, without hosts: reports are for public issues. */
function safe({ withoutSecrets, baseUrl }: Connection, one: CheckFinding, showsHosts: boolean): CheckFinding {
	const { host } = new URL(baseUrl);
	const cleared = (text: string) => {
		const safeText = withoutSecrets(text);
		if (showsHosts) return safeText;
		const own = safeText.replaceAll(baseUrl, 'the base URL');
		const withoutUrls = own.replace(/\bhttps?:\/\/[^\s“”]+/gi, 'another address');
		return /[.:]/.test(host) ? withoutUrls.replaceAll(host, 'the base URL') : withoutUrls;
	};
	return { ...one, text: upperFirst(cleared(one.text)), evidence: cleared(one.evidence) };
}
