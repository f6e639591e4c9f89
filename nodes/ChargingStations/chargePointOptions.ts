import countBy from 'lodash/countBy';
import sortBy from 'lodash/sortBy';
import type { ILoadOptionsFunctions } from 'n8n-workflow';

import { parseFieldValue } from '../shared/dsquery/fieldValue';
import { describe, optionsFrom, savedValues, withSaved, type LoadOptions } from '../shared/node/dropdowns/fieldOptions';
import { readSample } from '../shared/node/dropdowns/liveRows';
import { seenFields } from '../shared/node/dropdowns/seenFields';
import { settle } from '../shared/platform';
import type { Connection, Row } from '../shared/platform';
import { STATIONS } from '../shared/resources';
import { entriesOf, valueText } from './chargePointEntries';

/** Stations whose charge points show the fields and values to choose from: each costs a request. */
const STATIONS_SAMPLED = 10;
/** More different values than these are names: they are entered with an expression. */
const MOST_VALUES = 50;

/** The dropdowns of Get Charge Points: the fields of charge points, and the values of the chosen one. */
export const chargePointOptions: Record<string, LoadOptions> = {
	getChargePointFields: optionsFrom(sampleEntries, ({ rows, parameters }) => {
		const fields = seenFields({ noun: 'charge point', fields: [] }, rows).filter(({ type }) => type !== undefined);
		const options = fields.map((field) => ({ name: field.label, value: field.name, description: describe(field) }));
		return [
			{ name: 'None', value: '', description: 'Return all charge points' },
			...withSaved(options, savedValues(parameters, ['chargePointField']), (value) => parseFieldValue(value).name),
		];
	}),
	getChargePointValues: optionsFrom(sampleEntries, ({ rows, parameters }) => {
		const [field = ''] = savedValues(parameters, ['chargePointField']);
		const texts = rows.flatMap((entry) => valueText(entry as Row, field) ?? []);
		const seen = Object.entries(countBy(texts)).slice(0, MOST_VALUES);
		const options = sortBy(seen, ([text]) => text).map(([text, count]) => ({
			name: text,
			value: text,
			description: `${count} of ${rows.length} charge points`,
		}));
		return withSaved(options, savedValues(parameters, ['chargePointValues']), (text) => text);
	}),
};

async function sampleEntries(context: ILoadOptionsFunctions): Promise<Row[]> {
	return await readSample(context, 'charge points', async (connection: Connection) => {
		const pager = { skip: 0, take: STATIONS_SAMPLED };
		const { rows } = await connection.list(STATIONS).page({ sorts: [{ field: 'Id', direction: 'Asc' }], pager });
		const details = await Promise.all(rows.map(async ({ Id: id }) => await settle(connection.getStation(String(id)))));
		const [first] = details;
		if (first?.ok === false && details.every(({ ok }) => !ok)) throw first.error;
		return details.flatMap((detail) => (detail.ok ? entriesOf(detail.value) : []));
	});
}
