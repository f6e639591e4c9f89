import {
	alerted,
	alertIsDue,
	mayAsk,
	refused,
	silenceIsDue,
	unanswered,
} from '../../../../../nodes/shared/trigger/visit/outage';
import type { Outage, Silence } from '../../../../../nodes/shared/trigger/visit/outage';

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
});

describe('polls that could read nothing', () => {
	/** Minutes after the first of them at which that is said. */
	function saidAt(minutes: readonly number[], askedMs?: number): number[] {
		let silence: Silence | undefined;
		return minutes.filter((minute) => {
			const now = minute * MINUTE;
			silence = unanswered(silence, now);
			const isDue = silenceIsDue(silence, now, askedMs);
			if (isDue) silence = alerted(silence, now);
			return isDue;
		});
	}

	it('are said after half an hour and three polls, and every six hours, a little early or late', () => {
		expect(saidAt([0, 10, 20, 29.95, 40, 380, 389.95, 400])).toEqual([29.95, 389.95]);
		expect(saidAt([0, 60, 120, 180])).toEqual([120]);
	});

	it('are said at once only where the platform asks to wait for more than an hour', () => {
		expect(saidAt([0, 5], 60 * MINUTE)).toEqual([]);
		expect(saidAt([0, 5], 61 * MINUTE)).toEqual([0]);
	});
});
