const PAGE = 100;

/**
 * Requests of a turn of the Charge Point Trigger, as docs/queue-mode.md has them: a look at each station, and in each poll
 * as many pages of the list as it looks at stations. That the list goes on is told by its count, that it ends by a page
 * that is not full.
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
