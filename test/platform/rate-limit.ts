import { Refusal } from './errors.ts';
import type { RateLimit } from './types.ts';

/** The wait that a 429 told its client. */
export interface Wait {
	retryAfter: string | undefined;
	/** Milliseconds since the epoch. */
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

/** Counts the requests of each key. Refused ones do not count. A window opens with the first request after the last one. */
export class RateLimiter {
	private readonly windows = new Map<string, { opened: number; requests: number }>();

	clear(): void {
		this.windows.clear();
	}

	/** Lets one request of the key through, or throws the 429. */
	admit(keyId: string, rule: RateLimit): void {
		const now = Date.now();
		let window = this.windows.get(keyId);
		if (!window || now - window.opened >= rule.windowMs) {
			window = { opened: now, requests: 0 };
			this.windows.set(keyId, window);
		}
		if (window.requests >= rule.limit) throw new RateLimited(waitOf(rule, now, window.opened + rule.windowMs));
		window.requests++;
	}
}

function waitOf({ retryAfter, retryAfterSeconds }: RateLimit, now: number, end: number): Wait {
	const left = retryAfterSeconds === undefined ? end - now : retryAfterSeconds * 1000;
	const seconds = Math.max(1, Math.ceil(left / 1000));
	switch (retryAfter) {
		case 'seconds':
			return { retryAfter: String(seconds), until: now + seconds * 1000 };
		case 'date': {
			const date = Math.ceil((now + left) / 1000) * 1000;
			return { retryAfter: new Date(date).toUTCString(), until: date };
		}
		case 'none':
			return { retryAfter: undefined, until: undefined };
	}
}
