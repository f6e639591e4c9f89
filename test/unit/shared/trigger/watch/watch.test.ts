import {
	afterPause,
	begunAnew,
	madeRoom,
	missing,
	NOTHING_KNOWN,
	observe,
	OUT_OF_SERVICE,
	type Look,
	type Rule,
	type Seen,
	type State,
	UNDECIDED,
	undecidedIn,
	UNKNOWN,
} from '../../../../../nodes/shared/trigger/watch/watch';

const MINUTE = 60_000;
const OFFLINE: Rule = {
	...{ kind: 'state', isIn: (value) => value === 'off', opens: 'offline', closes: 'back' },
	...{ openAfterMs: 0, closeAfterMs: 0 },
};
const STATUS: Rule = { kind: 'values', changes: 'changed', afterMs: 0 };
const STILL: Rule = { kind: 'still', opens: 'stalled', closes: 'resumed', afterMs: 5 * MINUTE };
const OFTEN: Rule = {
	...{ kind: 'often', isIn: (value) => value === 'off', opens: 'unstable', count: 3, withinMs: 60 * MINUTE },
	...{ openAfterMs: 0, closeAfterMs: 0 },
};
const THERE: Rule = { kind: 'presence', appears: 'added', vanishes: 'removed' };

/** Looks a minute apart, unless `at` says otherwise, on what one rule knows. */
class Watch {
	state: State = NOTHING_KNOWN;
	minute = 0;

	constructor(
		private readonly rule: Rule,
		private readonly reportsFirst = false,
	) {}

	/** What happened, as `offline 3`. */
	look(seen: Record<string, Seen>, look: Partial<Look> & { minute?: number } = {}): string[] {
		this.minute = look.minute ?? this.minute + 1;
		const { state, changes } = observe(
			this.state,
			this.rule,
			{
				...{ at: this.minute * MINUTE, seen: new Map(Object.entries(seen)), covers: () => true, isWhole: true },
				...{ absent: new Map(), ...look },
			},
			{ reportsFirst: this.reportsFirst, longestGapMs: 15 * MINUTE, idOf: (...parts) => parts.join() },
		);
		this.state = state;
		return changes.map(({ name, key, isRemoved }) => `${name} ${key}${isRemoved ? ' removed' : ''}`);
	}
}

const lookAt = (seen: Record<string, Seen>): Look => ({
	...{ at: 0, seen: new Map(Object.entries(seen)), covers: () => true, isWhole: true, absent: new Map() },
});
const quiet = { reportsFirst: false, longestGapMs: 0, idOf: () => '' };

const gone = (...keys: string[]) => ({ absent: new Map(keys.map((key) => [key, 'gone' as const])) });

describe('a state', () => {
	it('the first look is quiet, and so is the end of what it found; later begins and ends are told', () => {
		const watch = new Watch(OFFLINE);
		expect(watch.look({ a: 'off', b: 'on' })).toEqual([]);
		expect(watch.look({ a: 'on', b: 'off' })).toEqual(['offline b']);
		expect(watch.look({ a: 'on', b: 'on' })).toEqual(['back b']);
	});

	it('a first reading over several polls is quiet until its end, or reports as it goes', () => {
		const quiet = new Watch(OFFLINE);
		expect(quiet.look({ a: 'off' }, { isWhole: false })).toEqual([]);
		expect(quiet.look({ b: 'off' }, { covers: (key) => key === 'b' })).toEqual([]);
		expect(quiet.look({ c: 'off' }, { covers: (key) => key === 'c' })).toEqual(['offline c']);
		expect(new Watch(OFFLINE, true).look({ a: 'off' }, { isWhole: false })).toEqual(['offline a']);
	});

	it('waits from its first look, through polls that saw nothing, but not over a long gap', () => {
		const watch = new Watch({ ...OFFLINE, openAfterMs: 10 * MINUTE });
		watch.look({});
		expect(watch.look({ a: 'off' }, { minute: 2 })).toEqual([]);
		expect(watch.look({ a: UNKNOWN }, { minute: 7 })).toEqual([]);
		expect(watch.look({ a: 'off' }, { minute: 12 })).toEqual(['offline a']);
		expect(watch.look({ b: 'off' }, { minute: 20, covers: (key) => key === 'b' })).toEqual([]);
		expect(watch.look({ b: 'off' }, { minute: 40, covers: (key) => key === 'b' })).toEqual([]);
		expect(watch.look({ b: 'off' }, { minute: 50, covers: (key) => key === 'b' })).toEqual(['offline b']);
	});

	it('what a list does not show ends nothing; what two look-ups miss is gone, with its end', () => {
		const watch = new Watch(OFFLINE);
		watch.look({});
		watch.look({ a: 'off' });
		expect(watch.look({})).toEqual([]);
		expect(missing(watch.state, OFFLINE, { seen: new Map(), covers: () => true })).toEqual(['a']);
		expect(watch.look({}, gone('a'))).toEqual([]);
		expect(watch.look({ a: 'off' })).toEqual([]);
		expect(watch.look({}, gone('a'))).toEqual([]);
		expect(watch.look({}, gone('a'))).toEqual(['back a removed']);
	});

	it('out of service ends an incident without an event, and unknown ends nothing', () => {
		const watch = new Watch(OFFLINE);
		watch.look({});
		watch.look({ a: 'off', b: 'off' });
		expect(watch.look({ a: OUT_OF_SERVICE, b: UNKNOWN })).toEqual([]);
		expect(watch.look({ a: 'on', b: 'on' })).toEqual(['back b']);
	});

	it('after a change of what is watched only incidents that were told are known, and get their end', () => {
		const watch = new Watch(OFFLINE);
		watch.look({ a: 'off' });
		watch.look({ a: 'off', b: 'off' });
		watch.state = begunAnew(watch.state, OFFLINE);
		expect(Object.keys(watch.state.entries)).toEqual(['b']);
		expect(watch.look({ b: 'on', c: 'off' })).toEqual(['back b']);
		expect(watch.look({ c: 'on' })).toEqual([]);
	});
});

