import { operation } from '../../shared/operation/operation';
import { chosenList } from '../../shared/list/chosenList';
import { options, timeoutOptions } from '../../shared/parameters/options';
import { showParameterWhen } from '../../shared/parameters/parameter';
import { oneOf } from '../../shared/parameters/simple';
import type { Row } from '../../shared/platform';
import { type ListResource, OWN_LISTS } from '../../shared/resources';
import { reportOf } from './report';
import { checkPlatform } from './run';

const checkedLists = oneOf({
	label: 'Lists to Check',
	description: 'What to find out about. It sends at most 40 requests, one after another, and changes nothing.',
	choices: [
		{
			name: 'All That Can Be Read',
			value: 'all',
			description: 'Sessions, stations and locations, and which other lists can be read',
		},
		{ name: 'Another List', value: 'other' },
		{ name: 'Charging Sessions', value: 'sessions' },
		{ name: 'Charging Stations', value: 'stations' },
		{ name: 'Locations', value: 'locations' },
	],
	default: 'all',
});

/** Check Platform: what this platform does where the specification is silent, and what that means for workflows. */
export const checkPlatformOperation = operation({
	name: 'Check Platform',
	value: 'checkPlatform',
	action: 'Check platform',
	description: 'Find out what your platform does, without changing anything, and what that means for your workflows',
	parameters: {
		checkedLists,
		list: showParameterWhen('checkedLists', ['other'], chosenList),
		result: oneOf({
			label: 'Result',
			choices: [
				{ name: 'One Item per Finding', value: 'itemPerFinding' },
				{
					name: 'One Report',
					value: 'oneReport',
					description:
						'A text to paste into an issue. Of your rows it holds names of fields, counts and status codes: no other value, no name and no key.',
				},
			],
			default: 'itemPerFinding',
		}),
		options: options(timeoutOptions),
	},
	async run({ checkedLists: which, list, result }, { connection }) {
		const { findings, facts } = await checkPlatform(connection, listOf(which, list));
		const rows: Row[] =
			result === 'oneReport'
				? [{ report: connection.withoutSecrets(reportOf(findings, facts)) }]
				: findings.map((one) => ({ ...one }));
		return { pages: [rows], notes: [] };
	},
});

/** The list to check. Undefined for all. */
function listOf(
	which: 'all' | 'other' | keyof typeof OWN_LISTS,
	typed: ListResource | undefined,
): ListResource | undefined {
	if (which === 'all') return undefined;
	if (which !== 'other') return OWN_LISTS[which];
	return Object.values(OWN_LISTS).find(({ path }) => path === typed?.path) ?? typed;
}
