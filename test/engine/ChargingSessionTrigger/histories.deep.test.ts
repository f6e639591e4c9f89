import * as fc from 'fast-check';

import { HISTORIES } from '../../support/draws.ts';
import { SessionModel, type Truth } from '../../support/sessionTrigger/model.ts';
import { RULES } from '../../support/sessionTrigger/rules.ts';
import { ACTIVE, EXPIRED, FAILED, FINISHED, SessionBench, SUSPENDED } from '../../support/sessionTrigger/support.ts';
import { eventsIn, interruptions, play } from '../../support/trigger/history.ts';
import { ENGINES, forgetProcess } from '../../support/trigger/rig.ts';

const bench = new SessionBench();
const LONG_HOURS = 0.2;
const STALLED_MINUTES = 4;
/** Sessions with less energy match the filter. */
const SMALL = 10;
const FIRST_ID = 100;
const OVER = [FINISHED, EXPIRED, FAILED];

const session = {
	status: fc.constantFrom(ACTIVE, ACTIVE, SUSPENDED, FINISHED, EXPIRED, FAILED),
	energy: fc.constantFrom(0, 1, 20),
};
const which = fc.nat({ max: 1000 });
const change = fc.oneof(
	{ weight: 4, arbitrary: fc.record({ do: fc.constantFrom('start', 'late'), which, ...session }) },
	{ weight: 8, arbitrary: fc.record({ do: fc.constant('change'), which, ...session }) },
	{ weight: 3, arbitrary: fc.record({ do: fc.constantFrom('delete', 'reserve'), which, ...session }) },
	{ weight: 1, arbitrary: fc.record({ do: fc.constant('burst'), which, ...session }) },
);
type Change = ReturnType<typeof change.generate>['value'];
const history = fc.record({
	events: fc.subarray(Object.keys(RULES), { minLength: 1 }),
	endStatuses: fc.constantFrom<string[]>(['4', '6'], ['4'], ['4', '5']),
	others: fc.constantFrom<string[]>([], ['5']),
	filter: fc.boolean(),
	output: fc.constantFrom('items', 'digest'),
	reportsFirst: fc.boolean(),
	before: fc.array(fc.record({ ...session, minutes: fc.integer({ min: 0, max: 20 }) }), { maxLength: 70 }),
	steps: fc.array(fc.oneof({ weight: 1, arbitrary: change }, { weight: 1, arbitrary: interruptions }), {
		minLength: 8,
		maxLength: 40,
		size: 'max',
	}),
});
type Story = ReturnType<typeof history.generate>['value'];

function truths(): Map<number, Truth> {
	const rows = bench.platform.db.prepare('SELECT Id, Status, EnergyConsumed, StartedAtUtc FROM sessions').all();
	return new Map(
		rows.map(({ Id, Status, EnergyConsumed, StartedAtUtc }) => [
			Number(Id),
			{
				status: Number(Status),
				energy: Number(EnergyConsumed),
				startedAt: Date.parse(`${String(StartedAtUtc)}Z`),
			},
		]),
	);
}

function modelOf({ events, endStatuses, others, filter, reportsFirst }: Story, faults: string[]): SessionModel {
	const ends = events.includes('ended') ? endStatuses.map(Number) : [];
	return new SessionModel(
		{
			events: new Set(events),
			endOf: (code) =>
				code === FAILED && events.includes('failed') ? 'failed' : ends.includes(code) ? 'ended' : undefined,
			overCodes: [FINISHED, FAILED, ...ends, ...others.map(Number)],
			...{ longMs: LONG_HOURS * 3_600_000, stalledMs: STALLED_MINUTES * 60_000 },
			matches: ({ energy }) => !filter || energy < SMALL,
			reportsFirst,
		},
		(what) => faults.push(what),
	);
}

/** What happens to sessions: they start, come late, charge, end, and are deleted. */
function changer(first: number): (change: Change) => void {
	let nextId = first;
	const reserved: number[] = [];
	return ({ do: what, which: nth, status, energy }) => {
		if (what === 'start') bench.start(nextId++, { status, energy });
		if (what === 'burst') for (let count = 0; count < 9; count++) bench.start(nextId++, { status, energy });
		if (what === 'reserve') reserved.push(nextId++);
		if (what === 'late') for (const id of reserved.splice(0)) bench.start(id, { status, energy });
		const open = [...truths()].filter(([, truth]) => !OVER.includes(truth.status));
		const [id, truth] = open[nth % open.length] ?? [];
		if (id === undefined || !truth) return;
		if (what === 'delete') bench.delete(id);
		if (what === 'change') {
			bench.become(status, id);
			bench.energy(truth.energy + energy, id);
		}
	};
}

async function faultsOf(story: Story, engine: (typeof ENGINES)[number]): Promise<string[]> {
	const faults: string[] = [];
	const model = modelOf(story, faults);
	const { events, endStatuses, others, filter, output, reportsFirst, before, steps } = story;
	const parameters = {
		...{ events, endStatuses, output, runningHours: LONG_HOURS, stalledMinutes: STALLED_MINUTES },
		filters: filter ? { energyConsumed: [{ operator: 'Lt', value: String(SMALL) }] } : {},
		options: { otherEndStatuses: others, emitInitialState: reportsFirst, pageSize: 8 },
	};
	const rig = bench.inactive(engine, parameters);
	let nextId = FIRST_ID;
	for (const { minutes, ...row } of before) bench.start(nextId++, { ...row, ago: minutes * 60_000 });
	const at = bench.clock.now();
	await rig.activate();
	model.begin(at, truths(), eventsIn(rig.take()));
	const alerts = await play<Change>({
		...{ bench, rig, steps, path: '/api/charging-sessions/v1', change: changer(nextId) },
		judge: (poll) => model.judge(poll, truths()),
	});
	return [...faults, ...alerts];
}

it.each(ENGINES)(
	'no event is lost, invented or doubled in random histories, engine %s',
	async (engine) => {
		await fc.assert(
			fc.asyncProperty(history, async (story) => {
				bench.platform.reset();
				bench.platform.behaviour.scopeDelayMs = 0;
				await forgetProcess();
				expect(await faultsOf(story, engine)).toEqual([]);
			}),
			{ numRuns: Math.ceil(HISTORIES / ENGINES.length), endOnFailure: !process.env.SHRINK },
		);
	},
	3_600_000,
);