describe('values', () => {
	it('a first value is adopted, another one told; what is not shown is remembered', () => {
		const watch = new Watch(STATUS);
		expect(watch.look({ a: 1 })).toEqual([]);
		expect(watch.look({ a: 2, b: 1 })).toEqual(['changed a']);
		expect(watch.look({ a: UNKNOWN })).toEqual([]);
		expect(watch.look({ b: 2 })).toEqual(['changed b']);
	});

	it('what a part of the list did not show makes room, also for what a later part shows', () => {
		const watch = new Watch(STATUS);
		watch.look({ a: 1, y: 1, z: 1 });
		const before = (key: string) => key < 'm';
		watch.look({ b: 1 }, { covers: before, isWhole: false });
		const look = { ...lookAt({ x: 1, z: 1 }), covers: (key: string) => !before(key) };
		watch.look({ x: 1, z: 1 }, look);
		expect(Object.keys(madeRoom(watch.state, look, 4).entries)).toEqual(['z', 'b', 'x']);
		expect(Object.keys(madeRoom(watch.state, look, 5).entries)).toEqual(['a', 'y', 'z', 'b', 'x']);
	});

	it('flapping within the time is no change', () => {
		const watch = new Watch({ ...STATUS, afterMs: 3 * MINUTE });
		watch.look({ a: 1 });
		for (const value of [2, 1, 2, 2, 1]) expect(watch.look({ a: value })).toEqual([]);
	});
});

describe('in a state again and again', () => {
	/** Off and on again, two minutes each. @returns what was told */
	const fails = (watch: Watch, minute: number) => [
		...watch.look({ a: 'off' }, { minute }),
		...watch.look({ a: 'on' }, { minute: minute + 2 }),
	];

	it('times too far apart are forgotten, and so is all of a thing that has been well for long', () => {
		const watch = new Watch(OFTEN);
		watch.look({});
		for (const minute of [10, 45, 80, 115]) expect(fails(watch, minute)).toEqual([]);
		watch.look({}, { minute: 180 });
		expect(watch.state.entries).toEqual({});
	});

	it('what the first look finds is not counted, and a cut list is no return', () => {
		const watch = new Watch(OFTEN, false);
		watch.look({ a: 'off' }, { minute: 1 });
		expect(missing(watch.state, OFTEN, { seen: new Map(), covers: () => true })).toEqual(['a']);
		watch.look({}, { minute: 2 });
		for (const minute of [4, 8]) {
			watch.look({ a: 'on' }, { minute });
			expect(watch.look({ a: 'off' }, { minute: minute + 2 })).toEqual([]);
		}
		watch.look({}, { minute: 12, ...gone('a') });
		watch.look({}, { minute: 13, ...gone('a') });
		expect(watch.state.entries).toEqual({});
	});

	it('a list of what is in the state leaves out what waits for its time', () => {
		const watch = new Watch({ ...OFTEN, count: 2, openAfterMs: 5 * MINUTE } as Rule);
		watch.look({});
		for (const minute of [1, 7, 13, 19]) {
			expect(watch.look({ a: 'off' }, { minute })).toEqual([]);
			watch.look({}, { minute: minute + 2 });
		}
	});

	it('remembers at most a hundred bytes of a thing', () => {
		const watch = new Watch({ ...OFTEN, count: 8, withinMs: 168 * 60 * MINUTE } as Rule);
		watch.look({}, { minute: 29_000_000 });
		for (let nth = 1; nth <= 7; nth++) {
			watch.look({ 123456: 'off' }, { minute: 29_000_000 + 20 * nth });
			watch.look({ 123456: 'on' }, { minute: 29_000_010 + 20 * nth });
		}
		expect(JSON.stringify(watch.state.entries).length).toBeLessThanOrEqual(100);
	});
});

