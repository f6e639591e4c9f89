import type { IDataObject, INodeParameters, INodePropertyOptions } from 'n8n-workflow';

import { editorContext, loadPackage } from '../../support/harness.ts';
import { EXPIRED, SESSION_TRIGGER, SessionBench } from '../../support/sessionTrigger/support.ts';

const bench = new SessionBench({ stations: 6 });
const type = 'chargingStationStatusTrigger';

async function choices(
	method: string,
	parameters: INodeParameters,
	{ type: node, credential }: { type: string; credential: IDataObject } = { type, credential: bench.credential() },
): Promise<INodePropertyOptions[]> {
	const { context, nodeType } = await editorContext({ type: node, parameters, credential });
	// The editor sends the parameters as currently shown.
	const { additionalData } = context as unknown as { additionalData: { currentNodeParameters?: INodeParameters } };
	additionalData.currentNodeParameters = parameters;
	const load = nodeType.methods?.loadOptions?.[method];
	if (!load) throw new Error(`No method ${method}`);
	return await load.call(context);
}

/** Of an entry that says why there are no others, the reason. */
const values = (options: INodePropertyOptions[]) =>
	options.map(({ name, value, description }) =>
		String(value).endsWith('|note') ? `${name}: ${description}` : `${name} = ${String(value)}`,
	);

describe('the dropdowns of status values', () => {
	beforeEach(() => {
		bench.set({ NetworkStatus: 3, HardwareStatus: 2 }, 2);
		bench.set({ Status: 2 }, 3);
	});

	it('list known labels, codes of live stations and saved values', async () => {
		const online = await choices('getOnlineValues', { options: { onlineValues: ['1', '9'] } });
		expect(values(online)).toEqual(['Online (Code 1) = 1', 'Code 3 = 3', 'Code 9 = 9']);
		const outOfService = await choices('getOutOfServiceValues', { options: {} });
		expect(values(outOfService)).toEqual(['Code 1 = 1', 'Code 2 = 2']);
	});

	it('list the values of the watched statuses, by status', async () => {
		const parameters = { event: 'statusChange', dimensions: ['NetworkStatus', 'HardwareStatus'] };
		expect(values(await choices('getToValues', { ...parameters, toValues: ['HardwareStatus=7'] }))).toEqual([
			'Network Status: Online (Code 1) = NetworkStatus=1',
			'Network Status: Code 3 = NetworkStatus=3',
			'Hardware Status: Code 1 = HardwareStatus=1',
			'Hardware Status: Code 2 = HardwareStatus=2',
			'Hardware Status: Code 7 = HardwareStatus=7',
			'Hardware Status: None Reported = HardwareStatus=none',
		]);
	});

	it('keep known and saved values while the platform refuses', async () => {
		bench.platform.license.active = false;
		const online = await choices('getOnlineValues', { options: { onlineValues: ['5'] } });
		expect(values(online).slice(0, 2)).toEqual(['Online (Code 1) = 1', 'Code 5 = 5']);
	});
});

describe("the session trigger's status dropdowns", () => {
	const load = async (method: string, parameters: INodeParameters) =>
		values(await choices(method, parameters, { type: SESSION_TRIGGER, credential: bench.credential() }));

	it('list finished and failed, codes of live sessions and saved values', async () => {
		bench.start(1, { status: EXPIRED });
		expect(await load('getEndStatuses', { endStatuses: ['4', '9'] })).toEqual([
			'Finished (Code 4) = 4',
			'Failed (Code 6) = 6',
			'Code 5 = 5',
			'Code 9 = 9',
		]);
		const others = await load('getOtherEndStatuses', { options: { otherEndStatuses: ['7'] } });
		expect(others.slice(2)).toEqual(['Code 5 = 5', 'Code 7 = 7']);
	});

	it('keep known and saved values while the platform refuses', async () => {
		bench.platform.license.active = false;
		const kept = await load('getEndStatuses', { endStatuses: ['5'] });
		expect(kept.slice(0, 3)).toEqual(['Finished (Code 4) = 4', 'Failed (Code 6) = 6', 'Code 5 = 5']);
	});
});

it.each([type, SESSION_TRIGGER])('%s is a poll trigger and says how often to poll', async (node) => {
	const { nodeTypes } = await loadPackage();
	const { description } = nodeTypes[node]?.type as {
		description: { properties: Array<{ name: string; displayName: string }> };
	};
	const names = description.properties.map(({ name }) => name);
	expect(names).toContain('pollTimes');
	const notice = description.properties.find(({ name }) => name === 'pollingNotice');
	expect(notice?.displayName).toMatch(/How soon do you want to know.*1 to 5 minutes/);
	expect(JSON.stringify(nodeTypes[node]?.type.description)).toMatch(/1 to 5 minutes/);
});
