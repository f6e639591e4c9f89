import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The parts of a chat completion request that are read. */
interface ChatRequest {
	messages: { role: string; content: string }[];
	tools?: Tool[];
}

interface Tool {
	function: { name: string; description: string; parameters: { properties?: Record<string, unknown> } };
}

/** A stand-in for a chat model: calls the tool that takes its arguments once, and repeats the tool's answer. */
export interface ChatModel {
	/** The base URL for n8n's OpenAI credential. */
	url: string;
	/** The arguments to call the tool with. */
	toolArguments: Record<string, unknown>;
	/** The tools that were offered last. */
	offered: Tool[];
	close: () => void;
}

/** Implements as much of OpenAI's chat completions as n8n's agent needs. */
export async function startChatModel(): Promise<ChatModel> {
	const server = createServer((request, response) => {
		let text = '';
		request.on('data', (chunk: Buffer) => (text += chunk.toString()));
		request.on('end', () => {
			const { messages, tools = [] } = JSON.parse(text) as ChatRequest;
			if (tools.length > 0) model.offered = tools;
			const names = ({ function: { parameters } }: Tool) => Object.keys(parameters.properties ?? {}).join();
			// n8n 1.x and 2.x offer several tools in different orders.
			const tool = tools.find((each) => names(each) === Object.keys(model.toolArguments).join()) ?? tools[0];
			const last = messages.at(-1);
			const message =
				last?.role === 'tool'
					? { role: 'assistant', content: last.content }
					: {
							role: 'assistant',
							content: null,
							tool_calls: [
								{
									id: 'call-1',
									type: 'function',
									function: { name: tool?.function.name, arguments: JSON.stringify(model.toolArguments) },
								},
							],
						};
			const choice = { index: 0, message, finish_reason: last?.role === 'tool' ? 'stop' : 'tool_calls' };
			const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
			response.writeHead(200, { 'content-type': 'application/json' });
			response.end(
				JSON.stringify({ id: '1', object: 'chat.completion', created: 1, model: 'stub', choices: [choice], usage }),
			);
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	const model: ChatModel = {
		url: `http://127.0.0.1:${port}/v1`,
		toolArguments: {},
		offered: [],
		close: () => {
			server.closeAllConnections();
			server.close();
		},
	};
	return model;
}
