import { Refusal } from './errors.ts';
import type { RateLimit } from './types.ts';

export class RateLimited extends Refusal {
	/** End of the wait that the client is told, milliseconds since the epoch. */
	readonly until: number | undefined;

	constructor(retryAfter?: string, until?: number) {
		const headers = retryAfter === undefined ? undefined : { 'retry-after': retryAfter };
		super(429, 'The rate limit of the subscription is exceeded.', { headers });
		this.until = until;
	}
}

/** Counts the requests of each key. Refused ones do not count. */
export class RateLimiter {
	private readonly windows = new Map<string, { opened: number; requests: number }>();

	clear(): void {
		this.windows.clear();
	}

	/** Lets one request of the key through, or returns the 429. */
	admit(keyId: string, rule: RateLimit): RateLimited | undefined {
		const now = Date.now();
		let window = this.windows.get(keyId);
		if (!window || now - window.opened >= rule.windowMs) {
			window = { opened: now, requests: 0 };
			this.windows.set(keyId, window);
		}
		if (window.requests >= rule.limit) return tooMany(rule, now, window.opened + rule.windowMs);
		window.requests++;
		return undefined;
	}
}

function tooMany({ retryAfter, retryAfterSeconds }: RateLimit, now: number, end: number): RateLimited {
	const left = retryAfterSeconds === undefined ? end - now : retryAfterSeconds * 1000;
	switch (retryAfter) {
		case 'seconds': {
			const seconds = Math.max(1, Math.ceil(left / 1000));
			return new RateLimited(String(seconds), now + seconds * 1000);
		}
		case 'date': {
			const date = Math.ceil((now + left) / 1000) * 1000;
			return new RateLimited(new Date(date).toUTCString(), date);
		}
		case 'none':
			return new RateLimited();
	}
}
