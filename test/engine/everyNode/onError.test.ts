import type { IDataObject, INode, INodeParameters, OnError } from 'n8n-workflow';

import { startPlatform, type StandIn } from '../../platform/index.ts';
import { credentialFor, runNode, type RunResult } from '../../support/harness.ts';
import { ALL_SCOPES, NEEDED, operations } from '../../support/nodes.ts';

/** What comes out where a run fails, and when n8n's Retry On Fail runs the node again. */
let platform: StandIn;
beforeAll(async () => {
	platform = await startPlatform({ sessions: 60, stations: 10, locations: 3 });
});
afterAll(async () => await platform.close());
const reset = () => {
	platform.reset();
	platform.behaviour.locationsScope = 'locations:read';
};
beforeEach(reset);

const RETRY: Partial<INode> = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
/** Counts the sessions with an Id from the input's on. */
const COUNT_FROM = { operation: 'count', filters: { id: [{ operator: 'Gte', value: '={{ $json.from }}' }] } };

async function run(type: string, parameters: INodeParameters, items: IDataObject[], node: Partial<INode>) {
	const credential = { ...credentialFor(platform), apiKey: platform.createKey({ scopes: ALL_SCOPES }).secret };
	return await runNode({ type, credential, parameters, items, node });
}
const count = async (items: IDataObject[], node: Partial<INode>, options: INodeParameters = {}) =>
	await run('chargingSessions', { ...COUNT_FROM, options }, items, node);

/** The platform refuses one request. */
const refuseOnce = (nth: number) =>
	platform.faults.add({ kind: 'reply', status: 409, body: { ErrorCode: 'BUSY' }, match: { nth } });

const figures = ({ items, errorItems }: RunResult) => [items, errorItems].map((some) => some.map(({ json }) => json));

/** What an item says that stands for a run that did not work. */
const failedWith = (words = '') => ({
	error: expect.stringContaining(words) as string,
	message: expect.stringMatching(/\w/) as string,
});

describe('Retry On Fail against a platform that fails once', () => {
	const CHOICES: OnError[] = ['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'];

	it.each(CHOICES)('asks again with On Error: %s, and gives what came then', async (onError) => {
		refuseOnce(1);
		const result = await count([{ from: 41 }], { ...RETRY, onError });
		expect([result.status, platform.requests.length]).toEqual(['success', 2]);
		expect(figures(result)).toEqual([[{ count: 20 }], []]);
	});

	it('n8n looks at the first item alone: where a later one fails, the node is not run again', async () => {
		refuseOnce(2);
		const { items } = await count([{ from: 41 }, { from: 51 }], { ...RETRY, onError: 'continueRegularOutput' });
		expect([items.length, platform.requests.length]).toEqual([2, 2]);
	});

	it('of every operation, with either output', async () => {
		for (const { type, operation } of await operations()) {
			// The one computes without the platform, the other tells what does not work.
			if (['availability', 'checkPlatform'].includes(operation)) continue;
			for (const onError of CHOICES.slice(1)) {
				reset();
				refuseOnce(1);
				const { items, errorItems } = await run(type, { ...NEEDED, operation }, [{}], { ...RETRY, onError });
				expect([operation, items.length > 0, errorItems]).toEqual([operation, true, []]);
				expect(items.filter(({ json }) => 'error' in json)).toEqual([]);
				reset();
				platform.faults.add({ kind: 'reply', status: 409, times: Infinity });
				const failed = await run(type, { ...NEEDED, operation }, [{ Id: 1 }], { ...RETRY, onError });
				expect(figures(failed).flat()).toEqual([{ Id: 1, ...failedWith() }]);
				expect(failed.errorItems).toHaveLength(onError === 'continueErrorOutput' ? 1 : 0);
			}
		}
	});
});

describe('an input item that fails', () => {
	const items = [
		{ from: 41, note: 'A' },
		{ from: 51, note: 'B', error: 'of the input', message: 'of the input' },
	];
	const failed = failedWith('409');

	it.each([1, 2])(
		'the %s. goes to the error output with what happened, what to do and its input fields',
		async (nth) => {
			refuseOnce(nth);
			const result = await count(items, { onError: 'continueErrorOutput' });
			const input = items[nth - 1];
			expect(figures(result)).toEqual([[{ count: nth === 1 ? 10 : 20 }], [{ ...input, ...failed }]]);
			expect(result.errorItems[0]?.pairedItem).toEqual({ item: nth - 1 });
		},
	);

	it.each([1, 2])('the %s. has the same fields in the one output, and its own place there', async (nth) => {
		refuseOnce(nth);
		const { json, items: given } = await count(items, { onError: 'continueRegularOutput' });
		const { error, ...input } = items[nth - 1] as IDataObject;
		const inputError = error === undefined ? {} : { inputError: error };
		expect(json[nth - 1]).toEqual({ ...input, ...inputError, ...failed });
		expect(json[2 - nth]).toEqual({ count: nth === 1 ? 10 : 20 });
		expect(given.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }]);
	});

	it('goes to the error output, too, where n8n says no more than what happened, as of a deleted credential', async () => {
		const parameters = { ...COUNT_FROM, authentication: 'signedInUser' };
		const credentials = { chargingNetworkUserApi: { id: '2', name: 'Deleted' } };
		const result = await run('chargingSessions', parameters, items.slice(0, 1), {
			onError: 'continueErrorOutput',
			credentials,
		});
		expect(figures(result)).toEqual([[], [{ ...items[0], ...failedWith('no credential') }]]);
	});

	it('says what to do in message where nothing was sent', async () => {
		const { json } = await count([{ from: '' }, { from: 51 }], { onError: 'continueRegularOutput' });
		expect(json).toEqual([
			{
				from: '',
				error: expect.stringContaining('nothing is filled in') as string,
				message: expect.stringContaining('Nothing was sent') as string,
			},
			{ count: 10 },
		]);
	});
});

describe('Include Input Fields, where the input has a field called error', () => {
	const items = [{ from: 41, error: 'The mail was not sent', message: 'Look there' }, { from: 51 }];

	it('Retry On Fail runs a count that worked once, and the field comes as inputError, with a note', async () => {
		const { json, hints } = await count(items, RETRY, { includeInputFields: true });
		expect(platform.requests).toHaveLength(2);
		expect(json).toEqual([
			{ from: 41, inputError: 'The mail was not sent', message: 'Look there', count: 20 },
			{ from: 51, count: 10 },
		]);
		expect(hints.map(({ message }) => message)).toEqual([expect.stringContaining('inputError')]);
	});

	it('the result is in the success output, and without such a field there is no note', async () => {
		const node = { onError: 'continueErrorOutput' as const };
		const { items: given, errorItems } = await count(items, node, { includeInputFields: true });
		expect([given.length, errorItems]).toEqual([2, []]);
		const { hints } = await count([{ from: 41 }], node, { includeInputFields: true });
		expect(hints).toEqual([]);
	});
});
