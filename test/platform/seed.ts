import { Database, type SqlValue } from './database.ts';
import { timestamp } from './lists.ts';
import { LIST_NAMES, SCHEMA, STATUS_CODES, TABLES, type ListName } from './tables.ts';
import type { PlatformOptions } from './types.ts';

/** Cities, with the country, latitude and longitude of each. */
const CITIES = [
	['Köln', 'DE', 50.94, 6.96],
	['Münster', 'DE', 51.96, 7.63],
	['Düsseldorf', 'DE', 51.23, 6.78],
	['Århus', 'DK', 56.16, 10.2],
	['Łódź', 'PL', 51.77, 19.46],
	['Graz', 'AT', 47.07, 15.44],
	['Zürich', 'CH', 47.37, 8.54],
	['Lyon', 'FR', 45.76, 4.84],
	['Brno', 'CZ', 49.2, 16.61],
	['Malmö', 'SE', 55.6, 13],
] as const;
const PLACES = [
	'Market Square',
	'Central Station',
	'Depot North',
	'Airport P2',
	'Harbour',
	'Town Hall',
	'Stadium East',
];
const PEOPLE = [
	'Jürgen Müller',
	'Zoë Åkesson',
	'Anna "Änni" Weiß',
	"Siobhán O'Neill",
	'Nguyễn Văn An',
	'Müller, Søren',
	'Fleet; Van 7',
	'山田 花子',
];
const NOTES = [
	'Cable locked, customer called',
	'He said "it works again"',
	'First line\nsecond line',
	'Windows\r\nline ends',
	'semicolon; comma, "quote"',
	' leading and trailing spaces ',
];
const TEAMS = ['Fleet North', 'Fleet South', 'Guests'];

