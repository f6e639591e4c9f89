/** How many requests the triggers and lists need: what docs/scaling.md says, and what tests measure. */

const PAGE = 100;

/** Requests of a poll that reads this many rows in Id order: a full page is never taken for the last one. */
export const requestsOfScan = (rows: number): number => Math.floor(rows / PAGE) + 1;

/**
 * Requests of a turn of the Charge Point Trigger: a look at each station, and in each poll as many pages of the list as
 * it looks at stations. That the list goes on is told by its count, that it ends by a page that is not full.
 */
export function requestsOfTurn(stations: number, mostStations: number): number {
	let requests = stations;
	const page = Math.min(PAGE, mostStations);
	for (let first = 0; first < stations; first += mostStations) {
		const left = stations - first;
		requests += left > mostStations ? Math.ceil(mostStations / page) : Math.floor(left / page) + 1;
	}
	return requests;
}

const MATCHING_SHARE = 0.005;
/** The last one is the largest that a trigger watches as a whole. */
const FLEETS = [1_000, 10_000, 100_000, 200_000];
const LISTS = [10_000, 100_000, 1_000_000, 10_000_000];
/** Requests a minute. The platform's specification does not give its limit. */
const LIMITS = [60, 300, 1_000];
const LIMIT = 300;

const number = (value: number) => value.toLocaleString('en');

function table(header: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
	return [header, header.map((_, column) => (column === 0 ? '---' : '---:')), ...rows]
		.map((cells) => `| ${cells.join(' | ')} |`)
		.join('\n');
}

/** "20 s", "17 min", "2.8 h", "11.6 days". */
function duration(minutes: number): string {
	const rounded = (value: number) => number(Number(value.toPrecision(value < 10 ? 2 : 3)));
	if (minutes < 1) return `${rounded(minutes * 60)} s`;
	if (minutes < 90) return `${rounded(minutes)} min`;
	return minutes < 48 * 60 ? `${rounded(minutes / 60)} h` : `${rounded(minutes / 60 / 24)} days`;
}

const polls: ReadonlyArray<readonly [string, (stations: number) => number]> = [
	['*Goes Offline or Comes Back*', (stations) => requestsOfScan(stations * MATCHING_SHARE)],
	['*Starts or Stops Matching*', (stations) => requestsOfScan(stations * MATCHING_SHARE)],
	['*Status Changes*, *Stations Added or Removed*', requestsOfScan],
	['*Session Starts*, new rows of any list', () => 1],
];
const fleetColumns = FLEETS.map((stations) => `${number(stations)} stations`);

const POINT_FLEETS = [50, 100, 200, 500, 1_000, 5_000];
/** Minutes between polls, and between two looks at a station. */
const POLL_EVERY = 5;
const LOOK_EVERY = [5, 15, 60];

/** What it costs to look at each station every so many minutes, and how much of the limit that is. */
function costOfLooks(stations: number, minutes: number): string {
	const mostStations = Math.ceil((stations * POLL_EVERY) / minutes);
	const requests = (requestsOfTurn(stations, mostStations) * 60) / minutes;
	const share = requests / (LIMIT * 60);
	return share > 1 ? 'too many' : `${number(Math.round(requests))} (${Math.max(1, Math.round(share * 100))} %)`;
}

/** The tables of docs/scaling.md. */
export const TABLES: readonly string[] = [
	table(
		['Requests in a poll without news', ...fleetColumns],
		polls.map(([name, requests]) => [name, ...FLEETS.map((stations) => number(requests(stations)))]),
	),
	table(
		['Rows', 'Requests', ...LIMITS.map((limit) => `at ${number(limit)} requests a minute`)],
		LISTS.map((rows) => {
			const requests = Math.ceil(rows / PAGE);
			return [number(rows), number(requests), ...LIMITS.map((limit) => duration(requests / limit))];
		}),
	),
	table(
		[
			'Charge points: requests an hour (share of 300 a minute)',
			...LOOK_EVERY.map((minutes) => `a look every ${minutes} min`),
		],
		POINT_FLEETS.map((stations) => [
			`${number(stations)} stations`,
			...LOOK_EVERY.map((minutes) => costOfLooks(stations, minutes)),
		]),
	),
];
