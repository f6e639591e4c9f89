import type { Behaviour } from './behaviour.ts';
import type { IdKind } from './types.ts';

/** Codes of statuses. Specified are only finished (4), failed (6) and online (1); the rest is made up. */
export const STATUS_CODES = {
	session: { active: 1, suspended: 2, finished: 4, expired: 5, failed: 6 },
	network: { online: 1, offline: 2, degraded: 3 },
	station: { inService: 1, outOfService: 2, planned: 3 },
	hardware: { available: 1, charging: 2, faulted: 3 },
} as const;

type Codes = Readonly<Record<string, number>>;
/** `list` and `object` are JSON, and in the detail of a station only. */
type FieldType = 'integer' | 'number' | 'code' | 'date' | 'text' | 'boolean' | 'list' | 'object';

interface Table {
	/** What the gateway calls the area; the path is `/api/{area}/v1`. */
	area: string;
	/** The list refuses API keys with 401. */
	refusesKeys?: true;
	/** The fields beside Id, with their types, or the codes of a status. */
	fields: Record<string, FieldType | Codes>;
}

/**
 * The specification shows path and fields of the first two lists, and the path of the third. What it does not show is
 * invented; nodes/ must not rely on it.
 */
const LISTS = {
	sessions: {
		area: 'charging-sessions',
		fields: {
			Status: STATUS_CODES.session,
			EnergyConsumed: 'number',
			StartedAtUtc: 'date',
			EndedAtUtc: 'date',
			StationId: 'integer',
			StationName: 'text',
			ConnectorNumber: 'integer',
			UserName: 'text',
			Price: 'number',
			Currency: 'text',
			IsRoaming: 'boolean',
			Note: 'text',
		},
	},
	stations: {
		area: 'charging-stations',
		fields: {
			Name: 'text',
			NetworkStatus: STATUS_CODES.network,
			Status: STATUS_CODES.station,
			HardwareStatus: STATUS_CODES.hardware,
			LocationName: 'text',
			LastHeartbeatAtUtc: 'date',
			EVSEs: 'list',
			Firmware: 'object',
			Connectivity: 'object',
		},
	},
	locations: {
		area: 'locations',
		fields: { Name: 'text', City: 'text', Country: 'text', Latitude: 'number', Longitude: 'number' },
	},
	tariffs: {
		area: 'tariffs',
		fields: {
			Name: 'text',
			Currency: 'text',
			PricePerKwh: 'number',
			StartFee: 'number',
			IsActive: 'boolean',
			ValidFromUtc: 'date',
		},
	},
	users: {
		area: 'users',
		fields: { Name: 'text', Email: 'text', TeamName: 'text', IsActive: 'boolean', CreatedAtUtc: 'date' },
	},
	teams: {
		area: 'teams',
		fields: { Name: 'text', CostCentre: 'text' },
	},
	energyAssets: {
		area: 'energy-assets',
		refusesKeys: true,
		fields: { Name: 'text', Kind: 'text', MaxPowerKw: 'number' },
	},
	billing: {
		area: 'billing',
		fields: { UserName: 'text', PeriodStartUtc: 'date', EnergyConsumed: 'number', Amount: 'number', Currency: 'text' },
	},
	auditTrail: {
		area: 'audit-trail',
		fields: { AtUtc: 'date', Actor: 'text', Action: 'text', StatusCode: 'integer', SessionId: 'integer' },
	},
} satisfies Record<string, Table>;

/** The lists of the platform. */
export type ListName = keyof typeof LISTS;
export const TABLES: Record<ListName, Table> = LISTS;
export const LIST_NAMES = Object.keys(TABLES) as ListName[];
export const pathOf = (list: ListName) => `/api/${TABLES[list].area}/v1`;

const SQL_TYPES: Record<FieldType, string> = {
	integer: 'INTEGER',
	code: 'INTEGER',
	boolean: 'INTEGER',
	number: 'REAL',
	date: 'TEXT',
	text: 'TEXT',
	list: "TEXT NOT NULL DEFAULT '[]'",
	object: "TEXT NOT NULL DEFAULT '{}'",
};

/** SQL that makes a table for each list. */
export const SCHEMA = LIST_NAMES.map((list) => {
	const columns = Object.entries(TABLES[list].fields).map(
		([name, type]) => `${name} ${SQL_TYPES[typeof type === 'string' ? type : 'code']}`,
	);
	return `CREATE TABLE ${list} (Id INTEGER PRIMARY KEY, ${columns.join(', ')});`;
}).join('\n');

/** One property of a list's objects. `sql` is the value that is compared and sorted, and sent unless `json` is given. */
export interface Field {
	name: string;
	type: FieldType;
	sql: string;
	json?: string;
}

/** Only the fields that the specification shows. */
export const SPECIFIED_FIELDS = {
	sessions: { Id: 'integer', Status: 'integer', EnergyConsumed: 'decimal', StartedAtUtc: 'time' },
	stations: { Id: 'integer', Name: 'text', NetworkStatus: 'integer', Status: 'integer', HardwareStatus: 'integer' },
};

/** The fields of a list's rows. */
export function fieldsOf(list: ListName, behaviour: Behaviour): Field[] {
	const fields = allFields(list, behaviour).filter(({ type }) => type !== 'list' && type !== 'object');
	const wanted = behaviour.fields?.[list];
	if (!wanted) return fields;
	return Object.entries(wanted).map(
		([name, kind]) =>
			fields.find((field) => field.name.toLowerCase() === name.toLowerCase()) ??
			madeUp(name.charAt(0).toUpperCase() + name.slice(1), kind),
	);
}

