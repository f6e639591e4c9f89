import { networkList, pathOf } from '../../shared/list/networkList';
import type { Connection, PlatformError } from '../../shared/platform';
import { type ListResource, OTHER_LISTS, OWN_LISTS } from '../../shared/resources';
import { Asking, MOST_NAMES, type Reached } from './asking';
import { CHECKS } from './checks';
import { factsOf, type PlatformFacts } from './facts';
import { type Finding, fine, limited, unclear, type Verdict } from './findings';

const PLATFORM = 'platform';

/**
 * Checks the platform with at most 40 requests, one after another.
 *
 * @param only the list to check; without it those with a node of their own, and whether others can be read
 */
export async function checkPlatform(
	connection: Connection,
	only?: ListResource,
): Promise<{ findings: Finding[]; facts: PlatformFacts }> {
	const asking = new Asking(connection);
	const facts: PlatformFacts = { lists: [] };
	const main: Reached[] = [];
	for (const list of only ? [only] : Object.values(OWN_LISTS)) main.push(await asking.reach(list));
	const refusal = refusalOfAll(main);
	const others: Reached[] = [];
	const findings: Finding[] = [];
	if (!refusal) {
		for (const list of only ? [] : OTHER_LISTS) others.push(await asking.reach(networkList(pathOf(list))));
		for (const one of main) findings.push(...(await ofList(asking, one, facts)));
	}
	const all = [
		finding('Address', PLATFORM, address(connection, main)),
		finding('License', PLATFORM, license([...main, ...others])),
		...(others.length > 0 ? [finding('Other lists', PLATFORM, otherLists(others))] : []),
		...findings,
	];
	all.push(finding('What to do', PLATFORM, whatToDo(all, refusal)));
	return { findings: all.map((one) => safe(connection, one, refusal !== undefined)), facts };
}

const finding = (check: string, list: string, verdict: Verdict): Finding => ({ check, list, ...verdict });

/** Everything about one list, as far as it can be read. */
async function ofList(asking: Asking, reached: Reached, platform: PlatformFacts): Promise<Finding[]> {
	const { list } = reached;
	const findings = [finding('Access', list.plural, access(reached))];
	if (!reached.seen) return findings;
	const seen = await asking.seeEnd(reached.seen);
	const facts = factsOf(seen);
	platform.lists.push(facts);
	const namesOf = (names: readonly string[]) => asking.connection.namesOf(names, MOST_NAMES);
	for (const { name, of, find } of CHECKS) {
		if (of && of !== list) continue;
		findings.push(finding(name, list.plural, await find({ ...seen, asking, facts, platform, namesOf })));
	}
	return findings;
}

/** A refusal of one of these kinds applies to all lists. */
const OF_ALL = new Set([
	...['unauthorized', 'license-inactive', 'network-failure', 'redirected', 'not-the-platform', 'rate-limited'],
]);

/** Why no list can be read. Undefined where another one may be. */
function refusalOfAll(reached: readonly Reached[]): PlatformError | undefined {
	const refusals = reached.map(({ refusal }) => refusal);
	return refusals.every((refusal) => refusal && OF_ALL.has(refusal.kind)) ? refusals[0] : undefined;
}

const statusOf = ({ list, refusal }: Reached) => `${list.path}: ${refusal ? (refusal.status ?? refusal.kind) : 'rows'}`;

/** Whether the platform answers, and accepts the account. Its address is not in it: reports are pasted into issues. */
function address({ environment }: Connection, reached: readonly Reached[]): Verdict {
	const evidence = reached.map(statusOf).join('; ');
	const refused = reached.every(({ refusal }) => refusal && OF_ALL.has(refusal.kind)) && reached[0]?.refusal;
	if (refused) return limited(`${refused.message}.`, evidence);
	return fine(`The ${environment} environment answers and accepts the credential.`, evidence);
}

