import countBy from 'lodash/countBy';

import { codeLabel, plainStatus } from '../../shared/dsquery/catalogue';
import { identityOf } from '../../shared/platform';
import { counted, fine, limited, namesOf, unclear } from './findings';
import type { ListCheck, Verdict } from './findings';
import type { ListProbe } from './listProbe';

const MOST_CODES = 30;

/** The codes of each status, with how many rows have them. */
async function codes(list: ListProbe): Promise<Verdict> {
	const rows = await list.sample();
	if (rows.length === 0) return unclear('The list has no rows to look at.', 'no rows');
	const statuses = list.resource.fields.filter(({ type }) => type === 'code');
	const shown = statuses.map(({ name, codes: known }) => {
		// A status that is no number is counted, but not shown: it could be any text.
		const label = (value: unknown) => {
			const code = plainStatus(value);
			if (typeof code === 'number')
				return codeLabel(known, code) === `Code ${code}` ? `${code}` : `${code} (${codeLabel(known, code)})`;
			return code === null || code === undefined ? 'none' : `a ${typeof code}`;
		};
		const counts = Object.entries(countBy(rows, (row) => label(row[name]))).slice(0, MOST_CODES);
		return {
			name,
			text: `${name}: ${counts.map(([code, count]) => `${code} × ${count}`).join(', ')}`,
			isText: counts.some(([code]) => code.startsWith('a ')),
		};
	});
	const evidence = `in ${counted(rows.length, 'row')}: ${shown.map(({ text }) => text).join('; ')}`;
	const texts = shown.filter(({ isText }) => isText).map(({ name }) => name);
	if (texts.length > 0)
		return limited(
			`${namesOf(texts)} holds no numbers. Type what your rows hold into filters, instead of choosing codes.`,
			evidence,
		);
	return fine('Each status is a number. What the numbers mean: docs/status-codes.md says how to find out.', evidence);
}

/** Which fields the entries of EVSEs have, in the detail of one station. */
async function detail(list: ListProbe): Promise<Verdict> {
	const station = (await list.sample()).find((row) => identityOf(row) !== undefined);
	if (!station) return unclear('There is no station with an Id.', 'not tried');
	const row = await list.station(String(station.Id));
	const name = Object.keys(row).find((each) => each.toLowerCase() === 'evses');
	const evses: unknown = name === undefined ? undefined : row[name];
	const fields = namesOf(Object.keys(row));
	if (!Array.isArray(evses))
		return limited(
			'The detail of a station has no list of EVSEs: alerts about charge points cannot work.',
			`fields: ${fields}`,
		);
	const inside = [
		...new Set(evses.flatMap((evse) => (typeof evse === 'object' && evse !== null ? Object.keys(evse) : []))),
	];
	const evidence = `${counted(evses.length, 'entry').replace('entrys', 'entries')} in EVSEs, with: ${namesOf(inside)}; the station has: ${fields}`;
	if (evses.length === 0) return unclear('This station has no EVSEs to look at.', evidence);
	if (inside.some((each) => each.toLowerCase() === 'status'))
		return fine('Each of the EVSEs has its own status.', evidence);
	return limited('The EVSEs have no field Status. Look for its name in the evidence.', evidence);
}

export const STATION_CHECKS: readonly ListCheck[] = [
	{ name: 'Status codes', mostRequests: 2, find: codes },
	{ name: 'EVSEs', mostRequests: 3, find: detail },
];
