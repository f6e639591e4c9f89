import type { INodePropertyOptions } from 'n8n-workflow';

import { startPlatform, type StandIn } from '../../platform/index.ts';
import { credentialFor, editorContext } from '../../support/harness.ts';
import { ROWS_TRIGGER, list } from '../../support/rowsTrigger/support.ts';

let platform: StandIn;
beforeAll(async () => (platform = await startPlatform({ sessions: 5, stations: 1 })));
afterAll(async () => await platform.close());

it('the filter offers the fields of the chosen list', async () => {
	const scopes = ['users:read'];
	const { context, nodeType } = await editorContext({
		type: ROWS_TRIGGER,
		parameters: list('/api/users/v1'),
		credential: { ...credentialFor(platform), apiKey: platform.createKey({ scopes }).secret },
	});
	const fields = (await nodeType.methods?.loadOptions?.getFields?.call(context)) ?? [];
	expect(fields.map(({ value }) => value)).toContain('Email|text');
});

it('is offered in the words of what happens', async () => {
	const { nodeType } = await editorContext({ type: ROWS_TRIGGER, credential: credentialFor(platform) });
	// n8n takes the words of its node panel from the property with this name.
	const event = nodeType.description.properties.find(({ displayName }) => displayName === 'Trigger On');
	const options = (event?.options ?? []) as INodePropertyOptions[];
	expect(options.map(({ name, value }) => `${name}: ${String(value)}`)).toEqual([
		'New Row in a List: newRow',
		'Row Changed: changedRow',
		'Row Gone: goneRow',
	]);
});

it('offers the fields of the chosen list to watch or ignore, and keeps those that are saved', async () => {
	const { context, nodeType } = await editorContext({
		type: ROWS_TRIGGER,
		parameters: { ...list('/api/users/v1'), event: 'changedRow', watchedFields: ['Email'], ignoredFields: ['Gone'] },
		credential: { ...credentialFor(platform), apiKey: platform.createKey({ scopes: ['users:read'] }).secret },
	});
	const fields = (await nodeType.methods?.loadOptions?.getWatchedFields?.call(context)) ?? [];
	expect(fields.map(({ value }) => value)).toEqual(expect.arrayContaining(['Email', 'TeamName', 'Gone']));
});
