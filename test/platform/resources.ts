import { likeFields } from './like.ts';
import { STATUS_CODES } from './seed.ts';
import type { Behaviour, ListName } from './types.ts';

export type FieldType = 'integer' | 'number' | 'code' | 'date' | 'text' | 'boolean';

/** One property of a resource. `sql` is the value that is compared, sorted and (unless `json` is given) sent. */
export interface Field {
	name: string;
	type: FieldType;
	sql: string;
	/** SQL of the JSON value, if SQLite's own differs from the wire format. */
	json?: string;
	/** Left out of the row if it has no value. */
	omitNull?: boolean;
	/** The names of codes. */
	names?: Readonly<Record<string, number>>;
}

export interface Resource {
	table: ListName;
	/** What refusals call an object of the list. */
	typeName: string;
	fields: Field[];
	idPrefix: string | undefined;
	/** The name of a field in the row. */
	spelling: (name: string) => string;
	omitsEmpty: boolean;
	codes: Behaviour['lists']['codes'];
}

const textId = (prefix: string, column: string, digits: number) =>
	digits > 0 ? `printf('${prefix}%0${digits}d', ${column})` : `('${prefix}' || ${column})`;

function idField(name: string, column: string, prefix: string | undefined, digits: number): Field {
	return prefix === undefined
		? { name, type: 'integer', sql: column }
		: { name, type: 'text', sql: textId(prefix, column, digits) };
}

/** The id field of a list. */
export const rowIdField = (name: string, prefix: string | undefined, { textIdDigits }: Behaviour): Field =>
	idField(name, 'Id', prefix, textIdDigits);

/** How rows are written, the same for every list. */
export const writing = ({ lists }: Behaviour) => ({
	spelling: (name: string) => (lists.names === 'camel' ? camelCase(name) : name),
	omitsEmpty: lists.emptyProperties === 'omitted',
	codes: lists.codes,
});

export const camelCase = (name: string) => name.charAt(0).toLowerCase() + name.slice(1);

export const number = (name: string): Field => ({ name, type: 'number', sql: name });
export const integer = (name: string): Field => ({ name, type: 'integer', sql: name });
export const text = (name: string): Field => ({ name, type: 'text', sql: name });
const code = (name: string, names: Field['names']): Field => ({ name, type: 'code', sql: name, names });
/** A status of a station. A text in its column is JSON: an empty text, a list or an object instead of a code. */
const oddCode = (name: string, names: Field['names']): Field => ({
	...code(name, names),
	json: `json(CASE WHEN ${name} IS NULL THEN 'null' ELSE CAST(${name} AS TEXT) END)`,
});
export const boolean = (name: string): Field => ({
	name,
	type: 'boolean',
	sql: name,
	json: `json(CASE ${name} WHEN 0 THEN 'false' WHEN 1 THEN 'true' ELSE 'null' END)`,
});

/** The fraction is derived from the row's id and never .000: it stays the same without rewriting rows. */
export const date = (name: string, fractions: boolean): Field => ({
	name,
	type: 'date',
	sql: fractions
		? `(CASE WHEN length(${name}) = 19 THEN ${name} || printf('.%03d', (Id * 7919) % 999 + 1) ELSE ${name} END)`
		: name,
});

const prefixOf = (idType: Behaviour['idType'], prefix: string) =>
	({ integer: undefined, text: prefix, digits: '' })[idType];
const stationPrefix = ({ stationIdType, idType }: Behaviour) => prefixOf(stationIdType ?? idType, 'sta-');

export function sessionsResource(behaviour: Behaviour): Resource {
	const { textIdDigits, timestampFractions } = behaviour;
	const idPrefix = prefixOf(behaviour.idType, 'ses-');
	const fields = [
		rowIdField('Id', idPrefix, behaviour),
		code('Status', STATUS_CODES.session),
		number('EnergyConsumed'),
		date('StartedAtUtc', timestampFractions),
	];
	if (behaviour.sessionFields === 'rich') {
		fields.push(
			date('EndedAtUtc', timestampFractions),
			idField('StationId', 'StationId', stationPrefix(behaviour), textIdDigits),
			text('StationName'),
			integer('ConnectorNumber'),
			text('UserName'),
			number('Price'),
			text('Currency'),
			boolean('IsRoaming'),
			text('Note'),
		);
	}
	return {
		table: 'sessions',
		typeName: 'ChargingSession',
		fields: likeFields(fields, behaviour.fields?.sessions),
		idPrefix,
		...writing(behaviour),
	};
}