function license(reached: readonly Reached[]): Verdict {
	const refusal = reached.find((one) => one.refusal?.kind === 'license-inactive')?.refusal;
	if (refusal) return limited(`${refusal.message}. Ask your billing contact.`, `${refusal.status}`);
	if (reached.some(({ seen }) => seen)) return fine('The API license is active.', 'rows came');
	return unclear('No list could be read, so the license does not show.', 'no rows came');
}

function access(reached: Reached): Verdict {
	const { list, refusal } = reached;
	const evidence = statusOf(reached);
	if (!refusal) return fine(`The ${list.plural} can be read.`, evidence);
	// As specified: an endpoint for which it shows no scope takes no keys.
	if ((refusal.kind === 'unauthorized' || refusal.kind === 'forbidden') && list.scope === undefined) {
		const why = 'nothing says that they take API keys. A signed-in user may be able to.';
		return fine(`The ${list.plural} cannot be read with this credential: ${why}`, evidence);
	}
	return limited(`The ${list.plural} cannot be read: ${refusal.message}.`, evidence);
}

/** Lists without a node of their own: which the key can read, and what it lacks for others. */
function otherLists(reached: readonly Reached[]): Verdict {
	const readable = reached.filter(({ seen }) => seen).map(({ list }) => list.path);
	const lacking = reached.flatMap(({ list, refusal }) =>
		refusal && refusal.kind !== 'not-found' ? [`${list.path} (${whatLacks(refusal)})`] : [],
	);
	const parts = [
		readable.length > 0 ? `Can be read, too: ${readable.join(', ')}.` : '',
		lacking.length > 0 ? `There are, but cannot be read: ${lacking.join(', ')}.` : '',
	];
	const text = parts.filter(Boolean).join(' ') || 'No other list was found under the usual paths.';
	return fine(`${text} To check one of them, choose it under Lists to Check.`, reached.map(statusOf).join('; '));
}

function whatLacks({ kind, scope, status }: PlatformError): string {
	if (scope !== undefined) return `needs the scope ${scope.slice(0, 60)}`;
	if (kind === 'unauthorized') return 'does not take API keys';
	return kind === 'role-insufficient' ? 'needs another role' : String(status ?? kind);
}

/** What to do about the findings. @param refusal why no list can be read */
function whatToDo(findings: readonly Finding[], refusal: PlatformError | undefined): Verdict {
	const of = (result: Finding['result']) => findings.filter((one) => one.result === result);
	const [limits, open, handled] = [of('limits'), of('cannot tell'), of('works around')];
	const evidence = `${findings.length} findings: ${limits.length} limits, ${handled.length} worked around, ${open.length} unclear`;
	if (refusal) return limited(refusal.description, evidence);
	if (limits.length > 0) {
		const checks = limits.map(({ check, list }) => (list === PLATFORM ? check : `${check} (${list})`)).join(', ');
		const advice = 'For help, set Result to One Report and paste it into an issue.';
		return limited(`Read what these limit: ${checks}. ${advice}`, evidence);
	}
	if (open.length > 0) {
		const text =
			'Nothing needs to be done now. Some checks could not tell, and say why: run them again later, or when there are more rows.';
		return unclear(text, evidence);
	}
	return fine('Nothing needs to be done: your workflows can rely on what was checked.', evidence);
}

/** A finding without secrets and, unless its address is what is wrong, without hosts: reports are for public issues. */
function safe({ withoutSecrets, baseUrl }: Connection, one: Finding, showsHosts: boolean): Finding {
	const { host } = new URL(baseUrl);
	const cleared = (text: string) => {
		const safeText = withoutSecrets(text);
		if (showsHosts) return safeText;
		const elsewhere = safeText.replace(/\bhttps?:\/\/[^\s“”]+/gi, 'another address');
		return /[.:]/.test(host) ? elsewhere.replaceAll(host, 'the platform') : elsewhere;
	};
	return { ...one, text: cleared(one.text), evidence: cleared(one.evidence) };
}
