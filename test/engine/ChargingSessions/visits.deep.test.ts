import { DateTime } from 'luxon';

import { randomFrom, seeds } from '../../support/draws.ts';
import { ACTIVE, FAILED, FINISHED } from '../../support/sessionTrigger/support.ts';
import { during } from '../../support/summary.ts';
import { at, SummaryBench, ZONE, type TestSession } from '../../support/summaryBench.ts';
import { expected, figuresOf, VISITS, type Ending } from '../../support/visits.ts';

/** Three weeks, with a day of 25 hours in the middle. */
const [FROM, TO] = ['2026-10-12T00:00:00', '2026-11-02T00:00:00'];

const bench = new SummaryBench();

describe('Visit Success against visits that are made up first, and their sessions from them', () => {
	it.each(seeds())('seed %i', async (seed) => {
		const random = randomFrom(seed);
		const upTo = (most: number) => Math.floor(random() * (most + 1));
		const sessions: TestSession[] = [];
		const byDay = new Map<string, { sessions: number; visits: Partial<Record<Ending, number>> }>();
		const dayOf = (start: number) => DateTime.fromSeconds(start, { zone: ZONE }).toISODate() ?? '';
		const bookOf = (start: number) => {
			const book = byDay.get(dayOf(start)) ?? { sessions: 0, visits: {} };
			byDay.set(dayOf(start), book);
			return book;
		};
		const isInside = (start: number) => start >= at(FROM) && start < at(TO);
		for (const driver of ['Ada', 'Bob', 'Cem']) {
			for (const place of ['Depot', 'Harbour']) {
				let start = at(FROM) - 4_000 + upTo(600);
				while (start < at(TO) + 5_000) {
					const ending = (['FirstTry', 'AfterTrouble', 'Failed', 'Undecided'] as const)[upTo(3)] ?? 'Failed';
					const tries = ending === 'FirstTry' ? 1 : ending === 'AfterTrouble' ? 2 + upTo(3) : 1 + upTo(4);
					const odd = upTo(tries - 1);
					const first = start;
					for (let n = 0; n < tries; n++) {
						const succeeds = n === tries - 1 && ending.match(/Try|Trouble/) !== null;
						const undecided = ending === 'Undecided' && n === odd;
						sessions.push({ driver, station: place, start, status: succeeds ? FINISHED : undecided ? ACTIVE : FAILED });
						if (isInside(start)) bookOf(start).sessions++;
						if (n < tries - 1)
							start += upTo(3) === 0 ? VISITS.visitMinutes * 60 : 1 + upTo(VISITS.visitMinutes * 60 - 1);
					}
					if (isInside(first)) {
						const { visits } = bookOf(first);
						visits[ending] = (visits[ending] ?? 0) + 1;
					}
					// After a success the next may begin at once; otherwise not within the minutes.
					const isOver = ending === 'FirstTry' || ending === 'AfterTrouble';
					const nearEdge = Math.min(Math.abs(start - at(FROM)), Math.abs(start - at(TO))) < 6_000;
					start += (isOver ? 1 : VISITS.visitMinutes * 60 + 1) + upTo(nearEdge ? 600 : 20_000);
				}
			}
		}
		bench.store(
			sessions
				.map((each) => ({ each, key: random() }))
				.sort((a, b) => a.key - b.key)
				.map(({ each }) => each),
		);
		const { json, error } = await bench.summarize(VISITS, during(FROM, TO), {
			groupBy: ['day'],
			result: 'itemPerGroup',
		});
		expect(error).toBeUndefined();
		const got = json.map((item) => [item.day, item.count, figuresOf(item)]);
		const wanted = [...byDay].sort().map(([day, book]) => [day, book.sessions, expected(book.visits)]);
		expect(got).toEqual(wanted);
	});
});
