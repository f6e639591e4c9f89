import type { IDataObject } from 'n8n-workflow';

import type { Judged } from '../trigger/history.ts';
import { EventIds } from '../trigger/judging.ts';
import type { Truth } from './model.ts';
import { text } from '../trigger/events.ts';

const HOUR_MS = 3_600_000;

/** What is known of one station. */
interface Known {
	isOffline: boolean;
	/** When its outages began, the latest last. */
	began: number[];
	/** Since the last outage that was reported, there was none without another within an hour. */
	isTold: boolean;
}

/** Decides which polls must report that a station keeps going offline: the `outages`th time within an hour. */
export class OftenModel {
	private known = new Map<number, Known>();
	private saved: Map<number, Known> | undefined;
	private readonly ids: EventIds;

	constructor(
		private readonly settings: { outages: number; outOfService: boolean },
		private readonly complain: (what: string) => void,
	) {
		this.ids = new EventIds(({ stationId, event }: IDataObject) => `${text(stationId)} ${text(event)}`, complain);
	}

	/** All stations are online, and the first poll notes it. */
	begin(): void {}

	judge({ at, sight, items, isLost }: Judged, stations: ReadonlyMap<number, Truth>): void {
		if (this.saved) this.known = this.saved;
		this.saved = isLost ? structuredClone(this.known) : undefined;
		const told = items.map(({ stationId }) => Number(stationId)).sort();
		const due = sight === 'nothing' ? [] : [...stations].filter(([id, truth]) => this.see(id, truth, sight, at));
		const expected = due.map(([id]) => id).sort();
		if (told.join() !== expected.join()) this.complain(`unstable: ${told.join()} instead of ${expected.join()}`);
		this.ids.check(items, isLost);
	}

	/** @returns whether it must be reported */
	private see(id: number, { network, status }: Truth, sight: Judged['sight'], at: number): boolean {
		const known = this.known.get(id) ?? { isOffline: false, began: [], isTold: false };
		const isOffline = network !== 1;
		// A list of stations that are offline shows no others, and a station that was is looked up.
		const isSeen = known.isOffline || (isOffline && sight === 'all');
		if (!isSeen || (this.settings.outOfService && status === null)) return false;
		if (this.settings.outOfService && status === 2) {
			this.known.delete(id);
			return false;
		}
		const hasBegun = isOffline && !known.isOffline;
		const recent = known.began.filter((time) => at - time < HOUR_MS);
		const isTold = known.isTold && recent.length > 0;
		const began = hasBegun ? [...recent, at] : known.began;
		const isDue = hasBegun && !isTold && began.length >= this.settings.outages;
		this.known.set(id, { isOffline, began, isTold: hasBegun ? isTold || isDue : known.isTold });
		return isDue;
	}
}
