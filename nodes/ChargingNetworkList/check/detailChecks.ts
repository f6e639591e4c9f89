import isEqual from 'lodash/isEqual';
import isNil from 'lodash/isNil';
import sortBy from 'lodash/sortBy';
import uniq from 'lodash/uniq';

import { type ParsedCsv, readCsv } from '../../shared/csv/read';
import { groupBySession } from '../../shared/csv/sessions';
import { identifyChargePoints, parseChargePoints, chargePointValueText } from '../../shared/list/chargePoints';
import { LongWork } from '../../shared/longWork';
import type { Row } from '../../shared/platform';
import { SESSIONS, STATIONS } from '../../shared/resources';
import { formatCount } from '../../shared/text';
import type { ListSample } from './probeClient';
import { check } from './check';
import { asSpecifiedVerdict, worksAroundVerdict, limitsVerdict, cannotTellVerdict } from './findings';
import { describeFailure, failureEvidence } from './failureTexts';

// Checks of what is asked for beside lists: the detail of a station, and the export of sessions.

export const evses = check<Row>({
	name: 'EVSEs',
	of: STATIONS,
	query: ({ asking, first: { rows } }) => {
		const station = rows.find(({ Id: id }) => !isNil(id));
		return station && asking.connection.getStation(String(station.Id));
	},
	expect({ namesOf, platform }, row) {
		const { entries, unreadable } = parseChargePoints(row);
		const has = `the station has: ${namesOf(Object.keys(row))}`;
		if (unreadable !== undefined) {
			const text = 'The detail of a station has no list of EVSEs: alerts about charge points cannot work.';
			return limitsVerdict(text, `${unreadable}; ${has}`);
		}
		const inside = uniq(entries.flatMap(Object.keys));
		const evidence = `EVSEs: ${entries.length}, with: ${namesOf(inside)}; ${has}`;
		if (entries.length === 0) return cannotTellVerdict('This station has no EVSEs to look at.', evidence);
		const { field } = identifyChargePoints(entries);
		platform.chargePoints = { ids: field ? 'own' : 'none' };
		const without = entries.filter((entry) => chargePointValueText(entry, 'Status') === undefined).length;
		if (!inside.some((name) => name.toLowerCase() === 'status'))
			return limitsVerdict('The EVSEs have no field Status. Look for its name in the evidence.', evidence);
		if (without > 0) {
			const text = `${without} of the ${formatCount(entries.length, 'EVSE')} ${without === 1 ? 'has' : 'have'} no status: alerts and uptime know nothing of it.`;
			return limitsVerdict(text, evidence);
		}
		if (field) return asSpecifiedVerdict(`Each of the EVSEs has its own ${field} and status.`, evidence);
		return worksAroundVerdict(
			'The EVSEs have no Ids of their own: alerts and uptime know each by its place in the list.',
			evidence,
		);
	},
});

/** Neither rising nor falling: an order that platforms do not have by themselves. */
const ORDER = [1, 3, 0, 4, 2];

function idsToExport({ rows }: ListSample): number[] {
	const whole = uniq(rows.map(({ Id: id }) => id)).filter(Number.isSafeInteger) as number[];
	const highest = sortBy(whole).slice(-ORDER.length);
	return ORDER.flatMap((place) => highest[place] ?? []);
}

export const exported = check<ParsedCsv>({
	name: 'Export',
	of: SESSIONS,
	query(list) {
		const wanted = idsToExport(list);
		if (wanted.length === 0) return undefined;
		const read = async (bytes: Buffer) => await readCsv(bytes, new LongWork(), () => '');
		return list.asking.connection.exportSessions(wanted, read);
	},
	async expect(list, file) {
		const { columns, delimiter, lineEnd, hasBom, isClosed } = file;
		list.platform.export = { columns, delimiter, lineEnd, hasBom, isClosed };
		const wanted = idsToExport(list);
		const found = await groupBySession(file, wanted, new LongWork());
		const evidence = `${formatCount(file.records.length, 'record')} for ${formatCount(wanted.length, 'session')}; columns: ${list.namesOf(columns)}`;
		if (file.records.length === 0)
			return worksAroundVerdict('The file has no records. The node asks again in smaller parts.', evidence);
		if (found.withoutId === file.records.length) {
			const text =
				'No column says by its name which session a record is of: the node can only count them, and says so. If one does, enter its name in the option Session ID Column.';
			return limitsVerdict(text, evidence);
		}
		if (found.records.size < wanted.length) {
			const text = 'Sessions are missing in the file. The node asks for them again, and names those that stay missing.';
			return worksAroundVerdict(text, evidence);
		}
		if (found.foreign + found.withoutId > 0)
			return worksAroundVerdict('There are other records than asked for. The node keeps them out.', evidence);
		if (!isEqual([...found.records.keys()], wanted))
			return worksAroundVerdict('Records come in another order than asked for. The node restores it.', evidence);
		if (file.records.length > wanted.length)
			return worksAroundVerdict('Some sessions have several records. The node keeps them all.', evidence);
		// One or two are in order by chance.
		return wanted.length > 2
			? asSpecifiedVerdict('Each session asked for is in the file, once and in order.', evidence)
			: asSpecifiedVerdict('Each session asked for is in the file, once.', evidence);
	},
	refused: (error) => limitsVerdict(`Sessions cannot be exported: ${describeFailure(error)}.`, failureEvidence(error)),
});
