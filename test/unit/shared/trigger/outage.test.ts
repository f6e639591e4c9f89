import { alerted, alertIsDue, hurried, mayAsk, refused } from '../../../../nodes/shared/trigger/outage';
import type { Outage } from '../../../../nodes/shared/trigger/outage';

const MINUTE = 60_000;
const refusal = {
	subject: 'settings and key',
	reason: 'license-inactive',
	refusal: new Error('The licence is not active'),
};

/** Polls every minute. Returns the minutes in which the platform was asked, and those with an alert. */
function watchOutage(minutes: number, jitterMs: (minute: number) => number = () => 0) {
	let outage: Outage | undefined;
	const asked: number[] = [];
	const alerts: number[] = [];
	for (let minute = 0; minute <= minutes; minute++) {
		const now = minute * MINUTE + jitterMs(minute);
		if (mayAsk(outage, now, refusal.subject)) {
			asked.push(minute);
			outage = refused(outage, now, refusal);
		}
		if (outage && alertIsDue(outage, now)) {
			alerts.push(minute);
			outage = alerted(outage, now);
		}
	}
	return { asked, alerts };
}

describe('a permanent refusal', () => {
	it('is not retried more often when polls run a little early or late', () => {
		const { asked, alerts } = watchOutage(60, (minute) => (minute % 2 === 0 ? 0 : -900 + (minute % 5) * 450));
		expect(asked.length).toBeLessThanOrEqual(8);
		expect(alerts).toEqual([0, 60]);
	});

	it('is retried after the time the platform asks for, or a quarter of an hour at most', () => {
		const soon = refused(undefined, 0, { ...refusal, pointlessForMs: 5 * MINUTE });
		expect(mayAsk(soon, 4 * MINUTE, refusal.subject)).toBe(false);
		expect(mayAsk(soon, 5 * MINUTE, refusal.subject)).toBe(true);
		const never = refused(undefined, 0, { ...refusal, pointlessForMs: 24 * 60 * MINUTE });
		expect(mayAsk(never, 15 * MINUTE, refusal.subject)).toBe(true);
	});

	it('counts as a new one, with its own alert, when the reason changes', () => {
		const first = alerted(refused(undefined, 0, refusal), 0);
		const again = refused(first, MINUTE, refusal);
		expect(alertIsDue(again, MINUTE)).toBe(false);
		const other = refused(first, MINUTE, { ...refusal, reason: 'unauthorized' });
		expect(alertIsDue(other, MINUTE)).toBe(true);
		expect(other.refusals).toBe(1);
	});

	it('is retried soon, but not at once, after a person activates the workflow again', () => {
		let outage = refused(undefined, 0, refusal);
		for (let n = 1; n < 8; n++) outage = refused(outage, n * 15 * MINUTE, refusal);
		const now = outage.askedAt + 5_000;
		expect(mayAsk(hurried(outage, now), now, refusal.subject)).toBe(false);
		expect(mayAsk(hurried(outage, now), now + 30_000, refusal.subject)).toBe(true);
	});
});
