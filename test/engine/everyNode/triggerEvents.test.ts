import { readFileSync } from 'node:fs';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { RULES as CHARGE_POINT_RULES } from '../../support/chargePointTrigger/rules.ts';
import { setPoints, points, STATUS_CHANGE } from '../../support/chargePointTrigger/support.ts';
import { RULES as SESSION_RULES } from '../../support/sessionTrigger/rules.ts';
import { HOUR, SESSION_TRIGGER, SessionBench } from '../../support/sessionTrigger/support.ts';
import { RULES as STATION_RULES } from '../../support/stationTrigger/rules.ts';
import { testManually, TriggerRig, type TriggerName } from '../../support/trigger/rig.ts';

/** What each event promises, by its rule in the models. Each test fails with a sentence that says what to add, and where. */
const bench = new SessionBench({ stations: 6 });

interface Source {
	type: TriggerName;
	rules: Readonly<Record<string, Rule>>;
	/** The event's records and rules. */
	record: string;
	rule: string;
	/** The settings that go with those of an event. */
	parametersFor: (name: string) => INodeParameters;
	/** Settings without the event. */
	without: (name: string) => INodeParameters;
}

interface Rule {
	isReportedAtFirst: boolean;
	parameters?: INodeParameters;
	happen: Array<(on: SessionBench, id: number) => void>;
}

const SOURCES: Source[] = [
	{
		type: SESSION_TRIGGER,
		rules: SESSION_RULES,
		record: 'nodes/ChargingSessionTrigger/events.ts',
		rule: 'test/support/sessionTrigger/rules.ts',
		parametersFor: (name) => ({ events: [name] }),
		without: (name) => ({ events: [name === 'started' ? 'runningLong' : 'started'] }),
	},
	{
		type: 'chargingStationStatusTrigger',
		rules: STATION_RULES,
		record: 'nodes/ChargingStationStatusTrigger/events.ts',
		rule: 'test/support/stationTrigger/rules.ts',
		parametersFor: () => ({}),
		without: () => ({ event: 'statusChange', dimensions: ['HardwareStatus'] }),
	},
	{
		type: 'chargePointTrigger',
		rules: CHARGE_POINT_RULES,
		record: 'nodes/ChargePointTrigger/events.ts',
		rule: 'test/support/chargePointTrigger/rules.ts',
		parametersFor: () => ({}),
		without: () => ({ ...STATUS_CHANGE, statusField: 'Id' }),
	},
];

describe.each(SOURCES)('$type', ({ type, rules, record, rule, parametersFor, without }) => {
	describe.each(Object.keys(rules))('%s', (name) => {
		const told = (items: readonly IDataObject[]) => items.filter(({ event }) => event === name).length;
		const parameters = (): INodeParameters => ({ ...parametersFor(name), ...rules[name]?.parameters });
		const withOptions = (options: INodeParameters): INodeParameters => ({
			...parameters(),
			options: { ...(parameters().options as INodeParameters), ...options },
		});
		/** Sessions 1 to 3 have been running for an hour. A new one is none of them. */
		const id = name === 'started' ? 4 : 3;

		beforeEach(() => {
			for (const session of [1, 2, 3]) bench.start(session, { ago: HOUR });
			for (const station of [1, 2, 3, 4, 5, 6]) setPoints(bench, station, points(station, 1));
		});

		it('is explained to users', () => {
			const page = 'docs/triggers.md';
			const isThere = readFileSync(page, 'utf8').includes(`\`${name}\``);
			expect(isThere ? 'there' : `${page}: add the event \`${name}\` to the table of events`).toBe('there');
		});

		it.each([true, false])('what was already so before the first poll, Report Initial State %s', async (reports) => {
			for (const happen of rules[name]?.happen ?? []) happen(bench, id);
			const options = { emitInitialState: reports };
			const rig = new TriggerRig('memory', withOptions(options), bench.credential(), {}, type);
			await rig.activate();
			await bench.minutes(rig, 2);
			const expected = reports && rules[name]?.isReportedAtFirst === true;
			const wrong = `What was already so before the first poll is ${expected ? 'not ' : ''}reported as "${name}" with Report Initial State ${reports ? 'on' : 'off'}: decide its baseline in ${record}, and isReportedAtFirst in ${rule}`;
			expect(told(rig.items) > 0 === expected ? [] : [wrong]).toEqual([]);
		});

		it('what is already so when the event is chosen is not reported, and what happens then is', async () => {
			const [first, ...others] = rules[name]?.happen ?? [];
			const rig = new TriggerRig('memory', without(name), bench.credential(), {}, type);
			await rig.activate();
			first?.(bench, id);
			if (name === 'removed') await bench.minutes(rig, 1);
			await rig.republish({ parameters: withOptions({ emitInitialState: true }) });
			await bench.minutes(rig, 2);
			const wrong = `What is already so is reported as "${name}" when the event is chosen: see its baseline in ${record}`;
			expect(told(rig.items) === 0 ? [] : [wrong]).toEqual([]);
			const next = name === 'started' ? 5 : 2;
			for (const happen of [first, ...others]) {
				happen?.(bench, next);
				await bench.minutes(rig, 1);
			}
			const lost = `"${name}" is not reported. Its rule is in ${record}, and what makes it happen in ${rule}`;
			expect(told(rig.items) === 1 ? [] : [lost]).toEqual([]);
		});

		it('its text has no name that mentions, links or begins a line; its fields are as they came', async () => {
			const hostile = `<!channel>\r\n<https://evil.example|Log in>\u2028${'x'.repeat(200)}`;
			bench.set({ Name: hostile });
			const rig = new TriggerRig('memory', withOptions({}), bench.credential(), {}, type);
			await rig.activate();
			for (const happen of rules[name]?.happen ?? []) {
				bench.set({ Name: hostile });
				happen(bench, id);
				await bench.minutes(rig, 4);
			}
			const items = rig.items.filter(({ event }) => event === name);
			expect(items.length).toBeGreaterThan(0);
			for (const { text } of items) {
				expect(text).not.toMatch(/[<>\p{Cc}\u2028]/u);
				expect((text as string).length).toBeLessThan(300);
			}
			const named = items.filter(({ stationName }) => (stationName as string | null)?.startsWith('<!'));
			expect(named.every(({ stationName }) => stationName === hostile)).toBe(true);
		});

		it('has a sample, with a new eventId each time', async () => {
			rules[name]?.happen[0]?.(bench, id);
			const items = [];
			for (let time = 0; time < 2; time++) {
				items.push(...((await testManually(parameters(), bench.credential(), type)) ?? []));
			}
			const isThere = told(items) > 0 || ['added', 'removed'].includes(name);
			expect(isThere ? [] : [`A manual test shows no "${name}": give it a sample, see ${record}`]).toEqual([]);
			expect(items.every(({ sample }) => sample === true)).toBe(true);
			expect(new Set(items.map(({ eventId }) => eventId)).size).toBe(items.length);
		});
	});
});
