import isNumber from 'lodash/isNumber';
import max from 'lodash/max';

import { and, condition, or } from '../shared/dsquery/compose';
import { HOUR_MS } from '../shared/dsquery/values/durations';
import { type Row, settle } from '../shared/platform';
import { rowId } from '../shared/trigger/keys';
import { liesWithQuery } from '../shared/trigger/reading/lists';
import type { Poll } from '../shared/trigger/poll';
import { positionAfter } from '../shared/trigger/types';
import { countStations, findOut, ofStations, type ReadResult, scanStations, seenIn } from './read';
import type { StationSettings } from './settings';
import type { Draft } from './state/draft';
import { provenGone } from './state/proof';
import { expected, usualCodes } from './state/stations';
import { missingFrom, type Seen } from './state/step';
import type { StationKey } from './state/types';
import type { UsualCodes } from './state/usual';

/** Two counts, and the page that proves that no further unusual stations follow. */
const REQUESTS_OF_A_PROOF = 3;
/** After this many failed proofs in a row, counts are not trusted for an hour. */
const MOST_FAILED_PROOFS = 3;

/**
 * Reads only the stations with an unusual status, if counts prove that all others have the usual ones.
 *
 * @returns undefined if all stations have to be read
 */
export async function readUnusual(poll: Poll<StationSettings>, draft: Draft): Promise<ReadResult | undefined> {
	const { settings, began, context } = poll;
	const { proofs } = ofStations(poll);
	const usual = usualCodes(draft, settings.rule);
	if (!usual || settings.fleet || settings.outOfService.has(null)) return undefined;
	if (draft.list.baseline !== undefined || draft.list.next !== undefined) return undefined;
	if (began < proofs.from || began >= proofs.until) return undefined;
	const pages = (stations: number) => Math.ceil(stations / settings.pageSize);
	const unusual = expected(draft, true).length;
	if (2 * (pages(unusual) + REQUESTS_OF_A_PROOF) > pages(draft.statuses.size)) return undefined;

	for (let attempt = 1; attempt <= 2; attempt++) {
		const reading = await settle(readOthersThan(usual, poll, draft));
		if (reading.ok && reading.value) {
			proofs.failed = 0;
			return reading.value;
		}
		if (reading.ok) continue;
		if (!liesWithQuery(reading.error)) throw reading.error;
		break;
	}
	proofs.failed++;
	if (proofs.failed >= MOST_FAILED_PROOFS) {
		Object.assign(proofs, { from: began + HOUR_MS, failed: 0 });
		context.logger.info(
			'Reading only the unusual charging stations failed three times in a row, so all are read for an hour.',
		);
	}
	return undefined;
}

/** @returns undefined if the counts do not prove that every other station has these codes */
async function readOthersThan(
	usual: UsualCodes,
	poll: Poll<StationSettings>,
	draft: Draft,
): Promise<ReadResult | undefined> {
	const { proofs } = ofStations(poll);
	const { filter, outOfService } = poll.settings;
	const numbers = [...draft.statuses.keys()].map(rowId).filter(isNumber);
	const unusual = or(
		...usual.map(([dimension, code]) => condition(dimension, 'Neq', String(code))),
		...[...outOfService].map((code) => condition('Status', 'Eq', String(code))),
		// New stations, which mostly have higher Ids.
		...(numbers.length > 0 ? [condition('Id', 'Gt', String(max(numbers)))] : []),
	);
	const found = await poll.require(scanStations(poll, draft.list, { filter, narrowing: unusual }));
	const rows = new Map<StationKey, Row>();
	const stations = seenIn(poll, draft, found.rows, rows, true);
	const seen: Seen = { stations, coverage: found.coverage, withoutUsual: true };
	const missing = missingFrom(draft, seen);
	const whereabouts = await findOut(poll, draft, missing, rows, seen);
	if (positionAfter(found.coverage) !== undefined || !missing.every((station) => whereabouts.has(station))) {
		return undefined;
	}
	const atUsual = usual.map(([dimension, code]) => condition(dimension, 'Eq', String(code)));
	const counted = await countStations(poll, filter);
	const countedAtUsual = await countStations(poll, and(filter, ...atUsual));
	const gone = provenGone(draft, usual, { rows, whereabouts, counted, countedAtUsual }, proofs.gone);
	if (gone === undefined) return undefined;
	proofs.gone = gone;
	return { seen, whereabouts, rows };
}
