import { Refusal } from './errors.ts';
import type { RateLimit, RequestRecord } from './types.ts';

/** Counts the requests of each key. Refused ones do not count. */
export class RateLimiter {
	private readonly windows = new Map<string, { opened: number; requests: number }>();

	clear(): void {
		this.windows.clear();
	}

	/** Lets one request of the key through, or returns the 429. */
	admit(keyId: string, rule: RateLimit, record: RequestRecord): Refusal | undefined {
		const now = Date.now();
		let window = this.windows.get(keyId);
		if (!window || now - window.opened >= rule.windowMs) {
			window = { opened: now, requests: 0 };
			this.windows.set(keyId, window);
		}
		if (window.requests < rule.limit) {
			window.requests++;
			return undefined;
		}
		const end = window.opened + rule.windowMs;
		const headers: Record<string, string> = {};
		if (rule.retryAfter === 'seconds') {
			const seconds = Math.ceil((end - now) / 1000);
			headers['retry-after'] = String(seconds);
			record.waitUntil = now + seconds * 1000;
		}
		if (rule.retryAfter === 'date') {
			record.waitUntil = Math.ceil(end / 1000) * 1000;
			headers['retry-after'] = new Date(record.waitUntil).toUTCString();
		}
		return new Refusal(429, 'The rate limit of the subscription is exceeded.', { headers });
	}
}
