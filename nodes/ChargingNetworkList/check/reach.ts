import { type Connection, isQueryRefused, PlatformError, settle } from '../../shared/platform';
import { fine, handled, limited, unclear, type Verdict } from './findings';
import { type ListProbe, RequestsSpent } from './listProbe';

/** What came when a list was first asked for. */
export interface Reached {
	list: ListProbe;
	/** Undefined if its rows can be read. */
	refusal?: PlatformError;
	/** The first answer had no rows, though there are some. */
	wasEmpty?: boolean;
}

/** What stands for a refusal of a list that was left out. */
const NOT_ASKED = new PlatformError('server-failure', 'No more requests, or no more time, were left to ask for it', {
	description: 'Check one list alone, or run the check again later.',
});
/** A refusal of one of these kinds applies to all lists. */
const OF_ALL = new Set([
	'unauthorized',
	'license-inactive',
	'network-failure',
	'redirected',
	'not-the-platform',
	'rate-limited',
]);

/** Asks for the first page of a list. An empty answer may be a passing one, so it is asked for once more. */
export async function reach(list: ListProbe): Promise<Reached> {
	list.begin(1);
	let answer = await settle(list.first());
	if (!answer.ok && isQueryRefused(answer.error)) answer = await settle(list.firstAgain({ isById: false }));
	const wasEmpty = answer.ok && answer.value.came === 0;
	if (wasEmpty) answer = await settle(list.firstAgain());
	if (answer.ok) return { list, wasEmpty: wasEmpty && answer.value.came > 0 };
	if (answer.error instanceof RequestsSpent) return { list, refusal: NOT_ASKED };
	if (!(answer.error instanceof PlatformError) || answer.error.kind === 'canceled') throw answer.error;
	return { list, refusal: answer.error };
}

/** Why no list can be read: a refusal that applies to all. Undefined where another one may be read. */
export function refusalOfAll(reached: readonly Reached[]): PlatformError | undefined {
	const refusals = reached.flatMap(({ refusal }) =>
		refusal && (refusal === NOT_ASKED || OF_ALL.has(refusal.kind)) ? [refusal] : [],
	);
	return refusals.length === reached.length ? refusals[0] : undefined;
}

const ANSWERED_KINDS = ['scope-missing', 'role-insufficient', 'forbidden', 'not-found'];
const statusOf = ({ list, refusal }: Reached) =>
	`${list.resource.path}: ${refusal ? (refusal.status ?? refusal.kind) : 'rows'}`;

/** Whether the platform answers, and accepts the account. Its address is not in it: reports are pasted into issues. */
export function address({ environment }: Connection, reached: readonly Reached[]): Verdict {
	const evidence = reached.map(statusOf).join('; ');
	const isAccepted = reached.some(({ refusal }) => !refusal || ANSWERED_KINDS.includes(refusal.kind));
	const [first] = reached;
	if (!isAccepted && first?.refusal) return limited(`${first.refusal.message}.`, evidence);
	return fine(`The ${environment} environment answers and accepts the credential.`, evidence);
}

export function licence(reached: readonly Reached[]): Verdict {
	const refusal = reached.find((one) => one.refusal?.kind === 'license-inactive')?.refusal;
	if (refusal) return limited(`${refusal.message}. Ask your billing contact.`, `${refusal.status}`);
	if (reached.some((one) => !one.refusal)) return fine('The API license is active.', 'rows came');
	return unclear('No list could be read, so the license does not show.', 'no rows came');
}

/** Whether a list can be read. */
export function access(one: Reached): Verdict {
	const { refusal, wasEmpty } = one;
	const { plural, scope } = one.list.resource;
	const evidence = statusOf(one);
	if (wasEmpty) {
		const text = 'The first answer had no rows though there are some. The nodes ask again where the count says so.';
		return handled(text, `${evidence}, after an answer without any`);
	}
	if (!refusal) return fine(`The ${plural} can be read.`, evidence);
	// As specified: an endpoint for which it shows no scope takes no keys.
	if ((refusal.kind === 'unauthorized' || refusal.kind === 'forbidden') && scope === undefined) {
		const why = 'nothing says that they take API keys. A signed-in user may be able to.';
		return fine(`The ${plural} cannot be read with this credential: ${why}`, evidence);
	}
	return limited(`The ${plural} cannot be read: ${refusal.message}.`, evidence);
}

/** What a key needs to read a list that refuses it. Undefined if the platform does not say. */
function whatLacks({ kind, scope }: PlatformError): string | undefined {
	if (scope !== undefined) return `needs the scope ${scope.slice(0, 60)}`;
	if (kind === 'unauthorized') return 'does not take API keys';
	return kind === 'role-insufficient' ? 'needs another role' : undefined;
}

/** Lists without a node of their own: which the key can read, and what it lacks for others. */
export function otherLists(reached: readonly Reached[]): Verdict {
	const pathsOf = (kind: 'readable' | 'lacking') =>
		reached.flatMap(({ list: { resource }, refusal }) => {
			if (refusal?.kind === 'not-found' || (kind === 'readable') === (refusal !== undefined)) return [];
			return refusal ? `${resource.path} (${whatLacks(refusal) ?? refusal.status ?? refusal.kind})` : resource.path;
		});
	const [readable, lacking] = [pathsOf('readable').join(', '), pathsOf('lacking').join(', ')];
	const parts = [
		...(readable ? [`Can be read, too: ${readable}.`] : []),
		...(lacking ? [`There are, but cannot be read: ${lacking}.`] : []),
	];
	const text = parts.join(' ') || 'No other list was found under the usual paths.';
	return fine(`${text} To check one of them, choose it under Lists to Check.`, reached.map(statusOf).join('; '));
}
