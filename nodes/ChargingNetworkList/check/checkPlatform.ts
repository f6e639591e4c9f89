import type { INodeProperties } from 'n8n-workflow';

import { networkListProperty, readNetworkList } from '../../shared/node/networkList';
import type { Operation } from '../../shared/node/operation';
import { optionsProperty } from '../../shared/node/form/listParameters';
import { Parameters } from '../../shared/node/parameters';
import { LOCATIONS, SESSIONS, STATIONS } from '../../shared/resources';
import type { ListResource } from '../../shared/resources';
import type { Row } from '../../shared/platform';
import { reportOf } from './report';
import { checkPlatform } from './run';

const LISTS = ['all', 'sessions', 'stations', 'locations', 'other'] as const;
const RESULTS = ['itemPerFinding', 'oneReport'] as const;
const KNOWN = [SESSIONS, STATIONS, LOCATIONS];

const properties: INodeProperties[] = [
	{
		displayName: 'Lists to Check',
		name: 'checkedLists',
		type: 'options',
		options: [
			{
				name: 'All That Can Be Read',
				value: 'all',
				description: 'Sessions and stations wholly, locations in part, and whether other lists can be read',
			},
			{ name: 'Another List', value: 'other' },
			{ name: 'Charging Sessions', value: 'sessions' },
			{ name: 'Charging Stations', value: 'stations' },
			{ name: 'Locations', value: 'locations' },
		],
		default: 'all',
		description:
			'What to find out about. It sends at most 60 requests in five minutes, one after another, and changes nothing.',
	},
	{ ...networkListProperty, displayOptions: { show: { checkedLists: ['other'] } } },
	{
		displayName: 'Result',
		name: 'result',
		type: 'options',
		options: [
			{ name: 'One Item per Finding', value: 'itemPerFinding' },
			{
				name: 'One Report',
				value: 'oneReport',
				description: 'A text to paste into an issue. It holds no value of a row, no name and no key.',
			},
		],
		default: 'itemPerFinding',
	},
	optionsProperty({ paging: false }),
];

/** Check Platform: what this platform does where the specification is silent, and what that means for workflows. */
export const checkPlatformOperation: Operation = {
	name: 'Check Platform',
	value: 'checkPlatform',
	action: 'Check platform',
	description: 'Find out what your platform does, without changing anything, and what that means for your workflows',
	properties,
	prepare(context, itemIndex) {
		const parameters = Parameters.ofItem(context, itemIndex, properties);
		const list = readList(parameters);
		const result = parameters.choice('result', RESULTS);
		const platformOptions = parameters.platformOptions();
		parameters.check();
		return {
			key: JSON.stringify({ path: list?.path, result, platformOptions }),
			platformOptions,
			async run(connection) {
				const findings = await checkPlatform(connection, list);
				const rows: Row[] =
					result === 'oneReport' ? [{ report: reportOf(findings) }] : findings.map((one) => ({ ...one }));
				return { pages: [rows], hints: [] };
			},
		};
	},
};

/** The list to check. Undefined for all. */
function readList(parameters: Parameters): ListResource | undefined {
	switch (parameters.choice('checkedLists', LISTS)) {
		case 'all':
			return undefined;
		case 'sessions':
			return SESSIONS;
		case 'stations':
			return STATIONS;
		case 'locations':
			return LOCATIONS;
		case 'other': {
			const list = readNetworkList(parameters);
			return KNOWN.find(({ path }) => path === list.path) ?? list;
		}
	}
}
