import type { INodeParameters } from 'n8n-workflow';

import { CHARGE_POINT_TRIGGER, ChargePointBench } from '../../support/chargePointTrigger/support.ts';
import { editorContext } from '../../support/harness.ts';

const bench = new ChargePointBench({ stations: 6 });

const offered = async (method: string, parameters: INodeParameters = {}) => {
	const type = CHARGE_POINT_TRIGGER;
	const { context, nodeType } = await editorContext({ type, credential: bench.credential(), parameters });
	return (await nodeType.methods?.loadOptions?.[method]?.call(context)) ?? [];
};

it('the status field is chosen from those of live charge points, also where a code comes with its name', async () => {
	bench.entries(1, { Id: 11, Status: { Id: 3, Name: 'Faulted' }, Cable: 'fixed' });
	for (const id of [2, 3, 4, 5, 6]) bench.entries(id);
	expect((await offered('getStatusFields')).map(({ value }) => value)).toEqual(['Id', 'Status', 'Cable']);
	const saved = await offered('getStatusFields', { statusField: 'Colour' });
	expect(saved.map(({ value }) => value)).toContain('Colour');
});

it.each([
	['getOutOfOrderValues', 'outOfOrderValues', 'outOfOrder'],
	['getFromValues', 'fromValues', 'statusChange'],
	['getToValues', 'toValues', 'statusChange'],
])('%s offers the codes of the chosen field, and those saved', async (method, parameter, event) => {
	bench.points(2, 4, 'Faulted');
	const values = await offered(method, { event, statusField: 'Status', [parameter]: ['9'] });
	expect(values.map(({ value }) => value)).toEqual(['1', '4', 'Faulted', '9']);
});
