import { setTimeout as realSleep } from 'node:timers/promises';
import { promisify } from 'node:util';

/**
 * Loaded into n8n before anything else: its clock begins at CLOCK_START (milliseconds since 1970; now, when it is not
 * set) and runs CLOCK_RATE times as fast, and its timers with it. What takes a quarter of an hour in a published
 * workflow is over in half a minute, and the first of the month comes when it is wanted.
 */
const RATE = Number(process.env.CLOCK_RATE ?? 1);
const RealDate = Date;
const realNow = RealDate.now.bind(RealDate);
const begun = realNow();
const start = Number(process.env.CLOCK_START ?? begun);

const now = () => Math.floor(start + (realNow() - begun) * RATE);

globalThis.Date = new Proxy(RealDate, {
	construct: (target, args, newTarget) =>
		Reflect.construct(target, args.length > 0 ? args : [now()], newTarget) as Date,
	apply: () => new RealDate(now()).toString(),
	get: (target, name, receiver) => (name === 'now' ? now : (Reflect.get(target, name, receiver) as unknown)),
});

/** A timer function whose second argument, the milliseconds to wait, passes as fast as the clock. */
function hurried<T extends typeof setTimeout | typeof setInterval>(timer: T): T {
	const waiting = (args: unknown[]) => [args[0], Number(args[1] ?? 0) / RATE, ...args.slice(2)];
	return new Proxy(timer, {
		apply: (target, self, args) => Reflect.apply(target, self, waiting(args)) as NodeJS.Timeout,
		get: (target, name, receiver) =>
			name === promisify.custom ? sleep : (Reflect.get(target, name, receiver) as unknown),
	});
}

const sleep: typeof realSleep = (ms, value, options) => realSleep((ms ?? 0) / RATE, value, options);

globalThis.setTimeout = hurried(setTimeout);
globalThis.setInterval = hurried(setInterval);