export function stationsResource(behaviour: Behaviour): Resource {
	const idPrefix = stationPrefix(behaviour);
	const fields = [
		rowIdField('Id', idPrefix, behaviour),
		text('Name'),
		oddCode('NetworkStatus', STATUS_CODES.network),
		oddCode('Status', STATUS_CODES.station),
		{ ...oddCode('HardwareStatus', STATUS_CODES.hardware), omitNull: behaviour.missingHardwareStatus === 'omitted' },
	];
	if (behaviour.stationFields === 'rich') {
		fields.push(text('LocationName'), date('LastHeartbeatAtUtc', behaviour.timestampFractions));
	}
	return {
		table: 'stations',
		typeName: 'ChargingStation',
		fields: likeFields(fields, behaviour.fields?.stations),
		idPrefix,
		...writing(behaviour),
	};
}

/** The station as its detail shows it: the list's fields and the three groups that only the detail has. */
export function stationDetailResource(behaviour: Behaviour): Resource {
	const resource = stationsResource(behaviour);
	const group = (name: string): Field => ({ name, type: 'text', sql: name, json: `json(${name})` });
	resource.fields.push(
		{ ...group('EVSEs'), json: chargePointsSql(behaviour) },
		group('Firmware'),
		group('Connectivity'),
	);
	return resource;
}

/** SQL that writes the entries of EVSEs. */
function chargePointsSql({ chargePoints: { ids, status } }: Behaviour): string {
	if (ids === 'own' && status === 'code') return 'json(EVSEs)';
	const code = "json_extract(value, '$.Status')";
	const name = nameSql(code, STATUS_CODES.hardware);
	const written = { code, name, object: `json_object('Id', ${code}, 'Name', ${name})` }[status];
	const entry = `json_set(value, '$.Status', ${written})`;
	const known = {
		own: entry,
		none: `json_remove(${entry}, '$.Id', '$.EvseId')`,
		large: `json_set(${entry}, '$.Id', json_extract(value, '$.Id') + ${2 ** 53})`,
	}[ids];
	return `(SELECT json_group_array(json(${known})) FROM (SELECT value FROM json_each(EVSEs) ORDER BY key))`;
}

/** SQL that writes a code as its name. */
function nameSql(code: string, names: Readonly<Record<string, number>>): string {
	const cases = Object.entries(names).map(([name, value]) => `WHEN ${value} THEN '${pascalCase(name)}'`);
	return `CASE ${code} ${cases.join(' ')} ELSE ${code} END`;
}

/** SQL that writes a code of a row in the form that is asked for. */
function codeSql({ sql, names = {} }: Field, form: Exclude<Resource['codes'], 'number'>): string {
	if (form === 'text') return `CAST(${sql} AS TEXT)`;
	if (form === 'name') return nameSql(sql, names);
	return `json(CASE WHEN ${sql} IS NULL THEN 'null' ELSE json_object('Id', ${sql}, 'Name', ${nameSql(sql, names)}) END)`;
}

const pascalCase = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);

export function locationsResource(behaviour: Behaviour): Resource {
	const { idName, textIds } = behaviour.locations;
	const idPrefix = textIds ? 'loc-' : undefined;
	const id = idName === undefined ? [] : [rowIdField(idName, idPrefix, behaviour)];
	const fields = [...id, text('Name'), text('City'), text('Country'), number('Latitude'), number('Longitude')];
	return {
		table: 'locations',
		typeName: 'Location',
		fields: likeFields(fields, behaviour.fields?.locations),
		idPrefix,
		...writing(behaviour),
	};
}

/** SQL that writes one row as a JSON object: SQLite keeps every digit of integers above 2^53. */
export function rowJsonSql(resource: Resource): string {
	const { spelling, omitsEmpty, codes } = resource;
	const asSent = (field: Field) => {
		const { type, sql, json } = field;
		if (type === 'code' && codes !== 'number') return codeSql(field, codes);
		return json ?? sql;
	};
	const object = (fields: Field[]) => {
		const json = fields.map((field) => `'${spelling(field.name)}', ${asSent(field)}`).join(', ');
		// A merge patch drops nulls.
		return omitsEmpty ? `json_patch('{}', json_object(${json}))` : `json_object(${json})`;
	};
	const optional = resource.fields.find(({ omitNull }) => omitNull);
	if (!optional) return object(resource.fields);
	const shorter = resource.fields.filter((field) => field !== optional);
	return `CASE WHEN ${optional.sql} IS NULL THEN ${object(shorter)} ELSE ${object(resource.fields)} END`;
}

/** The row id of an id on the wire; undefined if no row can have it. */
export function rowId(resource: Resource, id: string, behaviour: Behaviour): bigint | undefined {
	const { idPrefix } = resource;
	if (idPrefix !== undefined && !id.startsWith(idPrefix)) return undefined;
	const digits = idPrefix === undefined ? id : id.slice(idPrefix.length);
	if (!/^-?\d{1,19}$/.test(digits)) return undefined;
	const row = BigInt(digits);
	if (BigInt.asIntN(64, row) !== row) return undefined;
	const written = idPrefix === undefined ? String(row) : String(row).padStart(behaviour.textIdDigits, '0');
	return written === digits ? row : undefined;
}
