/**
 * What saved workflows and saved states hold. A difference here is a break, unless an issue asks for it:
 * `npx jest test/engine/everyNode/stored -u` writes the panels as they are now.
 */
import { createHash } from 'node:crypto';

import type { IDataObject, INodeParameters, INodeProperties } from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';

import { loadPackage } from '../../support/harness.ts';
import { CHARGE_POINT_TRIGGER, OUT_OF_ORDER, STATUS_CHANGE } from '../../support/chargePointTrigger/support.ts';
import { list, ROWS_TRIGGER, SESSION_LIST } from '../../support/rowsTrigger/support.ts';
import { SESSION_TRIGGER, SessionBench } from '../../support/sessionTrigger/support.ts';
import { TriggerRig, type TriggerName } from '../../support/trigger/rig.ts';

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** One line for each parameter: its path, type, default and limits, what shows it, and the values to choose from. */
function linesOf(properties: readonly INodeProperties[], path = ''): string[] {
	return properties.flatMap((property) => {
		const {
			name,
			type,
			default: value,
			options = [],
			displayOptions,
			typeOptions,
			required,
			noDataExpression,
		} = property;
		const isChoice = type === 'options' || type === 'multiOptions';
		const choices = options.flatMap((option) => ('value' in option ? [option.value] : []));
		const own = { type, default: value, required, noDataExpression, ...typeOptions, ...displayOptions };
		const line = `${path}${name} ${JSON.stringify({ ...own, ...(isChoice && { choices }) })}`;
		// The conditions of a group are those of the form once more.
		const parts = (path.endsWith('groups.') && name === 'filters' ? [] : options).flatMap((option) => {
			if ('values' in option) return linesOf(option.values, `${path}${name}.${option.name}.`);
			return 'type' in option ? linesOf([option], `${path}${name}.`) : [];
		});
		return [line, ...parts];
	});
}

it('what workflows store of each node is what it was', async () => {
	const { nodeTypes } = await loadPackage();
	for (const [node, { type }] of Object.entries(nodeTypes)) {
		const { properties } = NodeHelpers.getVersionedNodeType(type).description;
		expect(linesOf(properties).join('\n')).toMatchSnapshot(node);
	}
});

