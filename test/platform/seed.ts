import { Database } from './database.ts';
import { AREA_NAMES, AREA_SCHEMA, fillAreas } from './areas.ts';

/** Codes of statuses. Specified are only finished (4), failed (6) and online (1); the rest is made up. */
export const STATUS_CODES = {
	session: { active: 1, suspended: 2, finished: 4, expired: 5, failed: 6 },
	network: { online: 1, offline: 2, degraded: 3 },
	station: { inService: 1, outOfService: 2, planned: 3 },
	hardware: { available: 1, charging: 2, faulted: 3 },
} as const;

export interface SeedOptions {
	sessions: number;
	stations: number;
	locations: number;
	tariffs: number;
	seed: number;
	/** End of the history, `YYYY-MM-DDThh:mm:ss`, UTC. */
	now: string;
	idGaps: number;
}

const SCHEMA = `
	CREATE TABLE sessions (
		Id INTEGER PRIMARY KEY,
		Status INTEGER NOT NULL,
		EnergyConsumed REAL,
		StartedAtUtc TEXT NOT NULL,
		EndedAtUtc TEXT,
		StationId INTEGER,
		StationName TEXT,
		ConnectorNumber INTEGER,
		UserName TEXT,
		Price REAL,
		Currency TEXT,
		IsRoaming INTEGER,
		Note TEXT
	);
	CREATE INDEX sessions_started ON sessions (StartedAtUtc);
	CREATE TABLE stations (
		Id INTEGER PRIMARY KEY,
		Name TEXT NOT NULL,
		NetworkStatus INTEGER,
		Status INTEGER,
		HardwareStatus INTEGER,
		LocationName TEXT,
		LastHeartbeatAtUtc TEXT,
		EVSEs TEXT NOT NULL DEFAULT '[]',
		Firmware TEXT NOT NULL DEFAULT '{}',
		Connectivity TEXT NOT NULL DEFAULT '{}'
	);
	CREATE TABLE locations (
		Id INTEGER PRIMARY KEY,
		Name TEXT NOT NULL,
		City TEXT,
		Country TEXT,
		Latitude REAL,
		Longitude REAL
	);
`;

export const TABLES = ['sessions', 'stations', 'locations', ...AREA_NAMES.map(String)];

/** Country, latitude and longitude of each city. */
const PLACE_OF_CITY = {
	Köln: ['DE', 50.94, 6.96],
	Münster: ['DE', 51.96, 7.63],
	Düsseldorf: ['DE', 51.23, 6.78],
	Århus: ['DK', 56.16, 10.2],
	Łódź: ['PL', 51.77, 19.46],
	Graz: ['AT', 47.07, 15.44],
	Zürich: ['CH', 47.37, 8.54],
	Lyon: ['FR', 45.76, 4.84],
	Brno: ['CZ', 49.2, 16.61],
	Malmö: ['SE', 55.6, 13],
} as const;
type City = keyof typeof PLACE_OF_CITY;
const CITIES = Object.keys(PLACE_OF_CITY) as City[];
/** Largest distance of a location from its city's centre, in degrees. */
const CITY_RADIUS = 0.03;
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
const VENDORS = ['Alfen', 'ABB', 'Keba', 'Wallbox'];

/** Mulberry32: a small generator whose whole state is one integer, so the same seed always gives the same rows. */
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
		pick<T>(items: readonly T[]): T {
			const item = items[below(items.length)];
			if (item === undefined) throw new RangeError('Nothing to pick from');
			return item;
		},
		decimal: (limit: number, digits: number) => Number((next() * limit).toFixed(digits)),
	};
}

/** A time in the platform's format. */
export const timestamp = (ms: number) => new Date(ms).toISOString().slice(0, 19);

const HOUR = 3_600_000;
const HISTORY = 548 * 24 * HOUR;

/** Opens an empty database with a table for each list. */
export function openDatabase(): Database {
	const db = new Database();
	shuffleAlike(db);
	db.exec(SCHEMA + AREA_SCHEMA);
	return db;
}

/** Rows that come in a random order come in the same ones from now on, each time that this is called. */
export function shuffleAlike(db: Database): void {
	const { below } = randomSource(0);
	db.function('shuffle', () => below(1_000_000_000));
}

/** Fills an empty database with the rows of the seed, and keeps a copy of them. */
export function fillDatabase(db: Database, options: SeedOptions): void {
	db.exec('BEGIN');
	const locations = seedLocations(db, options);
	const stations = seedStations(db, options, locations);
	seedSessions(db, options, stations);
	fillAreas(db, { tariffs: options.tariffs, people: PEOPLE, end: Date.parse(`${options.now}Z`), timestamp });
	for (const table of TABLES) db.exec(`CREATE TABLE seed_${table} AS SELECT * FROM ${table}`);
	db.exec('COMMIT');
}

