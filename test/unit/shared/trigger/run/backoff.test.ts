import {
	backOff,
	addUnansweredPoll,
	isUnansweredAlertDue,
	isRetryDue,
	isAlertAllowed,
	type RefusalBackoff,
	type UnansweredPolls,
} from '../../../../../nodes/shared/trigger/run/backoff';

const MINUTE = 60_000;
const refusal = {
	reason: 'license-inactive',
	refusal: new Error('The licence is not active'),
};

describe('a permanent refusal', () => {
	it('is asked about after 2, 4, 8 and then every 15 minutes, and said each hour, also if polls are early or late', () => {
		let backoff: RefusalBackoff | undefined;
		let saidAt: number | undefined;
		const asked: number[] = [];
		const said: number[] = [];
		for (let minute = 0; minute <= 60; minute++) {
			const now = minute * MINUTE + (minute % 2 === 0 ? 0 : -900 + (minute % 5) * 450);
			if (isRetryDue(backoff, now)) {
				asked.push(minute);
				backoff = backOff(backoff, now, refusal);
			}
			if (isAlertAllowed(saidAt, now)) {
				said.push(minute);
				saidAt = now;
			}
		}
		expect(asked).toEqual([0, 2, 6, 14, 29, 44, 59]);
		expect(said).toEqual([0, 60]);
	});

	it('is asked about after the time that the platform asks for, or a quarter of an hour at most', () => {
		const soon = backOff(undefined, 0, { ...refusal, pointlessForMs: 5 * MINUTE });
		expect([4, 5].map((minute) => isRetryDue(soon, minute * MINUTE))).toEqual([false, true]);
		const never = backOff(undefined, 0, { ...refusal, pointlessForMs: 24 * 60 * MINUTE });
		expect(isRetryDue(never, 15 * MINUTE)).toBe(true);
	});

	it('is another one, about which is asked soon, when the reason changes', () => {
		const third = [1, 2, 3].reduce<RefusalBackoff | undefined>((before) => backOff(before, 0, refusal), undefined);
		expect(isRetryDue(third, 2 * MINUTE)).toBe(false);
		expect(isRetryDue(backOff(third, 0, { ...refusal, reason: 'unauthorized' }), 2 * MINUTE)).toBe(true);
	});
});

it.each([
	[
		'after half an hour, and every six hours, a little early or late',
		[0, 10, 20, 29.95, 40, 380, 389.95],
		[29.95, 389.95],
	],
	['with three polls at least', [0, 60, 120, 180], [120]],
])('polls that could read nothing are said %s', (_, minutes, said) => {
	let polls: UnansweredPolls | undefined;
	const isSaid = (minute: number) => {
		const now = minute * MINUTE;
		polls = addUnansweredPoll(polls, now);
		const isDue = isUnansweredAlertDue(polls, now);
		if (isDue) polls.saidAt = now;
		return isDue;
	};
	expect(minutes.filter(isSaid)).toEqual(said);
});