describe('fingerprints of saved states', () => {
	const bench = new SessionBench({ stations: 2, sessions: 3 });

	/** What a trigger keeps after its first poll with these settings. */
	async function kept(type: TriggerName, parameters: INodeParameters): Promise<IDataObject> {
		const rig = new TriggerRig('memory', parameters, bench.credential(), {}, type);
		await rig.activate();
		return JSON.parse(rig.saved().kept as string) as IDataObject;
	}

	/** Written out again, so that this says what it is the hash of. */
	function hash(value: unknown): string {
		const sorted = JSON.stringify(value, (_, entry: unknown) =>
			isObject(entry) && !Array.isArray(entry)
				? Object.fromEntries(Object.entries(entry).sort(([a], [b]) => (a < b ? -1 : 1)))
				: entry,
		);
		return createHash('sha256').update(sorted).digest('hex').slice(0, 24);
	}
	/** The two parts of a fingerprint: what is watched and where, and what else gives the state its meaning. */
	const fingerprint = (event: unknown, meaning: unknown) =>
		`${hash([event, bench.platform.baseUrl, 'production'])}.${hash(meaning)}`;
	// n8n stores what is shown, also its defaults.
	const NO_FILTER = { filters: {}, logic: 'And' };
	const offline = { networkStatus: [{ field: 'NetworkStatus|code', operator: 'Eq', value: '1' }] };
	const expression = '={{ ["1", "3"] }}';

	it.each<[string, INodeParameters, unknown]>([
		['availability', {}, [NO_FILTER, false]],
		[
			'availability',
			{
				...{ availabilityChanges: ['back'], minutesInState: 5, output: 'digest', dimensions: ['Status'] },
				...{ fromValues: ['Status=1'], toValues: ['Status=2'], matchChanges: ['starts'] },
				options: { onlineValues: expression, emitInitialState: true, pageSize: 7, backAfterMinutes: 3, cause: 'x' },
			},
			[{ ...NO_FILTER, options: { onlineValues: expression } }, false],
		],
		[
			'availability',
			{
				filters: { networkStatus: [{ operator: 'Eq', value: '1' }] },
				logic: 'Or',
				options: { outOfServiceValues: ['2'], stationChanges: ['added'], reportWatching: true },
			},
			[{ filters: offline, logic: 'Or', options: { outOfServiceValues: ['2'] } }, true],
		],
		['statusChange', {}, [{ ...NO_FILTER, dimensions: ['NetworkStatus'] }, false]],
		[
			'statusChange',
			{
				dimensions: ['Status', 'HardwareStatus'],
				toValues: ['Status=2'],
				options: { onlineValues: ['3'], cause: 'x' },
			},
			[{ ...NO_FILTER, dimensions: ['Status', 'HardwareStatus'] }, false],
		],
		[
			'filterMatch',
			{ filters: { networkStatus: [{ operator: 'Eq', value: '1' }] }, options: { cause: '={{ " faulted " }}' } },
			[{ filters: offline, logic: 'And' }, false, 'faulted'],
		],
		[
			'filterMatch',
			{
				filters: { networkStatus: [{ operator: 'Eq', value: '1' }] },
				options: { stationChanges: '={{ ["removed"] }}', onlineValues: ['4'], emitInitialState: true },
			},
			[{ filters: offline, logic: 'And' }, true],
		],
	])('station trigger, %s %j', async (event, parameters, meaning) => {
		const { config } = await kept('chargingStationStatusTrigger', { event, ...parameters });
		expect(config).toBe(fingerprint(event, meaning));
	});

	it.each<[INodeParameters, object]>([
		[OUT_OF_ORDER, { ...NO_FILTER, statusField: 'Status', outOfOrderValues: ['3', '4'] }],
		[
			{
				...OUT_OF_ORDER,
				outOfOrderValues: expression,
				minutesInState: 5,
				fromValues: ['1'],
				options: { reportWatching: true },
			},
			{ ...NO_FILTER, statusField: 'Status', outOfOrderValues: expression },
		],
		[STATUS_CHANGE, { ...NO_FILTER, statusField: 'Status' }],
		[
			{
				...{ ...STATUS_CHANGE, toValues: ['3'], outOfOrderValues: ['3'], statusField: '={{ "Status" }}' },
				...{ filters: { networkStatus: [{ operator: 'Eq', value: '1' }] }, options: { mostStations: 3 } },
			},
			{ filters: offline, logic: 'And', statusField: '={{ "Status" }}' },
		],
	])('charge point trigger, %j', async (parameters, meaning) => {
		const { config } = await kept(CHARGE_POINT_TRIGGER, parameters);
		expect(config).toBe(fingerprint(parameters.event, meaning));
	});

	const DAY = 86_400_000;
	const HOUR = 3_600_000;
	const finished = { status: [{ field: 'Status|code', operator: 'Eq', value: '4' }] };
	it.each<[INodeParameters, object]>([
		[{ events: ['started'], options: { watchDays: 3, otherEndStatuses: ['5'] } }, {}],
		[{ events: ['started', 'ended'] }, { open: [['4', '6'], 7 * DAY] }],
		[
			{ events: ['ended'], endStatuses: '={{ [4, 9] }}', options: { watchDays: 2, otherEndStatuses: '12,5' } },
			{ open: [['12', '4', '5', '6', '9'], 2 * DAY] },
		],
		[{ events: ['failed'], endStatuses: ['9'] }, { open: [['4', '6'], 7 * DAY] }],
		[{ events: ['stalled'], stalledMinutes: 99, output: 'digest' }, { open: [['4', '6'], 7 * DAY] }],
		[
			{ events: ['runningLong'], options: { emitInitialState: true } },
			{ long: [['4', '6'], 7 * DAY, 24 * HOUR, NO_FILTER] },
		],
		[
			{
				...{ events: ['resumed', 'runningLong'], runningHours: '={{ 1.5 }}', stalledMinutes: 7 },
				...{ filters: { status: [{ operator: 'Eq', value: '4' }] }, logic: 'Or' },
			},
			{ open: [['4', '6'], 7 * DAY], long: [['4', '6'], 7 * DAY, 1.5 * HOUR, { filters: finished, logic: 'Or' }] },
		],
	])('session trigger, %j', async (parameters, slices) => {
		const { place: where, openConfig, longConfig } = await kept(SESSION_TRIGGER, parameters);
		const { open, long } = slices as { open?: unknown; long?: unknown };
		expect(where).toBe(hash([bench.platform.baseUrl, 'production']));
		expect([openConfig, longConfig]).toEqual([open && hash(open), long && hash(long)]);
	});

	it.each<INodeParameters>([
		{},
		{ filters: { other: [{ field: 'Status', anyOperator: 'Eq', value: '4' }] }, output: 'digest' },
	])('rows trigger, %j', async (parameters) => {
		const { place: where } = await kept(ROWS_TRIGGER, { ...list(SESSION_LIST), ...parameters });
		expect(where).toBe(hash([bench.platform.baseUrl, 'production', SESSION_LIST]));
	});

	it.each(['changedRow', 'goneRow'])('rows trigger, %s', async (event) => {
		const parameters = { event, ...list(SESSION_LIST), watchedFields: ['Status'], options: { pageSize: 7 } };
		const { config } = await kept(ROWS_TRIGGER, parameters);
		const meaning = [{ ...NO_FILTER, watchedFields: ['Status'], ignoredFields: [] }, SESSION_LIST];
		expect(config).toBe(fingerprint(event, meaning));
	});
});