/** Mulberry32: a small generator whose whole state is one integer, so that the rows are always the same. */
function randomSource(seed: number) {
	let state = seed >>> 0;
	const next = () => {
		state = (state + 0x6d2b79f5) >>> 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
	};
	const below = (limit: number) => Math.floor(next() * limit);
	return {
		below,
		chance: (share: number) => next() < share,
		pick: <T>(items: readonly T[]) => items[below(items.length)] as T,
		decimal: (limit: number, digits: number) => Number((next() * limit).toFixed(digits)),
	};
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const HISTORY = 548 * DAY;

/** Opens an empty database with a table for each list. */
export function openDatabase(): Database {
	const db = new Database();
	shuffleAlike(db);
	db.exec(`${SCHEMA} CREATE INDEX sessions_started ON sessions (StartedAtUtc);`);
	return db;
}

/** Rows that come in a random order come in the same ones from now on, each time that this is called. */
export function shuffleAlike(db: Database): void {
	const { below } = randomSource(0);
	db.function('shuffle', () => below(1_000_000_000));
}

/** Fills an empty database, and keeps a copy of its rows. */
export function fillDatabase(db: Database, options: PlatformOptions): void {
	const end = Date.parse(`${options.now ?? '2026-11-21T00:00:00'}Z`);
	db.exec('BEGIN');
	const locations = seedLocations(db, options.locations ?? 5);
	const stations = seedStations(db, options.stations ?? 20, end, locations);
	seedSessions(db, options, end, stations);
	seedOthers(db, options.tariffs ?? 12, end);
	if (options.rows !== undefined) db.exec(options.rows);
	for (const table of LIST_NAMES) db.exec(`CREATE TABLE seed_${table} AS SELECT * FROM ${table}`);
	db.exec('COMMIT');
}

/** Replaces all rows by those of the seed. */
export function restoreSeed(db: Database): void {
	const copies = LIST_NAMES.map((table) => `DELETE FROM ${table}; INSERT INTO ${table} SELECT * FROM seed_${table};`);
	db.exec(`BEGIN; ${copies.join('')} COMMIT`);
}

function inserterOf(db: Database, list: ListName): (...values: SqlValue[]) => void {
	const places = ['Id', ...Object.keys(TABLES[list].fields)].map(() => '?');
	const insert = db.prepare(`INSERT INTO ${list} VALUES (${places.join(', ')})`);
	return (...values) => void insert.run(...values);
}

function seedLocations(db: Database, count: number): string[] {
	const random = randomSource(0x10cb);
	const insert = inserterOf(db, 'locations');
	/** Somewhere in a city whose centre is here. */
	const near = (middle: number) => Number((middle - 0.03 + random.decimal(0.06, 5)).toFixed(5));
	return Array.from({ length: count }, (_, index) => {
		const [city, country, latitude, longitude] = random.pick(CITIES);
		const name = `${city} ${random.pick(PLACES)}`;
		insert(index + 1, name, city, country, near(latitude), near(longitude));
		return name;
	});
}

function seedStations(db: Database, count: number, end: number, locations: string[]): string[] {
	const random = randomSource(0x57a6);
	const insert = inserterOf(db, 'stations');
	const { network, station, hardware } = STATUS_CODES;
	const condition = () => random.pick([hardware.available, hardware.charging, hardware.faulted]);
	return Array.from({ length: count }, (_, index) => {
		const id = index + 1;
		const location = locations.length > 0 ? random.pick(locations) : `${random.pick(CITIES)[0]} ${random.pick(PLACES)}`;
		const name = `${location} ${String(id).padStart(3, '0')}`;
		const online = random.chance(0.9);
		const evses = Array.from({ length: 1 + random.below(3) }, (_unused, evse) => ({
			Id: id * 10 + evse + 1,
			EvseId: `DE*CNP*E${String(id).padStart(5, '0')}*${evse + 1}`,
			Status: condition(),
			ConnectorType: random.pick(['Type2', 'CCS2', 'CHAdeMO']),
			MaxPowerKw: random.pick([11, 22, 50, 150]),
		}));
		const heartbeat = timestamp(end - random.below(online ? 300_000 : 48 * HOUR));
		insert(
			id,
			name,
			online ? network.online : random.pick([network.offline, network.degraded]),
			random.chance(0.94) ? station.inService : random.pick([station.outOfService, station.planned]),
			random.chance(0.8) ? condition() : null,
			location,
			heartbeat,
			JSON.stringify(evses),
			JSON.stringify({
				Vendor: random.pick(['Alfen', 'ABB', 'Keba']),
				Version: `${1 + random.below(6)}.${random.below(20)}`,
			}),
			JSON.stringify({ Protocol: 'OCPP 1.6-J', LastHeartbeatAtUtc: heartbeat }),
		);
		return name;
	});
}

function seedSessions(db: Database, options: PlatformOptions, end: number, stations: string[]): void {
	const { sessions = 250, idGaps = 0 } = options;
	const codes = STATUS_CODES.session;
	const random = randomSource(0x5e54);
	const step = HISTORY / Math.max(1, sessions);
	const insert = inserterOf(db, 'sessions');
	// The last few are charging now, even in a small seed.
	const charging = Math.min(20, Math.ceil(sessions / 100));
	const outcome = () => {
		const draw = random.below(100);
		return draw < 82 ? codes.finished : draw < 92 ? codes.failed : codes.expired;
	};
	let id = 0;
	for (let index = 0; index < sessions; index++) {
		id += 1 + random.below(idGaps + 1);
		// Ids follow the start time only roughly: the platform numbers sessions when it hears of them.
		const usual = end - HISTORY + (index + random.below(7) - 3) * step;
		const running = index >= sessions - charging;
		const duration = (5 + random.below(600)) * 60_000 + random.below(60) * 1000;
		const latest = end - (running ? 1000 : duration + 1000);
		const started = running ? latest - random.below(3 * HOUR) : Math.min(latest, Math.max(end - HISTORY, usual));
		const status = running ? random.pick([codes.active, codes.active, codes.suspended]) : outcome();
		const station = stations.length > 0 ? random.below(stations.length) : undefined;
		const energy = random.chance(status === codes.failed ? 0.5 : 0.01) ? null : random.decimal(80, 3);
		insert(
			id,
			status,
			energy,
			timestamp(started),
			running ? null : timestamp(started + duration),
			station === undefined ? null : station + 1,
			station === undefined ? null : (stations[station] ?? null),
			1 + random.below(3),
			random.chance(0.05) ? null : random.pick(PEOPLE),
			energy === null ? null : Number((energy * 0.49).toFixed(2)),
			random.pick(['EUR', 'EUR', 'EUR', 'CHF', 'SEK']),
			random.chance(0.2) ? 1 : 0,
			random.chance(0.1) ? random.pick(NOTES) : null,
		);
	}
}

/** The audit trail is left empty: it is filled when it is read. */
function seedOthers(db: Database, tariffs: number, end: number): void {
	const tariff = inserterOf(db, 'tariffs');
	for (let id = 1; id <= tariffs; id++) {
		const price = [0.29, 0.39, 0.49, 0.59, 0.79][id % 5] ?? 0;
		const from = timestamp(end - (id % 700) * DAY);
		tariff(id, `Tariff ${id}`, id % 4 ? 'EUR' : 'CHF', price, id % 3 ? 0 : 1, id % 5 ? 1 : 0, from);
	}
	db.exec(`
		INSERT INTO teams VALUES (1, 'Fleet North', 'CC-100'), (2, 'Fleet South', 'CC-101'), (3, 'Guests', NULL);
		INSERT INTO energyAssets VALUES
			(1, 'Solar 1', 'Solar', 50), (2, 'Battery 1', 'Battery', 100), (3, 'Grid Connection 1', 'Grid Connection', 150)`);
	const user = inserterOf(db, 'users');
	for (const [index, name] of [...PEOPLE, 'Never Charged', 'New Colleague'].entries()) {
		const since = timestamp(end - (20 + index * 40) * DAY);
		user(index + 1, name, `person${index + 1}@example.test`, TEAMS[index % 3] ?? null, index === 4 ? 0 : 1, since);
	}
	const month = `strftime('%Y-%m-01T00:00:00', '${timestamp(end)}', 'start of month', -value || ' months')`;
	const energy = '10 * users.Id + value';
	db.exec(`
		INSERT INTO billing (UserName, PeriodStartUtc, EnergyConsumed, Amount, Currency)
			SELECT Name, ${month}, ${energy}, round(0.49 * (${energy}), 2), 'EUR'
			FROM users CROSS JOIN json_each('[0, 1, 2, 3, 4, 5]') WHERE users.Id <= ${PEOPLE.length}`);
}

/** Moves new rows into the audit trail's list. */
export function fillAuditTrail(db: Database, audit: SqlValue[][]): void {
	const insert = inserterOf(db, 'auditTrail');
	for (const row of audit.splice(0)) insert(...row);
}
