import countBy from 'lodash/countBy';
import isNil from 'lodash/isNil';
import uniq from 'lodash/uniq';

import { codeLabel, plainStatus } from '../../shared/dsquery/catalogue';
import type { KnownField } from '../../shared/dsquery/types';
import { chargePointIds, chargePointsOf } from '../../shared/list/chargePoints';
import { identityOf } from '../../shared/platform';
import { fine, handled, limited, type ListCheck, unclear, type Verdict } from './findings';
import type { ListProbe } from './listProbe';

const MOST_CODES = 30;

/** A status as the evidence shows it. One that is no code is not shown: it could be any text. */
function shownCode(status: unknown, known: KnownField['codes']): string {
	const code = plainStatus(status);
	if (isNil(code)) return 'none';
	const isCode = Number.isSafeInteger(code) || (typeof code === 'string' && /^\d{1,3}$/.test(code));
	if (!isCode) return `${NO_CODE} (${typeof code})`;
	const label = codeLabel(known, Number(code));
	return label === `Code ${Number(code)}` ? String(code) : `${String(code)} (${label})`;
}

const NO_CODE = 'no code';

/** The codes of each status, with how many rows have them. */
async function codes(list: ListProbe): Promise<Verdict> {
	const rows = await list.sample();
	if (rows.length === 0) return unclear('The list has no rows to look at.');
	const statuses = list.resource.fields.filter(({ type }) => type === 'code');
	const shown = statuses.map(({ name, codes: known }) => {
		const counts = Object.entries(countBy(rows, (row) => shownCode(row[name], known))).slice(0, MOST_CODES);
		return { name, counts };
	});
	const listed = shown.map(({ name, counts }) => `${name}: ${counts.map((one) => one.join(' × ')).join(', ')}`);
	const evidence = listed.join('; ');
	const odd = shown.filter(({ counts }) => counts.some(([code]) => code.startsWith(NO_CODE))).map(({ name }) => name);
	if (odd.length > 0) {
		const advice = 'Type what your rows hold into filters, instead of choosing codes.';
		return limited(`${list.namesOf(odd)} holds something other than codes. ${advice}`, evidence);
	}
	return fine('Each status is a code. What the codes mean: docs/status-codes.md says how to find out.', evidence);
}

/** Which fields the entries of EVSEs have, in the detail of one station. */
async function detail(list: ListProbe): Promise<Verdict> {
	const station = (await list.sample()).find((row) => identityOf(row) !== undefined);
	if (!station) return unclear('There is no station with an Id.');
	const row = await list.station(String(station.Id));
	const { entries, unreadable } = chargePointsOf(row);
	const fields = list.namesOf(Object.keys(row));
	if (unreadable !== undefined)
		return limited(
			'The detail of a station has no list of EVSEs: alerts about charge points cannot work.',
			`${unreadable}; fields: ${fields}`,
		);
	const inside = uniq(entries.flatMap(Object.keys));
	const evidence = `EVSEs: ${entries.length}, with: ${list.namesOf(inside)}; the station has: ${fields}`;
	if (entries.length === 0) return unclear('This station has no EVSEs to look at.', evidence);
	if (!inside.some((each) => each.toLowerCase() === 'status')) {
		return limited('The EVSEs have no field Status. Look for its name in the evidence.', evidence);
	}
	if (!chargePointIds(entries).areOwn) {
		const text = 'The EVSEs have no Ids of their own: alerts and uptime know each by its place in the list.';
		return handled(text, evidence);
	}
	return fine('Each of the EVSEs has its own Id and status.', evidence);
}

export const STATION_CHECKS: readonly ListCheck[] = [
	{ name: 'Status codes', mostRequests: 2, find: codes },
	{ name: 'EVSEs', mostRequests: 3, find: detail },
];
