/**
 * Loaded into n8n before anything else: its clock starts at CLOCK_START (milliseconds since 1970; default: now, or
 * CLOCK_OFFSET milliseconds later, which several programs can share) and runs CLOCK_RATE times as fast, and so do its
 * schedules. A quarter of an hour in a published workflow takes half a minute, and the first of the month comes when it
 * is needed. `performance.now` runs as fast, or the triggers would see a clock that is set all the time. Other timers do not: n8n's database and requests have as much time as usual.
 */
export {};

const RATE = Number(process.env.CLOCK_RATE ?? 1);
const RealDate = Date;
const realNow = RealDate.now.bind(RealDate);
const begun = realNow();
const start = Number(process.env.CLOCK_START ?? begun + Number(process.env.CLOCK_OFFSET ?? 0));

const now = () => Math.floor(start + (realNow() - begun) * RATE);

globalThis.Date = new Proxy(RealDate, {
	construct: (target, args, newTarget) =>
		Reflect.construct(target, args.length > 0 ? args : [now()], newTarget) as Date,
	apply: () => new RealDate(now()).toString(),
	get: (target, name, receiver) => (name === 'now' ? now : (Reflect.get(target, name, receiver) as unknown)),
});

const realElapsed = performance.now.bind(performance);
const elapsed = realElapsed();
performance.now = () => elapsed + (realElapsed() - elapsed) * RATE;

/** The name of the function that cron, n8n's scheduler library, calls when a job is due. */
const TICK = 'callbackWrapper';

globalThis.setTimeout = new Proxy(setTimeout, {
	apply: (target, self, args: unknown[]) => {
		const [callback, ms, ...rest] = args;
		const hurried = typeof callback === 'function' && callback.name === TICK;
		return Reflect.apply(target, self, [callback, hurried ? Number(ms) / RATE : ms, ...rest]) as NodeJS.Timeout;
	},
});
