import type { Span, Interval } from './dividePeriod';

/** The cause of incidents and watched times that name none. */
export const OFFLINE = 'offline';

/** The cause of what the Charge Point Trigger reports. It is always about a charge point. */
export const CHARGE_POINT = 'chargePoint';

/** A `stationId` that excludes a time for all stations. An empty cell must not do that. */
export const EVERY_STATION = '*';

/** What rows are about: a station, or one of its charge points. */
export interface UptimeUnit {
	/** A station's Id; of what does not count also `EVERY_STATION`. */
	station: string;
	/** The Id of a charge point, which may be unique only within its station. */
	chargePoint?: string;
}

/** What a row says of a unit. */
export interface ReportedInterval extends Interval {
	/** Of an outage, whether a row tells its end, or only how long it was seen. If nothing does, it has no length. */
	end?: 'told' | 'seen' | 'unknown';
}

/** Hours in which a station is closed on some weekdays. They do not count. */
export interface ClosingHours {
	/** The days on which the hours begin: 0 is Sunday. */
	weekdays: ReadonlySet<number>;
	/** Seconds since midnight, as clocks show them. */
	from: number;
	/** Seconds since midnight; on the next day unless it is later than `from`. */
	to: number;
	reason?: string;
}

/** What the rows say that name a unit. */
export interface UptimeUnitRows {
	unit: UptimeUnit;
	stretches: ReportedInterval[];
	closed: ClosingHours[];
}

/** When the trigger watched for one cause. */
export interface WatchedSpans {
	spans: Span[];
	/** Their length, and how many polls there were in it, as far as the rows tell. */
	seconds: number;
	polls: number;
	/** The latest of these times: its end, and how many stations were watched, if the row says so. */
	latest: { to: number; stations?: number };
}

/** What the input rows tell. */
export class UptimeRows {
	/** By cause. */
	readonly watched = new Map<string, WatchedSpans>();
	/** Rows that tell nothing about uptime. */
	skipped = 0;
	/** By station and charge point; undefined for the station itself. */
	private readonly units = new Map<string, Map<string | undefined, UptimeUnitRows>>();

	/** What the rows say that name this unit. There is nothing yet if it is new. */
	own({ station, chargePoint }: UptimeUnit): UptimeUnitRows {
		const units = this.units.get(station) ?? new Map<string | undefined, UptimeUnitRows>();
		this.units.set(station, units);
		const known = units.get(chargePoint);
		if (known) return known;
		const rows: UptimeUnitRows = { unit: { station, chargePoint }, stretches: [], closed: [] };
		units.set(chargePoint, rows);
		return rows;
	}

	/** The rows of a station, and those of each of its charge points. */
	of(station: string): UptimeUnitRows[] {
		return [...(this.units.get(station)?.values() ?? [])];
	}

	/** The rows that hold for a unit: they name it or, if it is a charge point, its station. */
	about({ station, chargePoint }: UptimeUnit): UptimeUnitRows[] {
		const units = this.units.get(station);
		const names = chargePoint === undefined ? [undefined] : [undefined, chargePoint];
		return names.flatMap((name) => units?.get(name) ?? []);
	}

	all(): UptimeUnitRows[] {
		return [...this.units.keys()].flatMap((station) => this.of(station));
	}

	/** The causes of incidents and watched times, each in one spelling. */
	causes(): string[] {
		const causes = new Set(this.watched.keys());
		for (const { stretches } of this.all()) {
			for (const { state, cause } of stretches) if (state === 'down' && cause !== undefined) causes.add(cause);
		}
		return [...causes];
	}
}