/** The fields of a station alone: those of its list, and three groups. */
export const stationDetailFields = (behaviour: Behaviour): Field[] => [
	...fieldsOf('stations', behaviour),
	...allFields('stations', behaviour).filter(({ type }) => type === 'list' || type === 'object'),
];

function allFields(list: ListName, behaviour: Behaviour): Field[] {
	const { ids } = behaviour;
	const fields = Object.entries(TABLES[list].fields).map(([name, type]) =>
		name === 'StationId' ? idField(name, 'stations', ids.stations) : fieldOf(name, type, behaviour),
	);
	return ids[list] === 'none' ? fields : [idField('Id', list, ids[list]), ...fields];
}

/** What text Ids of a list begin with. */
const prefixOf = (list: ListName) => `${list.slice(0, 3)}-`;

function idField(name: string, list: ListName, kind: IdKind): Field {
	switch (kind) {
		case 'integer':
		case 'none':
			return { name, type: 'integer', sql: name };
		case 'text':
			return { name, type: 'text', sql: `printf('${prefixOf(list)}%06d', ${name})` };
		case 'digits':
			return { name, type: 'text', sql: `CAST(${name} AS TEXT)` };
		case 'pairs':
			return { name, type: 'integer', sql: `((${name} + 1) / 2)` };
		case 'threes':
			return { name, type: 'integer', sql: `((${name} + 2) / 3)` };
	}
}

function fieldOf(name: string, type: FieldType | Codes, { codes, timestampFractions }: Behaviour): Field {
	const field: Field = { name, type: typeof type === 'string' ? type : 'code', sql: name };
	if (typeof type !== 'string') return { ...field, json: codeJson(name, type, codes) };
	if (type === 'list' || type === 'object') return { ...field, json: `json(${name})` };
	if (type === 'boolean') return { ...field, json: booleanJson(name) };
	return type === 'date' && timestampFractions ? { ...field, sql: withFraction(name) } : field;
}

const booleanJson = (sql: string) => `json(CASE ${sql} WHEN 0 THEN 'false' WHEN 1 THEN 'true' ELSE 'null' END)`;

/** The fraction is derived from the row's Id and never .000: it stays the same without rewriting rows. */
const withFraction = (column: string) =>
	`(CASE WHEN length(${column}) = 19 THEN ${column} || printf('.%03d', (Id * 7919) % 999 + 1) ELSE ${column} END)`;

/** SQL of a status on the wire. JSON in its column is sent as it is: a list or an object instead of a code. */
function codeJson(column: string, codes: Codes, form: Behaviour['codes']): string {
	const names = Object.entries(codes).map(
		([name, code]) => `WHEN ${code} THEN '${name.charAt(0).toUpperCase()}${name.slice(1)}'`,
	);
	const name = `CASE ${column} ${names.join(' ')} ELSE ${column} END`;
	switch (form) {
		case 'number':
			return `json(CASE WHEN json_valid(${column}) THEN ${column} ELSE json_quote(${column}) END)`;
		case 'text':
			return `CAST(${column} AS TEXT)`;
		case 'name':
			return name;
		case 'object':
			return `json(iif(${column} IS NULL, 'null', json_object('Id', ${column}, 'Name', ${name})))`;
	}
}

const MADE_UP: Partial<Record<string, Omit<Field, 'name'>>> = {
	integer: { type: 'integer', sql: '(Id % 10)' },
	decimal: { type: 'number', sql: '(Id % 10 + 0.5)' },
	'decimal or integer': { type: 'number', sql: '(Id % 10 / 2.0)' },
	text: { type: 'text', sql: "('text ' || Id)" },
	boolean: { type: 'boolean', sql: '(Id % 2)', json: booleanJson('Id % 2') },
	time: { type: 'date', sql: "'2026-11-01T08:00:00'" },
	'time with fractions': { type: 'date', sql: "'2026-11-01T08:00:00.123'" },
	'time with zone': { type: 'text', sql: "'2026-11-01T08:00:00Z'" },
	'time with fractions with zone': { type: 'text', sql: "'2026-11-01T08:00:00.123Z'" },
	list: { type: 'text', sql: "'[]'", json: "json('[]')" },
	object: { type: 'text', sql: "'{}'", json: "json('{}')" },
};

const madeUp = (name: string, kind: string): Field => ({ name, ...(MADE_UP[kind] ?? { type: 'text', sql: 'NULL' }) });

/** SQL that writes one row as a JSON object: SQLite keeps every digit of integers above 2^53. */
export function rowJsonSql(fields: readonly Field[], { camelCase, omitsEmpty }: Behaviour): string {
	const spelled = (name: string) => (camelCase ? name.charAt(0).toLowerCase() + name.slice(1) : name);
	const object = `json_object(${fields.map(({ name, sql, json = sql }) => `'${spelled(name)}', ${json}`).join(', ')})`;
	// A merge patch drops nulls.
	return omitsEmpty ? `json_patch('{}', ${object})` : object;
}

/** The row of an Id on the wire; undefined if no row can have it. */
export function rowId(list: ListName, id: string, { ids }: Behaviour): bigint | undefined {
	const prefix = ids[list] === 'text' ? prefixOf(list) : '';
	const digits = id.slice(prefix.length);
	if (!id.startsWith(prefix) || !/^-?\d{1,19}$/.test(digits)) return undefined;
	const row = BigInt(digits);
	const written = ids[list] === 'text' ? String(row).padStart(6, '0') : String(row);
	return written === digits && BigInt.asIntN(64, row) === row ? row : undefined;
}
