import { Refusal } from './errors.ts';
import type { RateLimit } from './types.ts';

/** The wait that a 429 told its client. */
export interface Wait {
	retryAfter: string | undefined;
	/** Milliseconds since the epoch, by this machine's clock. */
	until: number | undefined;
}

export class RateLimited extends Refusal {
	readonly wait: Wait;

	constructor(wait: Wait) {
		const headers = wait.retryAfter === undefined ? undefined : { 'retry-after': wait.retryAfter };
		super(429, 'The rate limit of the subscription is exceeded.', { headers });
		this.wait = wait;
	}
}

/** Counts the requests of each key. Refused ones do not count. */
export class RateLimiter {
	private readonly windows = new Map<string, number[]>();

	clear(): void {
		this.windows.clear();
	}

	/** Lets one request of the key through, or throws the 429. */
	admit(keyId: string, rule: RateLimit, clockSkewMs: number): void {
		const now = Date.now();
		const times = this.windows.get(keyId) ?? [];
		this.windows.set(keyId, times);
		if (rule.window === 'fixed') {
			const [opened] = times;
			if (opened !== undefined && now - opened >= rule.windowMs) times.length = 0;
		} else {
			const firstInside = times.findIndex((time) => now - time < rule.windowMs);
			times.splice(0, firstInside < 0 ? times.length : firstInside);
		}
		if (times.length < rule.limit) {
			times.push(now);
			return;
		}
		// If the limit was lowered meanwhile, there are more times than it allows.
		const frees = rule.window === 'fixed' ? times[0] : times[times.length - rule.limit];
		throw new RateLimited(this.tell(rule, now, (frees ?? now) + rule.windowMs - now, clockSkewMs));
	}

	private tell(rule: RateLimit, now: number, leftMs: number, clockSkewMs: number): Wait {
		const told = rule.retryAfterSeconds === undefined ? leftMs : rule.retryAfterSeconds * 1000;
		const seconds = Math.max(rule.retryAfterSeconds === 0 ? 0 : 1, Math.ceil(told / 1000));
		switch (rule.retryAfter) {
			case 'seconds':
				return { retryAfter: String(seconds), until: now + seconds * 1000 };
			case 'date': {
				const date = Math.ceil((now + clockSkewMs + told) / 1000) * 1000;
				return { retryAfter: new Date(date).toUTCString(), until: date - clockSkewMs };
			}
			case 'none':
				return { retryAfter: undefined, until: undefined };
		}
	}
}
