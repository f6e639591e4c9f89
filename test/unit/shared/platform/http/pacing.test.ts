import { WaitClock } from '../../../../../nodes/shared/platform/http/access';
import { LicenseCircuits, RememberedRefusals } from '../../../../../nodes/shared/platform/http/circuit';
import { RateLimitGates } from '../../../../../nodes/shared/platform/http/gate';
import { retryAfterMs } from '../../../../../nodes/shared/platform/answers/retryAfter';

class Clock {
	now = 1_800_000_000_000;
	readonly read = () => this.now;
}

describe('how long a response asks to wait', () => {
	const now = Date.UTC(2026, 10, 21, 12, 0, 0);
	const date = (ms: number) => new Date(now + ms).toUTCString();

	it.each([
		['30', 30_000],
		['1.5', 1_500],
		[' 2 ', 2_000],
		['0', undefined],
		['-5', undefined],
		['soon', undefined],
		['', undefined],
	])('"%s" seconds', (header, expected) => {
		expect(retryAfterMs({ 'retry-after': header }, now)).toBe(expected);
	});

	it('no header', () => {
		expect(retryAfterMs({}, now)).toBeUndefined();
	});

	it('a date by the local clock, when the response shows that it agrees', () => {
		expect(retryAfterMs({ 'retry-after': date(10_000), date: date(0) }, now + 700)).toBe(9_300);
		expect(retryAfterMs({ 'retry-after': date(10_000) }, now)).toBe(10_000);
	});

	it('a date by its distance to the Date header, when the clocks differ', () => {
		for (const skew of [-86_400_000, -5_000, 5_000, 86_400_000]) {
			expect(retryAfterMs({ 'retry-after': date(10_000), date: date(0) }, now + skew)).toBe(10_000);
		}
	});

	it('waits on top what the local clock is certainly ahead', () => {
		expect(retryAfterMs({ 'retry-after': date(10_000), date: date(0) }, now + 1_800)).toBe(9_000);
	});

	it('a date in the past asks for nothing; the older forms are dates too', () => {
		expect(retryAfterMs({ 'retry-after': date(-1_000), date: date(0) }, now)).toBeUndefined();
		expect(retryAfterMs({ 'retry-after': 'Saturday, 21-Nov-26 12:00:10 GMT' }, now)).toBe(10_000);
		expect(retryAfterMs({ 'retry-after': 'Sat Nov 21 12:00:10 2026' }, now)).toBe(10_000);
	});
});

describe('the gate of a key', () => {
	it('stays closed as long as asked, and only for this key', () => {
		const clock = new Clock();
		const gates = new RateLimitGates(clock.read);
		expect(gates.refused('a', clock.now, 5_000)).toBe(5_000);
		clock.now += 4_999;
		expect(gates.remainingMs('a')).toBe(1);
		expect(gates.remainingMs('b')).toBe(0);
		clock.now += 1;
		expect(gates.remainingMs('a')).toBe(0);
	});

	it('is never opened sooner by a request that was under way', () => {
		const clock = new Clock();
		const gates = new RateLimitGates(clock.read);
		const sentAt = clock.now;
		gates.refused('a', sentAt, 10_000);
		clock.now += 100;
		expect(gates.refused('a', sentAt, 1_000)).toBe(9_900);
		expect(gates.refused('a', sentAt, undefined)).toBe(9_900);
		gates.passed('a', sentAt);
		expect(gates.remainingMs('a')).toBe(9_900);
		expect(gates.refused('a', sentAt, 20_000)).toBe(20_000);
	});

	it('backs off further with every refusal in a row, with jitter, and forgets once a request came through', () => {
		const clock = new Clock();
		const gates = new RateLimitGates(clock.read, () => 1);
		const waits: number[] = [];
		for (let n = 0; n < 8; n++) {
			const wait = gates.refused('a', clock.now, undefined);
			waits.push(wait);
			clock.now += wait;
		}
		expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
		gates.passed('a', clock.now);
		expect(gates.refused('a', clock.now, undefined)).toBe(1_000);
		expect(new RateLimitGates(clock.read, () => 0).refused('a', clock.now, undefined)).toBe(500);
	});

	it('an answer to a request from before says nothing about the time after', () => {
		const clock = new Clock();
		const gates = new RateLimitGates(clock.read, () => 1);
		const sentAt = clock.now;
		clock.now += gates.refused('a', sentAt, undefined);
		gates.passed('a', sentAt);
		expect(gates.refused('a', clock.now, undefined)).toBe(2_000);
	});

	it('several refusals of one burst count once', () => {
		const clock = new Clock();
		const gates = new RateLimitGates(clock.read, () => 1);
		const sentAt = clock.now;
		clock.now += 50;
		for (let n = 0; n < 8; n++) gates.refused('a', sentAt, undefined);
		expect(gates.remainingMs('a')).toBe(1_000);
	});
});

