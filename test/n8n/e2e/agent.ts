import assert from 'node:assert/strict';
import { it } from 'node:test';

import type { IDataObject, INodeParameters, NodeConnectionType } from 'n8n-workflow';

import { outputOf, type WorkflowFile } from '../client.ts';
import { credentialOf, importFor, type Pair } from '../showcase.ts';

/** The path of OpenAI's API under which the stand-in answers in place of a model. */
const MODEL_PATH = '/v1/chat/completions';
const TOOL = 'CSV';

/** What a model is asked. */
interface Asked {
	messages: { role: string; content: unknown }[];
	tools: { function: { name: string; description: string } }[];
}

const answer = (message: IDataObject) => ({
	id: 'answer',
	object: 'chat.completion',
	created: 0,
	model: 'scripted',
	choices: [{ index: 0, finish_reason: message.tool_calls ? 'tool_calls' : 'stop', message }],
	usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
});

const connected = (node: string, type: NodeConnectionType) => ({ [type]: [[{ node, type, index: 0 }]] });

/** An agent whose one tool is the export, and its model. */
function workflow(credential: { id: string; name: string }, agentVersion: number): WorkflowFile {
	const node = (name: string, type: string, typeVersion: number, parameters: INodeParameters) => ({
		id: name,
		name,
		type,
		typeVersion,
		parameters,
		position: [0, 0] as [number, number],
	});
	return {
		name: 'agent',
		nodes: [
			node('Start', 'n8n-nodes-base.manualTrigger', 1, {}),
			node('Agent', '@n8n/n8n-nodes-langchain.agent', agentVersion, {
				promptType: 'define',
				text: 'Export session 1 and 2',
				options: { enableStreaming: false },
			}),
			{
				...node('Model', '@n8n/n8n-nodes-langchain.lmChatOpenAi', 1.2, {
					model: { __rl: true, mode: 'id', value: 'scripted' },
					options: {},
				}),
				credentials: { openAiApi: credential },
			},
			{
				...node(TOOL, 'n8n-nodes-charging-network.chargingSessionsCsvExportTool', 1, {
					operation: 'exportByIds',
					sessionIds: "={{ $fromAI('ids', 'The IDs of sessions', 'string') }}",
				}),
				credentials: { chargingNetworkApi: { id: '', name: '' } },
			},
		],
		connections: {
			Start: connected('Agent', 'main'),
			Model: connected('Agent', 'ai_languageModel'),
			[TOOL]: connected('Agent', 'ai_tool'),
		},
		// As n8n's editor saves it. In the older order an agent goes on before its tool has run.
		settings: { executionOrder: 'v1' },
	};
}

/** An agent that uses the export as a tool, with a model whose answers are written down here. */
export function agentTests(pair: Pair): void {
	it('an agent that exports a CSV file is told, before and after, that nobody gets the file', async () => {
		const { n8n, platform, installation } = pair;
		const url = `${platform.baseUrl}/v1`;
		const model = await n8n.createCredential('Model', 'openAiApi', { apiKey: 'scripted', url });
		const call = { name: TOOL, arguments: JSON.stringify({ ids: '1, 2' }) };
		const toolCalls = [{ id: 'call-1', type: 'function', function: call }];
		const match = { path: MODEL_PATH };
		for (const message of [{ content: null, tool_calls: toolCalls }, { content: 'It is exported' }]) {
			const body = answer({ role: 'assistant', ...message });
			platform.faults.add({ kind: 'reply', status: 200, body, match });
		}
		const credential = await credentialOf(pair, 'agent', platform.key);
		const agent = workflow({ id: model, name: 'Model' }, installation.line === '1' ? 2.2 : 3);
		const execution = await n8n.execute(await importFor(pair, agent, credential));
		assert.equal(execution.status, 'success', JSON.stringify(execution.data.resultData.error));
		assert.deepEqual(outputOf(execution, 'Agent'), [{ output: 'It is exported' }]);

		const asked = platform.requests.filter(({ path }) => path === MODEL_PATH).map(({ body }) => body as Asked);
		assert.equal(asked.length, 2);
		const [tool] = asked[0]?.tools ?? [];
		assert.match(
			tool?.function.description ?? '',
			/^Exports the chosen charging sessions .* The file itself reaches nobody/,
		);
		const result = JSON.stringify(asked[1]?.messages.find(({ role }) => role === 'tool')?.content).replaceAll('\\', '');
		assert.match(result, /"sessionCount":2/);
		assert.match(result, /"fileDelivery":"None\. The file itself reaches nobody/);
	});
}
