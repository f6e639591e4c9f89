/** For how long something cannot be read before that is said. */
const SAID_AFTER_MS = 3_600_000;
/** Tolerance between the two clocks, in milliseconds. */
const UNCERTAIN_MS = 10_000;

interface Unread {
	/** The last look that could not read it. */
	notedAt: number;
	/** The first look that could not read it. */
	since: number;
	/** The first of those in a row that certainly count; infinite if there is none yet. */
	sureSince: number;
	/** Undefined if it may have been said. */
	isSaid: boolean | undefined;
}

/**
 * Decides what must and what may be said of things that cannot be read for an hour: once, with their number, and not
 * again while it lasts. It knows nothing of saved state.
 */
export class Overdue {
	private readonly unread = new Map<string, Unread>();

	constructor(private readonly complain: (what: string) => void) {}

	/** A look that could not read something. @param like what has been unreadable for as long, if it is new */
	noteUnread(place: string, at: number, isSure: boolean, like?: string): void {
		const known = this.unread.get(place) ?? (like === undefined ? undefined : this.unread.get(like));
		const { since, sureSince, isSaid } = known ?? { since: at, sureSince: Infinity, isSaid: false };
		const sure = { sureSince: Math.min(sureSince, at), isSaid };
		// It may not have been looked at, and have counted as readable.
		this.unread.set(place, {
			notedAt: at,
			since,
			...(isSure ? sure : { sureSince: Infinity, isSaid: isSaid && undefined }),
		});
	}

	/** A look that could read something. @param isSure whether it certainly looked */
	noteRead(place: string, isSure = true): void {
		const known = this.unread.get(place);
		if (known && !isSure) Object.assign(known, { sureSince: Infinity, isSaid: undefined });
		else this.unread.delete(place);
	}

	/** Places of which something cannot be read. */
	places(): string[] {
		return [...this.unread.keys()];
	}

	/** What is known of the minutes, and of what was said, may be forgotten. */
	mayForget(): void {
		for (const known of this.unread.values()) Object.assign(known, { sureSince: Infinity, isSaid: undefined });
	}

	/** Compares what a poll said. */
	check(at: number, alerts: readonly string[]): void {
		const counts = alerts.filter((alert) => alert.includes('for an hour now')).map(numbersIn);
		if (counts.length > 1) this.complain(`${counts.length} alerts at once about what cannot be read`);
		const told = counts.flat().reduce((sum, count) => sum + count, 0);
		const all = [...this.unread.values()].filter(({ notedAt }) => notedAt === at);
		const must = all.filter((each) => each.isSaid === false && lasts(each.sureSince, at, UNCERTAIN_MS));
		const may = all.filter((each) => each.isSaid !== true && lasts(each.since, at, -UNCERTAIN_MS));
		if (told < must.length || told > may.length) {
			this.complain(`${told} said to be unreadable for an hour, which are ${must.length} to ${may.length}`);
		}
		for (const each of may) each.isSaid = told === may.length ? true : told === 0 ? each.isSaid : undefined;
	}
}

function lasts(since: number, at: number, tolerance: number): boolean {
	return at - since >= SAID_AFTER_MS + tolerance;
}

/** The numbers of what cannot be read: "The status of 2 stations and 1 charge point cannot be read". */
function numbersIn(alert: string): number[] {
	return [...alert.matchAll(/(\d+) (?:station|charge point)/g)].map(([, count]) => Number(count));
}
