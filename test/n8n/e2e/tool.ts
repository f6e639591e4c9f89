import assert from 'node:assert/strict';
import { before, it } from 'node:test';

import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';

import { outputOf, type WorkflowFile } from '../client.ts';
import { CREDENTIAL_TYPE, type Showcase } from '../showcase.ts';
import { startChatModel, type ChatModel } from './chatModel.ts';
import type { Lab } from './lab.ts';

const AGENT = 'Agent';
const LANGCHAIN = '@n8n/n8n-nodes-langchain.';
const PACKAGE = 'n8n-nodes-charging-network.';

/** Each action node as a tool of n8n's AI agent. Only the chat model is a stand-in; everything else is n8n's. */
export function toolTests(lab: () => Lab): void {
	let model: ChatModel;
	let openAi: Showcase['credential'];

	before(async () => {
		const { n8n, later } = lab();
		model = await startChatModel();
		later(() => model.close());
		const data = { apiKey: 'none', url: model.url };
		openAi = { id: await n8n.createCredential('Chat model', 'openAiApi', data), name: 'Chat model' };
	});

	/** Lets the agent call a node with the model's arguments, and returns its answer: what the tool returned. */
	async function ask(node: string, parameters: INodeParameters, toolArguments: IDataObject): Promise<string> {
		const { n8n, credential } = lab();
		model.toolArguments = toolArguments;
		const id = await n8n.importWorkflow(agentWorkflow(node, parameters, credential, openAi));
		const execution = await n8n.execute(id);
		const { error } = execution.data.resultData;
		assert.equal(execution.status, 'success', `${error?.message} ${error?.description}`);
		const [tool] = model.offered;
		assert.deepEqual(Object.keys(tool?.function.parameters.properties ?? {}), Object.keys(toolArguments));
		const [answer] = outputOf(execution, AGENT);
		return JSON.stringify(answer);
	}

	it('Charging Sessions: the model names the session', async () => {
		const sessionId = "={{ $fromAI('session', 'Id of the session', 'string') }}";
		const answer = await ask('chargingSessions', { operation: 'get', sessionId }, { session: '42' });
		assert.match(answer, /Id\\*":42\b/);
		assert.match(answer, /EnergyConsumed/);
	});

	it('Charging Stations: the model sets the limit', async () => {
		const limit = "={{ $fromAI('how_many', 'Number of stations', 'number') }}";
		const answer = await ask('chargingStations', { operation: 'getAll', returnAll: false, limit }, { how_many: 3 });
		assert.equal(answer.match(/NetworkStatus/g)?.length, 3);
	});

	const FAILED_ABOVE_20 = {
		Logic: 'And',
		Filters: [
			{ Field: 'Status', Operator: 'Eq', Value: '6' },
			{ Field: 'EnergyConsumed', Operator: 'Gt', Value: '20' },
		],
	};
	const filters = { json: [{ json: "={{ $fromAI('filter', 'Which sessions, as a dsquery filter', 'json') }}" }] };
	const sql = `SELECT count(*) AS count, sum(CAST(round(EnergyConsumed * 1000) AS INTEGER)) / 1000.0 AS energy
		FROM sessions WHERE Status = 6 AND EnergyConsumed > 20`;

	it('Charging Sessions: the model writes the filter of a count, and gets only the number', async () => {
		const answer = await ask('chargingSessions', { operation: 'count', filters }, { filter: FAILED_ABOVE_20 });
		const expected = lab().platform.db.prepare(sql).get();
		assert.match(answer, new RegExp(`count\\\\*":${Number(expected?.count)}\\b`));
		assert.doesNotMatch(answer, /EnergyConsumed/);
	});

	it('Charging Sessions: the model writes the filter of a summary and chooses the groups', async () => {
		const groupBy = "={{ $fromAI('group_by', 'status, day or field; several with commas', 'string') }}";
		const groupByField = "={{ $fromAI('field', 'Name of the field to group by', 'string') }}";
		const answer = await ask(
			'chargingSessions',
			{ operation: 'summary', filters, groupBy, groupByField },
			{ filter: FAILED_ABOVE_20, group_by: 'status, field', field: 'Currency' },
		);
		const expected = lab().platform.db.prepare(sql).get();
		assert.match(answer, new RegExp(`count\\\\*":${Number(expected?.count)},`));
		assert.match(answer, new RegExp(`energyConsumed\\\\*":${String(expected?.energy).replace('.', '\\.')},`));
		assert.match(answer, /groupedBy\\*":\\*"Currency/);
		assert.doesNotMatch(answer, /byDay/);
	});

	it('tells the model which operation a tool does', async () => {
		const seen: string[] = [];
		const sessionId = "={{ $fromAI('session', 'Id of the session', 'string') }}";
		for (const parameters of [{ operation: 'get', sessionId }, { operation: 'count' }, { operation: 'summary' }]) {
			await ask('chargingSessions', parameters, 'sessionId' in parameters ? { session: '42' } : {});
			seen.push(model.offered[0]?.function.description ?? '');
		}
		assert.deepEqual(seen, [
			'Get charging session by ID in Charging Sessions',
			'Count charging sessions in Charging Sessions',
			'Summarize charging sessions in Charging Sessions',
		]);
	});

	it('Charging Locations: the model sets the limit and the sort', async () => {
		const limit = "={{ $fromAI('how_many', 'Number of locations', 'number') }}";
		const field = "={{ $fromAI('order', 'Field to sort by', 'string') }}";
		const sort = { by: [{ field, direction: 'Desc' }] };
		const parameters = { operation: 'getAll', returnAll: false, limit, sort };
		const answer = await ask('chargingLocations', parameters, { how_many: 1, order: 'Latitude' });
		const sql = 'SELECT Name FROM locations ORDER BY Latitude DESC LIMIT 1';
		assert.match(answer, new RegExp(String(lab().platform.db.prepare(sql).get()?.Name)));
		assert.equal(answer.match(/Latitude/g)?.length, 1);
	});

	it('Charging Sessions CSV Export: the model names the sessions', async () => {
		const sessionIds = "={{ $fromAI('sessions', 'Ids of the sessions, separated by commas', 'string') }}";
		const answer = await ask(
			'chargingSessionsCsvExport',
			{ operation: 'exportByIds', sessionIds },
			{ sessions: '7, 8, 9' },
		);
		assert.match(answer, /sessionCount\\*":3\b/);
	});
}

function agentWorkflow(
	node: string,
	parameters: INodeParameters,
	credential: Showcase['credential'],
	openAi: Showcase['credential'],
): WorkflowFile {
	const make = (name: string, type: string, typeVersion: number, more: Partial<INode>): INode => ({
		id: name,
		name,
		type,
		typeVersion,
		position: [0, 0],
		parameters: {},
		...more,
	});
	const to = (type: 'main' | 'ai_languageModel' | 'ai_tool') => ({ [type]: [[{ node: AGENT, type, index: 0 }]] });
	return {
		name: `Agent with ${node}`,
		nodes: [
			make('Start', 'n8n-nodes-base.manualTrigger', 1, {}),
			make(AGENT, `${LANGCHAIN}agent`, 3, {
				parameters: { promptType: 'define', text: 'What do you see?', options: {} },
			}),
			make('Model', `${LANGCHAIN}lmChatOpenAi`, 1.2, {
				parameters: { model: { __rl: true, mode: 'id', value: 'stub' }, options: {} },
				credentials: { openAiApi: openAi },
			}),
			make('Charging Network', `${PACKAGE}${node}Tool`, 1, {
				parameters: { ...parameters, descriptionType: 'auto' },
				credentials: { [CREDENTIAL_TYPE]: credential },
			}),
		],
		// As the editor creates them. In the older order the agent would continue before the tool has run.
		settings: { executionOrder: 'v1' },
		connections: { Start: to('main'), Model: to('ai_languageModel'), 'Charging Network': to('ai_tool') },
	};
}
