import * as fc from 'fast-check';

import { ChargePointBench, OUT_OF_ORDER } from '../../support/chargePointTrigger/support.ts';
import { MINUTE, text } from '../../support/stationTrigger/support.ts';
import { itHoldsInHistories } from '../../support/trigger/history.ts';
import { IN, OUT, UNREADABLE, UNSEEN } from '../../support/trigger/truth.ts';
import { WatchModel } from '../../support/trigger/watchModel.ts';

const bench = new ChargePointBench({ stations: 3 });
const DWELL_MINUTES = 4;
const BROKEN = 3;
const EVENTS = {
	outOfOrder: { in: 'outOfOrder', out: 'backInOrder' },
	inStatus: { in: 'inStatus', out: 'leftStatus' },
	statusChange: undefined,
};

/** What a gateway answers in place of a detail, and of which stations it does so in the next poll. */
const hidden = new Set<number>();
const GATEWAYS = {
	notFound: { kind: 'status', status: 404 },
	noContent: { kind: 'reply', status: 204 },
	empty: { kind: 'reply', status: 200, body: '' },
	badGateway: { kind: 'status', status: 504 },
} as const;

const GATEWAY_KINDS = Object.keys(GATEWAYS) as Array<keyof typeof GATEWAYS>;

/** The stations whose details came since the last call. */
function lookedAt(): Set<number> {
	const looked = new Set(bench.looks());
	for (const station of hidden) looked.delete(station);
	hidden.clear();
	return looked;
}

/** The statuses of charge points, by their Ids; those of stations that were not looked at are not known. */
function statuses(looked: ReadonlySet<number>): Map<string, number | null | typeof UNSEEN> {
	const all = new Map<string, number | null | typeof UNSEEN>();
	for (const { Id: station, EVSEs } of bench.platform.db.prepare('SELECT Id, EVSEs FROM stations').all()) {
		const points = JSON.parse(String(EVSEs)) as Array<{ Id: number; Status: number | null }>;
		if (looked.has(Number(station))) for (const { Id, Status } of points) all.set(String(Id), Status);
		else for (const nth of [1, 2, 3]) all.set(`${String(station)}${nth}`, UNSEEN);
	}
	return all;
}

itHoldsInHistories('no event is lost, invented or doubled', {
	bench,
	path: '/api/charging-stations/v1',
	settings: fc.record({
		event: fc.constantFrom('outOfOrder' as const, 'inStatus' as const, 'statusChange' as const),
		hasDwell: fc.boolean(),
		/** One: a round takes three polls. */
		mostStations: fc.constantFrom(1, 100),
	}),
	changes: fc.record({
		do: fc.constantFrom('change' as const, 'change' as const, 'change' as const, ...GATEWAY_KINDS),
		station: fc.integer({ min: 1, max: 3 }),
		// A third one comes and goes, where it matters that one is gone.
		codes: fc.array(fc.constantFrom(1, 1, 2, BROKEN, null), { minLength: 2, maxLength: 3 }),
	}),
	// A list that shows no station is the subject of the tests of single cases.
	without: 'drift',
	async begin({ event, hasDwell, mostStations, output }, engine, complain) {
		for (const id of bench.stations()) bench.points(id, 1, 1);
		hidden.clear();
		let looked = new Set(bench.stations());
		const minutesInState = hasDwell || event === 'inStatus' ? DWELL_MINUTES : 0;
		const names = EVENTS[event];
		const meaningOf = (code: number | typeof UNSEEN | null) => {
			if (code === null || code === UNSEEN) return code ?? UNREADABLE;
			return !names ? String(code) : code === BROKEN ? IN : OUT;
		};
		const model = new WatchModel(
			{
				rule: names ? 'state' : 'values',
				dwellMs: minutesInState * MINUTE,
				placeOf: ({ chargePointId }) => text(chargePointId),
				...(names && { names }),
			},
			() => ({ values: new Map([...statuses(looked)].map(([id, code]) => [id, meaningOf(code)])) }),
			complain,
		);
		const chosen = { outOfOrderValues: [String(BROKEN)], heldStatuses: [String(BROKEN)] };
		const options = { mostStations };
		const parameters = { ...OUT_OF_ORDER, options, ...chosen, event, minutesInState, output, digestField: 'Status' };
		const rig = await bench.rig(engine, parameters);
		await bench.minutes(rig, 3);
		looked = new Set(bench.stations());
		model.begin();
		return {
			rig,
			change({ do: what, station, codes }) {
				if (what === 'change') {
					bench.points(station, ...(names ? codes : codes.slice(0, 2)));
					return;
				}
				hidden.add(station);
				const match = ({ path }: { path: string }) => path.endsWith(`/v1/${station}`);
				bench.platform.faults.add({ ...GATEWAYS[what], match, times: Infinity });
			},
			judge(poll) {
				looked = lookedAt();
				model.judge(poll);
			},
		};
	},
});