/** Replaces all rows by those of the seed. */
export function restoreSeed(db: Database): void {
	const copies = TABLES.map((table) => `DELETE FROM ${table}; INSERT INTO ${table} SELECT * FROM seed_${table};`);
	db.exec(`BEGIN; ${copies.join('')} COMMIT`);
}

function seedLocations(db: Database, { locations, seed }: SeedOptions): string[] {
	const random = randomSource(seed ^ 0x10ca);
	const insert = db.prepare('INSERT INTO locations VALUES (?, ?, ?, ?, ?, ?)');
	return Array.from({ length: locations }, (_, index) => {
		const city = random.pick(CITIES);
		const name = `${city} ${random.pick(PLACES)}`;
		const [country, latitude, longitude] = PLACE_OF_CITY[city];
		const near = (middle: number) => Number((middle - CITY_RADIUS + random.decimal(2 * CITY_RADIUS, 5)).toFixed(5));
		insert.run(index + 1, name, city, country, near(latitude), near(longitude));
		return name;
	});
}

function seedStations(db: Database, { stations, seed, now }: SeedOptions, locations: string[]): string[] {
	const random = randomSource(seed ^ 0x57a7);
	const end = Date.parse(`${now}Z`);
	const insert = db.prepare('INSERT INTO stations VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
	const { network, station, hardware } = STATUS_CODES;
	return Array.from({ length: stations }, (_, index) => {
		const id = index + 1;
		const location = locations.length ? random.pick(locations) : `${random.pick(CITIES)} ${random.pick(PLACES)}`;
		const name = `${location} ${String(id).padStart(3, '0')}`;
		const online = random.chance(0.9);
		const evses = Array.from({ length: 1 + random.below(3) }, (_unused, evse) => ({
			Id: id * 10 + evse + 1,
			EvseId: `DE*CNP*E${String(id).padStart(5, '0')}*${evse + 1}`,
			Status: random.pick([hardware.available, hardware.charging, hardware.faulted]),
			ConnectorType: random.pick(['Type2', 'CCS2', 'CHAdeMO']),
			MaxPowerKw: random.pick([11, 22, 50, 150]),
		}));
		const heartbeat = timestamp(end - random.below(online ? 300_000 : 48 * HOUR));
		insert.run(
			id,
			name,
			online ? network.online : random.pick([network.offline, network.degraded]),
			random.chance(0.94) ? station.inService : random.pick([station.outOfService, station.planned]),
			random.chance(0.8) ? random.pick([hardware.available, hardware.charging, hardware.faulted]) : null,
			location,
			heartbeat,
			JSON.stringify(evses),
			JSON.stringify({
				Vendor: random.pick(VENDORS),
				Model: `M${10 + random.below(90)}`,
				Version: `${1 + random.below(6)}.${random.below(20)}.${random.below(10)}`,
			}),
			JSON.stringify({
				Protocol: random.pick(['OCPP 1.6-J', 'OCPP 2.0.1']),
				LastHeartbeatAtUtc: heartbeat,
				SignalStrength: -50 - random.below(60),
			}),
		);
		return name;
	});
}

function seedSessions(db: Database, options: SeedOptions, stations: string[]): void {
	const { sessions, seed, idGaps } = options;
	const codes = STATUS_CODES.session;
	const random = randomSource(seed ^ 0x5e55);
	const end = Date.parse(`${options.now}Z`);
	const step = HISTORY / Math.max(1, sessions);
	const insert = db.prepare('INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
	// The last few are charging now, even in a small seed.
	const charging = Math.min(20, Math.ceil(sessions / 100));
	let id = 0;
	for (let index = 0; index < sessions; index++) {
		id += 1 + random.below(idGaps + 1);
		// Ids follow the start time only roughly: the platform numbers sessions when it hears of them.
		const usual = end - HISTORY + (index + random.below(7) - 3) * step;
		const running = index >= sessions - charging;
		const duration = (5 + random.below(600)) * 60_000 + random.below(60) * 1000;
		const latest = end - (running ? 1000 : duration + 1000);
		const started = running ? latest - random.below(3 * HOUR) : Math.min(latest, Math.max(end - HISTORY, usual));
		const draw = random.below(100);
		const status = running
			? draw < 70
				? codes.active
				: codes.suspended
			: draw < 82
				? codes.finished
				: draw < 92
					? codes.failed
					: codes.expired;
		const station = stations.length ? random.below(stations.length) : undefined;
		const noEnergy = status === codes.failed ? random.chance(0.5) : random.chance(0.01);
		const energy = noEnergy ? null : random.decimal(80, 3);
		insert.run(
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
