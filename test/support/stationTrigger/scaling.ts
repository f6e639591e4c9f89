/** How many requests the triggers and lists need: what docs/scaling.md says, and what tests measure. */

const PAGE = 100;

/** Requests of a poll that reads this many rows in Id order: a full page is never taken for the last one. */
export const requestsOfScan = (rows: number): number => Math.floor(rows / PAGE) + 1;

/** Requests of a Status Changes poll without news: the unusual stations, and two counts that prove the others. */
export const requestsOfUnusual = (unusual: number): number => requestsOfScan(unusual) + 2;

const UNUSUAL_SHARE = 0.005;
const FLEETS = [1_000, 10_000, 100_000, 1_000_000];
const LISTS = [10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];
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
	['*Goes Offline or Comes Back*', (stations) => requestsOfScan(stations * UNUSUAL_SHARE)],
	['*Status Changes*', (stations) => requestsOfUnusual(stations * UNUSUAL_SHARE)],
	['*Starts or Stops Matching*, *Stations Added or Removed*; *Status Changes* once a day', requestsOfScan],
	['*Session Starts*, new rows of any list', () => 1],
];
const fleetColumns = FLEETS.map((stations) => `${number(stations)} stations`);

/** The tables of docs/scaling.md. */
export const TABLES: readonly string[] = [
	table(
		['Requests in a poll without news', ...fleetColumns],
		polls.map(([name, requests]) => [name, ...FLEETS.map((stations) => number(requests(stations)))]),
	),
	table(
		[`Workflows that poll every minute, at ${LIMIT} requests a minute`, ...fleetColumns],
		polls.map(([name, requests]) => [
			name.split(';')[0] ?? '',
			...FLEETS.map((stations) => {
				const workflows = Math.floor(LIMIT / requests(stations));
				return workflows > 0 ? number(workflows) : `1, every ${duration(requests(stations) / LIMIT)}`;
			}),
		]),
	),
	table(
		['Rows', 'Requests', ...LIMITS.map((limit) => `at ${number(limit)} requests a minute`)],
		LISTS.map((rows) => {
			const requests = Math.ceil(rows / PAGE);
			return [number(rows), number(requests), ...LIMITS.map((limit) => duration(requests / limit))];
		}),
	),
];
