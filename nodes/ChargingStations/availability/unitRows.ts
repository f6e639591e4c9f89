import type { Closed, Excluded, Incident, Unit, UptimeRows } from './rows';
import type { Span, Turns } from './spans';

/** An incident as a span, without length where no row tells it. */
export interface Ended extends Span {
	/** Whether a row tells the end, or only how long it was seen, or nothing does. */
	end: 'told' | 'seen' | 'unknown';
}

/** What the rows say about one unit, and about no other. */
export interface UnitRows {
	unit: Unit;
	/** By cause, of those that count. Sorted by begin. */
	incidents: Map<string, Ended[]>;
	/** Sorted by begin. */
	excluded: Excluded[];
	closed: Closed[];
	/** When it could not be read for a cause that counts. */
	unreadable: Span[];
}

/** What the rows say, by the station and the charge point that they name: undefined for the station itself. */
export class Told {
	private readonly stations = new Map<string, Map<string | undefined, UnitRows>>();

	/** What the rows say that name a unit. There is nothing yet if it is new. */
	add({ station, chargePoint }: Unit): UnitRows {
		const units = this.stations.get(station) ?? new Map<string | undefined, UnitRows>();
		this.stations.set(station, units);
		const known = units.get(chargePoint);
		if (known) return known;
		const unit = { station, chargePoint };
		const rows: UnitRows = { unit, incidents: new Map(), excluded: [], closed: [], unreadable: [] };
		units.set(chargePoint, rows);
		return rows;
	}

	/** Of a station and of each of its charge points. */
	of(station: string): UnitRows[] {
		return [...(this.stations.get(station)?.values() ?? [])];
	}

	/** Of those that are about a unit: they name it or, if it is a charge point, its station. */
	about({ station, chargePoint }: Unit): UnitRows[] {
		const units = this.stations.get(station);
		return [...new Set([units?.get(undefined), units?.get(chargePoint)])].filter((rows) => rows !== undefined);
	}

	/** Of each unit that they name. */
	*[Symbol.iterator](): Iterator<UnitRows> {
		for (const units of this.stations.values()) yield* units.values();
	}
}

/** Sorts rows by the unit that they name. */
export async function byUnit(
	{ incidents, watched, excluded, closed }: UptimeRows,
	causes: readonly string[],
	now: number,
	turns: Turns,
): Promise<Told> {
	const told = new Told();
	await turns.map(incidents, (incident) => {
		if (!causes.includes(incident.cause)) return;
		const own = told.add(incident).incidents;
		const ended = endOf(incident, watched.has(incident.cause), now);
		const others = own.get(incident.cause);
		if (others) others.push(ended);
		else own.set(incident.cause, [ended]);
	});
	await turns.map(closed, (row) => told.add(row).closed.push(row));
	await turns.map(excluded, (row) => told.add(row).excluded.push(row));
	const unreadable = causes.flatMap((cause) => watched.get(cause)?.unreadable ?? []);
	await turns.map(unreadable, (span) => told.add(span).unreadable.push(span));
	return told;
}

function endOf({ since, until, openAt }: Incident, isWatched: boolean, now: number): Ended {
	if (until !== undefined) return { from: since, to: until, end: 'told' };
	if (!isWatched) return { from: since, to: now, end: 'seen' };
	return { from: since, to: Math.max(since, openAt ?? since), end: openAt === undefined ? 'unknown' : 'seen' };
}