describe('a number that should rise', () => {
	it('stalls, and resumes once it rises', () => {
		const watch = new Watch(STILL);
		watch.look({ a: 7 }, { minute: 1 });
		expect(watch.look({ a: 7 }, { minute: 5 })).toEqual([]);
		expect(watch.look({ a: 7 }, { minute: 6 })).toEqual(['stalled a']);
		expect(watch.look({ a: 7 }, { minute: 9 })).toEqual([]);
		expect(watch.look({ a: 8 }, { minute: 10 })).toEqual(['resumed a']);
	});

	it('a counter that falls and rises twice counts anew; a single lower value does not', () => {
		const watch = new Watch(STILL);
		watch.look({ a: 70 }, { minute: 1 });
		for (const [minute, value] of [
			[2, 1],
			[3, 2],
			[4, 3],
			[8, 3],
		] as const) {
			expect(watch.look({ a: value }, { minute })).toEqual([]);
		}
		expect(watch.look({ a: 3 }, { minute: 9 })).toEqual(['stalled a']);
	});

	it('after a pause of the process, the minutes begin again', () => {
		const watch = new Watch(STILL);
		watch.look({ a: 7 }, { minute: 1 });
		watch.state = afterPause(watch.state, 20 * MINUTE);
		expect(watch.look({ a: 7 }, { minute: 20 })).toEqual([]);
		expect(watch.look({ a: 7 }, { minute: 25 })).toEqual(['stalled a']);
	});
});

describe('an end', () => {
	it('what is new and over in the first look is past; in later ones of the first reading it is told', () => {
		const watch = new Watch({ kind: 'end', isOver: (value: unknown) => value === 'over', ends: () => 'ended' });
		expect(watch.look({ a: 'over' }, { isWhole: false })).toEqual([]);
		expect(watch.look({ b: 'over' }, { isWhole: false })).toEqual(['ended b']);
	});

	const isOver = (value: unknown) => value === 'done' || value === 'failed';
	const ENDS: Rule = { kind: 'end', isOver, ends: (value) => (value === 'done' ? 'ended' : undefined) };

	it('comes once; what is new and over has ended, too; what is not reported is forgotten', () => {
		const watch = new Watch(ENDS);
		expect(watch.look({ a: 'runs', b: 'runs' })).toEqual([]);
		expect(watch.look({ a: 'done', b: 'failed', c: 'done' })).toEqual(['ended a', 'ended c']);
		expect(watch.state.entries).toEqual({});
	});

	it('what is missing is looked up until two polls do not find it, and is followed over a change of what is watched', () => {
		const watch = new Watch(ENDS);
		watch.look({ a: 'runs', b: 'runs', c: 'paused' });
		watch.state = begunAnew(watch.state, ENDS);
		expect(missing(watch.state, ENDS, { seen: new Map(), covers: () => true })).toEqual(['a', 'b', 'c']);
		const now: Rule = { ...ENDS, isOver: (value) => isOver(value) || value === 'paused', ends: () => 'ended' };
		expect(observe(watch.state, now, lookAt({ a: 'done', c: 'paused' }), quiet).changes.map(({ key }) => key)).toEqual([
			'a',
		]);
		watch.look({ a: 'runs' }, { absent: new Map([['c', 'elsewhere']]) });
		watch.look({ a: 'runs' }, gone('b'));
		expect(Object.keys(watch.state.entries)).toEqual(['a', 'b']);
		expect(watch.look({ a: 'runs' }, gone('b'))).toEqual([]);
		expect(Object.keys(watch.state.entries)).toEqual(['a']);
	});
});

it('presence: what is not decided yet is reported once it is, and then not again', () => {
	const watch = new Watch({ ...THERE, isReported: (value: unknown) => value === true, isReportedAtFirst: true }, true);
	expect(watch.look({ a: UNDECIDED, b: UNDECIDED, c: true }, { isWhole: false })).toEqual(['added c']);
	expect([...undecidedIn(watch.state)]).toEqual(['a', 'b']);
	expect(watch.look({ a: true, b: false, c: true })).toEqual(['added a']);
	expect(watch.look({ a: true, b: true, c: true })).toEqual([]);
});

it('presence: the first look is quiet; away is not gone; gone is what two look-ups miss', () => {
	const watch = new Watch(THERE, true);
	expect(watch.look({ a: null })).toEqual([]);
	expect(watch.look({ a: null, b: null })).toEqual(['added b']);
	expect(watch.look({ b: null }, { absent: new Map([['a', 'elsewhere']]) })).toEqual([]);
	expect(missing(watch.state, THERE, { seen: new Map([['b', null]]), covers: () => true })).toEqual([]);
	expect(watch.look({ a: null }, gone('b'))).toEqual([]);
	expect(watch.look({ a: null }, gone('b'))).toEqual(['removed b']);
});
