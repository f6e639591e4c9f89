import type { Database } from './database.ts';
import { boolean, date, integer, number, rowIdField, text, writing } from './resources.ts';
import type { Field, Resource } from './resources.ts';
import type { AreaName, AuditRecord, Behaviour } from './types.ts';

// Lists whose path and fields the specification does not show. Everything here is invented; nodes/ must not rely on it.

export const AREA_SCHEMA = `
	CREATE TABLE tariffs (
		Id INTEGER PRIMARY KEY, Name TEXT, Currency TEXT, PricePerKwh REAL, StartFee REAL, IsActive INTEGER, ValidFromUtc TEXT
	);
	CREATE TABLE users (Id INTEGER PRIMARY KEY, Name TEXT, Email TEXT, TeamName TEXT, IsActive INTEGER, CreatedAtUtc TEXT);
	CREATE TABLE teams (Id INTEGER PRIMARY KEY, Name TEXT, CostCentre TEXT);
	CREATE TABLE energyAssets (Id INTEGER PRIMARY KEY, Name TEXT, Kind TEXT, MaxPowerKw REAL);
	CREATE TABLE billing (
		Id INTEGER PRIMARY KEY, UserName TEXT, PeriodStartUtc TEXT, EnergyConsumed REAL, Amount REAL, Currency TEXT
	);
	CREATE TABLE auditTrail (
		Id INTEGER PRIMARY KEY, AtUtc TEXT, Actor TEXT, Action TEXT, StatusCode INTEGER, SessionId INTEGER
	);
`;

export interface Area {
	path: string;
	/** What the gateway calls the area. */
	area: string;
	/** The list refuses API keys with 401. */
	refusesKeys?: true;
	resource(behaviour: Behaviour): Resource;
}

function area(path: string, table: AreaName, typeName: string, fieldsOf: (fractions: boolean) => Field[]): Area {
	const idPrefix = table === 'teams' ? 'team-' : undefined;
	return {
		path: `/api/${path}/v1`,
		area: path,
		resource: (behaviour) => ({
			table,
			typeName,
			// Billing data has no Id.
			fields: [
				...(table === 'billing' ? [] : [rowIdField('Id', idPrefix, behaviour)]),
				...fieldsOf(behaviour.timestampFractions),
			],
			idPrefix,
			...writing(behaviour),
		}),
	};
}

export const AREAS: Record<AreaName, Area> = {
	tariffs: area('tariffs', 'tariffs', 'Tariff', (fractions) => [
		text('Name'),
		text('Currency'),
		number('PricePerKwh'),
		number('StartFee'),
		boolean('IsActive'),
		date('ValidFromUtc', fractions),
	]),
	users: area('users', 'users', 'User', (fractions) => [
		text('Name'),
		text('Email'),
		text('TeamName'),
		boolean('IsActive'),
		date('CreatedAtUtc', fractions),
	]),
	teams: area('teams', 'teams', 'Team', () => [text('Name'), text('CostCentre')]),
	energyAssets: {
		...area('energy-assets', 'energyAssets', 'EnergyAsset', () => [text('Name'), text('Kind'), number('MaxPowerKw')]),
		refusesKeys: true,
	},
	billing: area('billing', 'billing', 'BillingRecord', (fractions) => [
		text('UserName'),
		date('PeriodStartUtc', fractions),
		number('EnergyConsumed'),
		number('Amount'),
		text('Currency'),
	]),
	auditTrail: area('audit-trail', 'auditTrail', 'AuditRecord', (fractions) => [
		date('AtUtc', fractions),
		text('Actor'),
		text('Action'),
		integer('StatusCode'),
		integer('SessionId'),
	]),
};
export const AREA_NAMES = Object.keys(AREAS) as AreaName[];

const PRICES = [0.29, 0.39, 0.49, 0.59, 0.79];
const KINDS = ['Solar', 'Battery', 'Grid Connection'];
const DAY = 86_400_000;

export interface AreaSeed {
	tariffs: number;
	/** User names of the sessions. */
	people: readonly string[];
	/** End of the history, milliseconds since 1970. */
	end: number;
	timestamp: (ms: number) => string;
}

/** Fills these lists, which are empty. The audit trail is left empty: it is filled when it is read. */
export function fillAreas(db: Database, { tariffs, people, end, timestamp }: AreaSeed): void {
	const insert = (name: AreaName, ...values: Array<string | number | null>) =>
		db.prepare(`INSERT INTO ${name} VALUES (${values.map(() => '?').join(', ')})`).run(...values);
	for (let id = 1; id <= tariffs; id++) {
		const price = PRICES[id % PRICES.length] ?? 0;
		const from = timestamp(end - (id % 700) * DAY);
		insert('tariffs', id, `Tariff ${id}`, id % 4 ? 'EUR' : 'CHF', price, id % 3 ? 0 : 1, id % 5 ? 1 : 0, from);
	}
	const teams = ['Fleet North', 'Fleet South', 'Guests'];
	teams.forEach((name, index) => insert('teams', index + 1, name, index < 2 ? `CC-${100 + index}` : null));
	const everybody = [...people, 'Never Charged', 'New Colleague'];
	everybody.forEach((name, index) => {
		const email = `person${index + 1}@example.test`;
		const since = timestamp(end - (20 + index * 40) * DAY);
		insert('users', index + 1, name, email, teams[index % teams.length] ?? null, index === 4 ? 0 : 1, since);
	});
	KINDS.forEach((kind, index) => insert('energyAssets', index + 1, `${kind} 1`, kind, 50 * (index + 1)));
	let id = 0;
	for (let month = 0; month < 6; month++) {
		const start = new Date(end);
		start.setUTCMonth(start.getUTCMonth() - month, 1);
		for (const [index, name] of people.entries()) {
			const energy = 10 * (index + 1) + month;
			const period = `${start.toISOString().slice(0, 10)}T00:00:00`;
			insert('billing', ++id, name, period, energy, Number((energy * 0.49).toFixed(2)), 'EUR');
		}
	}
}

/** Adds new audit records to the audit trail's list. */
export function fillAuditTrail(db: Database, audit: readonly AuditRecord[], timestamp: (ms: number) => string): void {
	const last = Number(db.prepare('SELECT max(Id) AS last FROM auditTrail').get()?.last ?? 0);
	const insert = db.prepare('INSERT INTO auditTrail VALUES (?, ?, ?, ?, ?, ?)');
	for (const { id, at, actor, action, status, sessionId } of audit) {
		if (id > last) insert.run(id, timestamp(at), actor, action, status ?? null, sessionId ?? null);
	}
}
