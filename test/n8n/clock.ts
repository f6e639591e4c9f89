/**
 * Loaded into n8n before anything else: its clock begins at CLOCK_START (milliseconds since 1970; now, when it is not
 * set) and runs CLOCK_RATE times as fast, and so do its schedules. What takes a quarter of an hour in a published
 * workflow is over in half a minute, and the first of the month comes when it is wanted. `performance.now` keeps step: else
 * the triggers would see a clock that somebody sets all the time. All other timers are left alone: n8n gives its database
 * and its requests as much time as always.
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

const realElapsed = performance.now.bind(performance);
const elapsed = realElapsed();
performance.now = () => elapsed + (realElapsed() - elapsed) * RATE;

/** The name of the function that n8n's scheduler, the library cron, has called when its time has come. */
const TICK = 'callbackWrapper';

globalThis.setTimeout = new Proxy(setTimeout, {
	apply: (target, self, args: unknown[]) => {
		const [callback, ms, ...rest] = args;
		const hurried = typeof callback === 'function' && callback.name === TICK;
		return Reflect.apply(target, self, [callback, hurried ? Number(ms) / RATE : ms, ...rest]) as NodeJS.Timeout;
	},
});