describe('the licence circuit of a key', () => {
	const minute = 60_000;

	it('stays open for a minute, then two, up to fifteen; one request finds out', () => {
		const clock = new Clock();
		const circuits = new LicenseCircuits(clock.read);
		expect(circuits.admit('a')).toEqual({ go: 'pass' });
		const opened: number[] = [];
		for (let n = 0; n < 6; n++) {
			const until = circuits.refused('a');
			opened.push((until - clock.now) / minute);
			expect(circuits.admit('a')).toEqual({ go: 'refused', until });
			clock.now = until;
			expect(circuits.admit('a')).toEqual({ go: 'probe' });
			expect(circuits.admit('a')).toEqual({ go: 'wait' });
		}
		expect(opened).toEqual([1, 2, 4, 8, 15, 15]);
		circuits.succeeded('a', clock.now);
		expect(circuits.admit('a')).toEqual({ go: 'pass' });
		expect(circuits.refused('a') - clock.now).toBe(minute);
	});

	it('refusals that were under way together do not make it longer', () => {
		const clock = new Clock();
		const circuits = new LicenseCircuits(clock.read);
		const until = circuits.refused('a');
		clock.now += 10;
		expect(circuits.refused('a')).toBe(until);
	});

	it('lets each manual execution ask once, and makes its other requests wait for the answer', () => {
		const clock = new Clock();
		const circuits = new LicenseCircuits(clock.read);
		const until = circuits.refused('a', 'first');
		expect(circuits.admit('a', 'first')).toEqual({ go: 'refused', until });
		expect(circuits.admit('a', 'second')).toEqual({ go: 'probe' });
		expect(circuits.admit('a', 'second')).toEqual({ go: 'wait' });
		expect(circuits.admit('a')).toEqual({ go: 'refused', until });
		expect(circuits.refused('a', 'second')).toBe(until);
		expect(circuits.admit('a', 'second')).toEqual({ go: 'refused', until });
	});

	it('a request that ends without an answer leaves the question to the next', () => {
		const clock = new Clock();
		const circuits = new LicenseCircuits(clock.read);
		clock.now = circuits.refused('a');
		circuits.admit('a');
		circuits.undecided('a');
		expect(circuits.admit('a')).toEqual({ go: 'probe' });
	});

	it('an answer to a request older than the refusal proves nothing', () => {
		const clock = new Clock();
		const circuits = new LicenseCircuits(clock.read);
		const sentAt = clock.now - 5;
		circuits.refused('a');
		circuits.succeeded('a', sentAt);
		expect(circuits.admit('a').go).toBe('refused');
	});
});

describe('the time spent waiting', () => {
	it('counts overlapping waits once', () => {
		const stats = { requests: 0, rateLimitWaitMs: 0 };
		const waiting = new WaitClock(stats);
		waiting.begin(0);
		waiting.begin(100);
		waiting.end(1_000);
		waiting.end(1_100);
		waiting.begin(5_000);
		waiting.end(5_010);
		expect(stats.rateLimitWaitMs).toBe(1_110);
	});
});

describe('what an execution was told', () => {
	it('is kept for this execution, and only for a bounded number of them', () => {
		const remembered = new RememberedRefusals<number>();
		for (let n = 0; n < 2_000; n++) remembered.add('key', 'scope', `execution ${n}`, n);
		remembered.add('key', 'scope', undefined, -1);
		expect(remembered.get('key', 'scope', 'execution 1999')).toBe(1_999);
		expect(remembered.get('key', 'other', 'execution 1999')).toBeUndefined();
		expect(remembered.get('key', 'scope', 'execution 0')).toBeUndefined();
		expect(remembered.get('key', 'scope', undefined)).toBeUndefined();
	});
});
