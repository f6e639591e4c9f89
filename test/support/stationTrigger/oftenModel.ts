import type { IDataObject } from 'n8n-workflow';

import type { Judged } from '../trigger/history.ts';
import { Judge } from '../trigger/judging.ts';
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

/** That a station keeps going offline: the `outages`th time within an hour must be reported. */
export class OftenModel extends Judge<Map<number, Known>> {
	constructor(
		private readonly settings: { outages: number; outOfService: boolean },
		complain: (what: string) => void,
	) {
		super(new Map(), complain);
	}

	/** All stations are online, and the first poll notes it. */
	begin(): void {}

	judge(poll: Judged, stations: ReadonlyMap<number, Truth>): void {
		this.accountFor(poll, () => {
			if (poll.sight === 'nothing') return;
			const due = [...stations].filter(([id, truth]) => this.see(id, truth, poll.sight, poll.at));
			for (const [id] of due) if (!this.take(String(id))) this.complain(`${id}: unstable is lost`);
		});
	}

	protected placeOf({ stationId }: IDataObject): string {
		return text(stationId);
	}

	protected restart(): void {}

	/** @returns whether it must be reported */
	private see(id: number, { network, status }: Truth, sight: Judged['sight'], at: number): boolean {
		const known = this.state.get(id) ?? { isOffline: false, began: [], isTold: false };
		const isOffline = network !== 1;
		// A list of stations that are offline shows no others, and a station that was is looked up.
		const isSeen = known.isOffline || (isOffline && sight === 'all');
		if (!isSeen || (this.settings.outOfService && status === null)) return false;
		if (this.settings.outOfService && status === 2) {
			this.state.delete(id);
			return false;
		}
		const hasBegun = isOffline && !known.isOffline;
		const recent = known.began.filter((time) => at - time < HOUR_MS);
		const isTold = known.isTold && recent.length > 0;
		const began = hasBegun ? [...recent, at] : known.began;
		const isDue = hasBegun && !isTold && began.length >= this.settings.outages;
		this.state.set(id, { isOffline, began, isTold: hasBegun ? isTold || isDue : known.isTold });
		return isDue;
	}
}
