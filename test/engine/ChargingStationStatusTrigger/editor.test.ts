/** What the panels of triggers offer. */
import type { INodeParameters, INodePropertyOptions } from 'n8n-workflow';

import { CHARGE_POINT_TRIGGER, points, setPoints, STATUS_CHANGE } from '../../support/chargePointTrigger/support.ts';
import { credentialFor, editorContext } from '../../support/harness.ts';
import { list, ROWS_TRIGGER } from '../../support/rowsTrigger/support.ts';
import { EXPIRED, SESSION_TRIGGER, SessionBench } from '../../support/sessionTrigger/support.ts';

const bench = new SessionBench({ stations: 6 });
const STATION_TRIGGER = 'chargingStationStatusTrigger';

/** The entries of a dropdown: of one that says why there are no others, the reason. */
async function offered(type: string, method: string, parameters: INodeParameters): Promise<string[]> {
	const { secret } = bench.platform.createKey({
		scopes: ['charging-stations:read', 'charging-sessions:read', 'users:read'],
	});
	const credential = { ...credentialFor(bench.platform), apiKey: secret };
	const { context, nodeType } = await editorContext({ type, parameters, credential });
	// The editor sends the parameters as currently shown.
	const { additionalData } = context as unknown as { additionalData: { currentNodeParameters?: INodeParameters } };
	additionalData.currentNodeParameters = parameters;
	const entries = (await nodeType.methods?.loadOptions?.[method]?.call(context)) ?? [];
	return entries.map(({ name, value, description }) =>
		String(value).endsWith('|note') ? `${name}: ${description}` : `${name} = ${String(value)}`,
	);
}

describe('the dropdowns of codes', () => {
	beforeEach(() => {
		bench.set({ NetworkStatus: 3, HardwareStatus: 2 }, 2);
		bench.set({ Status: 2 }, 3);
		bench.start(1, { status: EXPIRED });
		for (const station of [1, 3, 4, 5, 6]) setPoints(bench, station, points(station, 1));
		setPoints(bench, 2, points(2, 4, 'Faulted'));
	});

	const BOTH = { event: 'statusChange', dimensions: ['NetworkStatus', 'HardwareStatus'] };
	const KNOWN_ENDS = ['Finished (Code 4) = 4', 'Failed (Code 6) = 6'];
	const ONLINE_VALUES = { options: { onlineValues: ['1', '9'] } };

	it.each<[string, string, INodeParameters, string[]]>([
		[STATION_TRIGGER, 'getOnlineValues', ONLINE_VALUES, ['Online (Code 1) = 1', 'Code 3 = 3', 'Code 9 = 9']],
		[STATION_TRIGGER, 'getOutOfServiceValues', { options: {} }, ['Code 1 = 1', 'Code 2 = 2']],
		[
			STATION_TRIGGER,
			'getToValues',
			{ ...BOTH, toValues: ['HardwareStatus=7'] },
			[
				'Network Status: Online (Code 1) = NetworkStatus=1',
				'Network Status: Code 3 = NetworkStatus=3',
				'Hardware Status: Code 1 = HardwareStatus=1',
				'Hardware Status: Code 2 = HardwareStatus=2',
				'Hardware Status: Code 7 = HardwareStatus=7',
				'Hardware Status: None Reported = HardwareStatus=none',
			],
		],
		[SESSION_TRIGGER, 'getEndStatuses', { endStatuses: ['4', '9'] }, [...KNOWN_ENDS, 'Code 5 = 5', 'Code 9 = 9']],
		[
			CHARGE_POINT_TRIGGER,
			'getToValues',
			{ ...STATUS_CHANGE, toValues: ['9'] },
			['1 = 1', '4 = 4', 'Faulted = Faulted', '9 = 9'],
		],
	])('%s, %s: known names, codes of live rows, and those saved', async (type, method, parameters, expected) => {
		expect(await offered(type, method, parameters)).toEqual(expected);
	});

	it('keep known and saved values while the platform refuses', async () => {
		bench.platform.license.active = false;
		const kept = ['Online (Code 1) = 1', 'Code 9 = 9'];
		expect((await offered(STATION_TRIGGER, 'getOnlineValues', ONLINE_VALUES)).slice(0, 2)).toEqual(kept);
	});
});

it('the status field is chosen from those of live charge points, also where a code comes with its name', async () => {
	setPoints(bench, 1, [{ Id: 11, Status: { Id: 3, Name: 'Faulted' }, Cable: 'fixed' }]);
	for (const id of [2, 3, 4, 5, 6]) setPoints(bench, id, []);
	const fields = ['Id = Id', 'Status = Status', 'Cable = Cable'];
	expect(await offered(CHARGE_POINT_TRIGGER, 'getStatusFields', {})).toEqual(fields);
	const saved = await offered(CHARGE_POINT_TRIGGER, 'getStatusFields', { statusField: 'Colour' });
	expect(saved).toContain('Colour = Colour');
});

it('the filter, and the fields to watch or ignore, are chosen from those of the chosen list', async () => {
	const users = list('/api/users/v1');
	expect((await offered(ROWS_TRIGGER, 'getFields', users)).join()).toContain('= Email|text');
	const chosen = { ...users, event: 'changedRow', watchedFields: ['Email'], ignoredFields: ['Gone'] };
	const fields = ['Email = Email', 'TeamName = TeamName', 'Gone = Gone'];
	expect(await offered(ROWS_TRIGGER, 'getWatchedFields', chosen)).toEqual(expect.arrayContaining(fields));
});

it('the rows trigger is offered in the words of what happens', async () => {
	const { nodeType } = await editorContext({ type: ROWS_TRIGGER, credential: bench.credential() });
	// n8n takes the words of its node panel from the property with this name.
	const event = nodeType.description.properties.find(({ displayName }) => displayName === 'Trigger On');
	const options = (event?.options ?? []) as INodePropertyOptions[];
	expect(options.map(({ name, value }) => `${name}: ${String(value)}`)).toEqual([
		'New Row in a List: newRow',
		'Row Changed: changedRow',
		'Row Gone: goneRow',
	]);
});

it.each([STATION_TRIGGER, SESSION_TRIGGER])('%s is a poll trigger and says how often to poll', async (type) => {
	const { nodeType } = await editorContext({ type, credential: bench.credential() });
	const named = (name: string) => nodeType.description.properties.find((property) => property.name === name);
	expect(named('pollTimes')).toBeDefined();
	expect(named('pollingNotice')?.displayName).toMatch(/How soon do you want to know.*1 to 5 minutes/);
});
