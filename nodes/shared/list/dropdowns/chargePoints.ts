import mapValues from 'lodash/mapValues';
import sortBy from 'lodash/sortBy';
import uniq from 'lodash/uniq';
import type { ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';

import { unwrapStatus } from '../../dsquery/listSchema';
import { parseFieldChoice } from '../../dsquery/fieldChoice';
import type { Connection, Row } from '../../platform';
import { settle } from '../../settle';
import { STATIONS } from '../../resources';
import { parseChargePoints, chargePointValueText } from '../chargePoints';
import { type LoadOptions } from '../../parameters/dropdown';
import { describeField, createLoadOptions, savedValues, appendSaved } from './fieldOptions';
import { readSampleRows } from './liveRows';
import { inferFields } from './sampleFields';

/** Stations whose charge points show the fields and values to choose from: each costs a request. */
const STATIONS_SAMPLED = 10;
/** More different values than these are names: they are entered with an expression. */
const MOST_VALUES = 50;

/**
 * A dropdown of the fields that live charge points have.
 *
 * @param parameter the parameter with the field
 * @param first an entry before all others, if any
 */
export function chargePointFieldOptions(parameter: string, ...first: INodePropertyOptions[]): LoadOptions {
	return createLoadOptions(sampleEntries, ({ rows, parameters }) => {
		// A code may come with its name, in an object.
		const plain = rows.map((row) => mapValues(row, (value) => unwrapStatus(value) ?? value));
		const fields = inferFields({ noun: 'charge point', fields: [] }, plain, true).filter(
			({ type }) => type !== undefined,
		);
		const options = fields.map((field) => ({
			name: field.label,
			value: field.name,
			description: describeField(field),
		}));
		return [
			...first,
			...appendSaved(options, savedValues(parameters, [parameter]), (value) => parseFieldChoice(value).name),
		];
	});
}

/** A dropdown of the values that live charge points have in the field that is chosen in `fieldParameter`. */
export function chargePointValueOptions(parameter: string, fieldParameter: string): LoadOptions {
	return createLoadOptions(sampleEntries, ({ rows, parameters }) => {
		const [field = ''] = savedValues(parameters, [fieldParameter]);
		const texts = rows.flatMap((entry) => chargePointValueText(entry as Row, field) ?? []);
		const options = sortBy(uniq(texts).slice(0, MOST_VALUES)).map((text) => ({ name: text, value: text }));
		return appendSaved(options, savedValues(parameters, [parameter]), (text) => text);
	});
}

async function sampleEntries(context: ILoadOptionsFunctions): Promise<Row[]> {
	return await readSampleRows(context, 'charge points', async (connection: Connection) => {
		const pager = { skip: 0, take: STATIONS_SAMPLED };
		const { rows } = await connection.list(STATIONS).page({ sorts: [{ field: 'Id', direction: 'Asc' }], pager });
		const details = await Promise.all(
			rows.map(async ({ Id: id }) => await settle(connection.getStation(String(id ?? '')))),
		);
		const [first] = details;
		if (first?.ok === false && details.every(({ ok }) => !ok)) throw first.error;
		return details.flatMap((detail) => (detail.ok ? parseChargePoints(detail.value).entries : []));
	});
}
