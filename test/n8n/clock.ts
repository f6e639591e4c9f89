/**
 * Loaded into n8n before anything else: from CLOCK_BEGUN (milliseconds since 1970) on, its clock runs CLOCK_RATE times as
 * fast, over restarts, and so do its schedules. A quarter of an hour in a published workflow takes half a minute.
 * `performance.now` runs as fast. Other timers do not: n8n's database and requests have as much time as usual.
 */
import Module from 'node:module';

const RATE = Number(process.env.CLOCK_RATE ?? 1);
const BEGUN = Number(process.env.CLOCK_BEGUN ?? Date.now());

/** Sets the clock of where it is called: from `begun` on it runs faster. Its text runs in isolates, too. */
function setClock(begun: number, rate: number): void {
	const RealDate = Date;
	const realNow = RealDate.now.bind(RealDate);
	const now = () => Math.floor(begun + (realNow() - begun) * rate);
	globalThis.Date = new Proxy(RealDate, {
		construct: (target, args, newTarget) =>
			Reflect.construct(target, args.length > 0 ? args : [now()], newTarget) as Date,
		apply: () => new RealDate(now()).toString(),
		get: (target, name, receiver) => (name === 'now' ? now : (Reflect.get(target, name, receiver) as unknown)),
	});
}

setClock(BEGUN, RATE);

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

/** What is used here of the package `isolated-vm`: n8n 2 evaluates expressions in its isolates. */
interface IsolatedVm {
	Isolate: new (options?: object) => { createContext(): Promise<Context>; createContextSync(): Context };
}

interface Context {
	evalSync: (code: string) => void;
}

/** The package, with isolates whose contexts get the same clock: they have a `Date` of their own. */
function withClock(isolatedVm: IsolatedVm): IsolatedVm {
	const set = (context: Context) => {
		context.evalSync(`(${setClock.toString()})(${[BEGUN, RATE].join()})`);
		return context;
	};
	class Isolate extends isolatedVm.Isolate {
		override async createContext(): Promise<Context> {
			return set(await super.createContext());
		}

		override createContextSync(): Context {
			return set(super.createContextSync());
		}
	}
	return Object.create(isolatedVm, { Isolate: { value: Isolate } }) as IsolatedVm;
}

const load = Reflect.get(Module.prototype, 'require') as (name: string) => unknown;
Module.prototype.require = new Proxy(load, {
	apply: (target, self, args: [string]) => {
		const loaded = Reflect.apply(target, self, args);
		return args[0] === 'isolated-vm' ? withClock(loaded as IsolatedVm) : loaded;
	},
});
