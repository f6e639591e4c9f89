import type { Connection, PlatformError } from '../../shared/platform';
import { isSameRefusal, type ListProbe } from './probeClient';
import { asSpecifiedVerdict, limitsVerdict, cannotTellVerdict, type Verdict } from './findings';
import { describeFailure, failureEvidence } from './failureTexts';

// What the first answers of all lists show: of the account, of the license, and of what can be read.

/** What the answers show of the account. */
export interface AccountAnswers {
	connection: Connection;
	reached: readonly ListProbe[];
	/** Whether the platform accepts it. */
	isAccepted: boolean;
	/** Where that does not show: why not. */
	refusal?: PlatformError;
}

/** @param main lists of which the platform is known to have them */
export function summarizeAccount(
	connection: Connection,
	main: readonly ListProbe[],
	others: readonly ListProbe[],
): AccountAnswers {
	const reached = [...main, ...others];
	const isAccepted = reached.some(showsAccount);
	const refusals = main.flatMap(({ refusal }) => refusal ?? []);
	const refusal = refusals.find(({ transient }) => !transient) ?? refusals[0];
	return { connection, reached, isAccepted, ...(!isAccepted && { refusal }) };
}

/** Only rows, a missing scope or a role show that the platform accepts the account: all else may come from a gateway. */
function showsAccount({ seen, refusal }: ListProbe): boolean {
	if (seen) return !seen.first.isBlank;
	return refusal?.kind === 'scope-missing' || refusal?.kind === 'role-insufficient';
}

/** A refusal of one of these kinds applies to all lists. */
export const OF_ALL = new Set([
	'unauthorized',
	'license-inactive',
	'network-failure',
	'redirected',
	'not-the-platform',
	'rate-limited',
]);

function statusOf({ list, seen, refusal }: ListProbe): string {
	const came = seen?.first.isBlank ? 'no content' : 'rows';
	return `${list.path}: ${refusal ? failureEvidence(refusal) : came}`;
}

/** Whether the platform answers, and accepts the account. Its address is not in it: reports are pasted into issues. */
export function checkAddress({ connection, reached, isAccepted, refusal }: AccountAnswers): Verdict {
	const evidence = reached.map(statusOf).join('; ');
	if (isAccepted)
		return asSpecifiedVerdict(
			`The ${connection.environment} environment answers and accepts the credential.`,
			evidence,
		);
	const open = 'It does not show whether the platform accepts the credential';
	if (!refusal) return cannotTellVerdict(`${open}: answers came without content.`, evidence);
	// Such messages quote nothing.
	const isOfAll = OF_ALL.has(refusal.kind);
	const what = isOfAll && (refusal.status ?? 0) >= 400 ? refusal.message : describeFailure(refusal);
	if (isOfAll) return limitsVerdict(`${what}.`, evidence);
	return (refusal.transient ? cannotTellVerdict : limitsVerdict)(`${open}, as no list can be read: ${what}.`, evidence);
}

export function checkLicense({ reached }: AccountAnswers): Verdict {
	const refusal = reached.find((one) => one.refusal?.kind === 'license-inactive')?.refusal;
	if (refusal) return limitsVerdict(`${refusal.message}. Ask your billing contact.`, `${refusal.status}`);
	if (reached.some(({ seen }) => seen && !seen.first.isBlank))
		return asSpecifiedVerdict('The API license is active.', 'rows came');
	return cannotTellVerdict('No list could be read, so the license does not show.', 'no rows came');
}

export function checkAccess(reached: ListProbe, { connection, isAccepted }: AccountAnswers): Verdict {
	const { list, seen, refusal } = reached;
	const evidence = statusOf(reached);
	if (!refusal) {
		return seen?.first.isBlank
			? cannotTellVerdict(
					`The answer for ${list.plural} has no content, so it does not show whether they can be read.`,
					evidence,
				)
			: asSpecifiedVerdict(`The ${list.plural} can be read.`, evidence);
	}
	// As specified: an endpoint for which it shows no scope takes no keys.
	const isOfKeys = isAccepted && connection.account === 'apiKey' && list.scope === undefined && !refusal.isWebPage;
	if (isOfKeys && (refusal.kind === 'unauthorized' || refusal.kind === 'forbidden')) {
		const why = 'nothing says that they take API keys. A signed-in user may be able to.';
		return asSpecifiedVerdict(`The ${list.plural} cannot be read with this credential: ${why}`, evidence);
	}
	const text = `The ${list.plural} cannot be read: ${describeFailure(refusal)}.`;
	return (refusal.transient ? cannotTellVerdict : limitsVerdict)(text, evidence);
}

/** Lists without a node of their own. */
export interface OtherListProbes {
	reached: ListProbe[];
	/** What comes where there is no list. */
	nowhere: ListProbe;
}

/** Where any path is refused so, it does not show whether there is something behind it. */
const BEFORE_PATHS = new Set([
	'unauthorized',
	'forbidden',
	'scope-missing',
	'role-insufficient',
	'license-inactive',
	'redirected',
]);

/** Lists without a node of their own: which the account can read, and what it lacks for others. */
export function checkOtherLists({ connection }: AccountAnswers, { reached, nowhere }: OtherListProbes): Verdict {
	const evidence = [...reached, nowhere].map(statusOf).join('; ');
	const no = nowhere.refusal;
	if (!no)
		return cannotTellVerdict('The same comes for any path, so it does not show which lists there are.', evidence);
	const isNoList = !no.transient && !BEFORE_PATHS.has(no.kind);
	const isMissing = ({ refusal }: ListProbe) =>
		refusal?.kind === 'not-found' || (isNoList && isSameRefusal(no, refusal));
	const there = reached.filter((one) => !isMissing(one));
	const readable = there.filter(({ seen }) => seen && !seen.first.isBlank).map(({ list }) => list.path);
	const refused = there.flatMap(({ list, refusal }) => {
		const what = refusal && !isSameRefusal(refusal, no) ? whatLacks(refusal, connection) : undefined;
		return what === undefined ? [] : [`${list.path} (${what})`];
	});
	const open = there.length - readable.length - refused.length;
	const parts = [
		readable.length > 0 ? `Can be read, too: ${readable.join(', ')}.` : '',
		refused.length > 0 ? `There are, but cannot be read: ${refused.join(', ')}.` : '',
		open > 0 ? `For ${open} of the usual paths it does not show whether there is a list.` : '',
	];
	const text = parts.filter(Boolean).join(' ') || 'No other list was found under the usual paths.';
	return (open > 0 ? cannotTellVerdict : asSpecifiedVerdict)(
		`${text} To check one, choose it under Lists to Check.`,
		evidence,
	);
}

/** What the account lacks for a list. Undefined where a gateway may have refused it. */
function whatLacks({ kind, scope, isWebPage }: PlatformError, { account }: Connection): string | undefined {
	if (isWebPage) return undefined;
	if (kind === 'scope-missing') return `needs the scope ${(scope ?? 'of its area').slice(0, 60)}`;
	if (kind === 'role-insufficient') return 'needs another role';
	const isOfKey = account === 'apiKey' && (kind === 'unauthorized' || kind === 'forbidden');
	return isOfKey ? 'refuses this API key' : undefined;
}
