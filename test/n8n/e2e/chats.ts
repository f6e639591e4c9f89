import assert from 'node:assert/strict';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { after, before, it } from 'node:test';

import { Ajv, type SchemaObject } from 'ajv';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { blockOf, codeAfter, entryOf, STEP_4 } from '../../support/firstAlertPage.ts';
import { ScriptedServer, sendJson } from '../../support/scriptedServer.ts';
import { outputOf } from '../client.ts';
import type { Pair } from '../showcase.ts';

const text = (maxLength: number, more: SchemaObject = {}): SchemaObject => ({
	type: 'string',
	minLength: 1,
	maxLength,
	...more,
});
const object = (properties: Record<string, SchemaObject>, optional: string[] = []): SchemaObject => ({
	type: 'object',
	properties,
	additionalProperties: false,
	required: Object.keys(properties).filter((name) => !optional.includes(name)),
});

/** An Adaptive Card, as the Workflows of Teams take it. What is in a TextRun is not read as Markdown. */
const CARD = object({
	$schema: { const: 'http://adaptivecards.io/schemas/adaptive-card.json' },
	type: { const: 'AdaptiveCard' },
	version: { enum: ['1.2', '1.3', '1.4', '1.5'] },
	body: {
		type: 'array',
		minItems: 1,
		items: object({
			type: { const: 'RichTextBlock' },
			inlines: { type: 'array', minItems: 1, items: object({ type: { const: 'TextRun' }, text: { type: 'string' } }) },
		}),
	},
});

/** What each service takes, by the beginning of the path: made of what it says of its API. */
const SCHEMAS: Readonly<Record<string, SchemaObject>> = {
	// Signs that are no link or mention are written as entities.
	'/slack': object({ text: text(40_000, { pattern: '^[^<>]*$' }) }),
	'/discord': object({ content: text(2_000) }),
	'/teams': object({
		type: { const: 'message' },
		attachments: {
			type: 'array',
			minItems: 1,
			items: object({ contentType: { const: 'application/vnd.microsoft.card.adaptive' }, content: CARD }),
		},
	}),
	'/bot': object(
		{
			chat_id: { type: ['string', 'integer'] },
			// Only these tags, and an end for each.
			text: text(4_096, { pattern: '^(?:[^<>]|<(em|a)(?: [^<>]*)?>[^<>]*</\\1>)*$' }),
			parse_mode: { const: 'HTML' },
			disable_web_page_preview: { type: 'boolean' },
		},
		['disable_web_page_preview'],
	),
};

const MAIL = object({
	from: text(320, { pattern: '^\\S+@\\S+$' }),
	to: text(320, { pattern: '^\\S+@\\S+$' }),
	subject: text(998, { pattern: '^[^\\r\\n]*$' }),
	text: text(100_000),
});

const ajv = new Ajv({ allErrors: true, allowUnionTypes: true });

/** An event and a digest, with all that may be in a name. */
const EVENT = 'Depot_North *1* [a](b) `c` \\d "e" & ‹!channel› @all has been offline since 04:46.';
const DIGEST = ['Site.Name Zürich:', EVENT, 'Graz Market Square 014 is back online.'].join('\n');
const INPUT: IDataObject[] = [
	{ text: EVENT, stationName: 'Zürich Market Square 001', station: {} },
	{ text: DIGEST, stationName: 'Graz Market Square 014', station: null },
];

/** What a service got. */
interface Message {
	text?: string;
	content?: string;
}

/** A mail server that takes everything. */
class MailServer {
	readonly mails: string[] = [];
	port = 0;
	private readonly server = createServer((socket) => this.talk(socket));

	async start(): Promise<void> {
		await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
		this.port = (this.server.address() as AddressInfo).port;
	}

	stop(): void {
		this.server.close();
	}

	private talk(socket: Socket): void {
		let [received, isMail] = ['', false];
		socket.on('error', () => socket.destroy());
		socket.write('220 mail.example\r\n');
		socket.on('data', (chunk) => {
			received += chunk.toString('latin1');
			for (;;) {
				const end = received.indexOf(isMail ? '\r\n.\r\n' : '\r\n');
				if (end < 0) return;
				const said = received.slice(0, end);
				received = received.slice(end + (isMail ? 5 : 2));
				if (isMail) this.mails.push(said);
				isMail = !isMail && said === 'DATA';
				socket.write(isMail ? '354 go on\r\n' : said === 'QUIT' ? '221 bye\r\n' : '250 mail.example\r\n');
			}
		});
	}
}

const bytesOf = (quoted: string) =>
	Buffer.from(
		quoted.replaceAll(/=([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(parseInt(code, 16))),
		'latin1',
	);
const decoded = (header: string) =>
	header
		.replaceAll(/\?=\s+=\?/g, '?==?')
		.replaceAll(/=\?utf-8\?q\?(.*?)\?=/gi, (_, word: string) => bytesOf(word.replaceAll('_', ' ')).toString('latin1'))
		.replaceAll(/=\?utf-8\?b\?(.*?)\?=/gi, (_, word: string) => Buffer.from(word, 'base64').toString('latin1'));

/** The parts of a mail that a person sees. */
function partsOf(mail: string) {
	const [head = '', ...rest] = mail.split('\r\n\r\n');
	const body = rest.join('\r\n\r\n');
	const header = (name: string) => {
		const [, value = ''] = new RegExp(`^${name}: (.*(?:\\r\\n[ \\t].*)*)`, 'im').exec(head) ?? [];
		return Buffer.from(decoded(value).replaceAll(/\r\n(?=[ \t])/g, ''), 'latin1').toString();
	};
	const encoding = header('Content-Transfer-Encoding');
	const bytes = encoding === 'base64' ? Buffer.from(body, 'base64') : bytesOf(body.replaceAll('=\r\n', ''));
	const [written = ''] = bytes.toString().replaceAll('\r\n', '\n').split('\n\n---\n');
	return { from: header('From'), to: header('To'), subject: header('Subject'), text: written };
}

/** What docs/first-alert.md says to write for each chat is sent by n8n's own nodes, and taken. */
export function chatTests({ n8n }: Pair): void {
	const server = new ScriptedServer();
	const mailServer = new MailServer();
	const received = new Map<string, Message[]>();

	before(async () => {
		await Promise.all([server.start(), mailServer.start()]);
		server.script(({ url, body }, response) => {
			const [service, schema] = Object.entries(SCHEMAS).find(([path]) => url.pathname.startsWith(path)) ?? [''];
			const message = JSON.parse(body) as Message;
			received.set(service, [...(received.get(service) ?? []), message]);
			const isTaken = schema !== undefined && ajv.validate(schema, message);
			sendJson(response, isTaken ? 200 : 400, { ok: isTaken, result: {}, description: ajv.errorsText() });
		});
	});
	after(async () => {
		mailServer.stop();
		await server.stop();
	});

	const run = async (type: string, typeVersion: number, parameters: INodeParameters, more: IDataObject = {}) => {
		const start = { id: 'start', name: 'Start', type: 'n8n-nodes-base.manualTrigger', typeVersion: 1, parameters: {} };
		const node = { id: 'node', name: 'Node', type: `n8n-nodes-base.${type}`, typeVersion, parameters, ...more };
		const id = await n8n.importWorkflow({
			name: type,
			nodes: [
				{ ...start, position: [0, 0] },
				{ ...node, position: [240, 0] },
			],
			connections: { Start: { main: [[{ node: 'Node', type: 'main', index: 0 }]] } },
			pinData: { Start: INPUT.map((json) => ({ json })) },
		});
		const execution = await n8n.execute(id);
		const { error } = execution.data.resultData;
		assert.equal(execution.status, 'success', `${error?.message} ${error?.description}`);
		return execution;
	};
	/** @returns what the service got */
	const post = async (service: string, parameters: INodeParameters) => {
		const url = server.baseUrl + service;
		await run('httpRequest', 4.2, { method: 'POST', url, sendBody: true, ...parameters });
		return received.get(service) ?? [];
	};
	const fields = (name: string, value: string) => ({ bodyParameters: { parameters: [{ name, value: `=${value}` }] } });

	it('Slack and Google Chat', async () => {
		const messages = await post('/slack', fields('text', STEP_4));
		assert.deepEqual(messages, [{ text: EVENT }, { text: DIGEST }]);
	});

	it('the message of one chat is refused by another', async () => {
		await assert.rejects(post('/discord', fields('text', STEP_4)), /required property 'content'/);
		received.clear();
	});

	it('Discord reads no name as formatting or as a mention', async () => {
		const messages = await post('/discord', fields('content', blockOf('Discord')));
		const shown = messages.map(({ content }) => content?.replaceAll(/\\([^a-z0-9\s])/gi, '$1'));
		assert.deepEqual(
			shown,
			[EVENT, DIGEST].map((line) => line.replaceAll('@', '@ ')),
		);
		assert.doesNotMatch(messages[0]?.content ?? '', /(?<!\\)[_*`[]/);
	});

	it('Teams shows an Adaptive Card with a line for each event', async () => {
		const messages = await post('/teams', { specifyBody: 'json', jsonBody: `=${blockOf('Teams')}` });
		const lines = messages.map((message) => [...JSON.stringify(message).matchAll(/"text":("(?:[^"\\]|\\.)*")/g)]);
		const shown = lines.map((found) => found.map(([, line = '']) => JSON.parse(line) as string).join('\n'));
		assert.deepEqual(shown, [EVENT, DIGEST]);
	});

	it('Telegram', async () => {
		const data = { accessToken: '1:token', baseUrl: server.baseUrl };
		const credentials = { telegramApi: { id: await n8n.createCredential('Bot', 'telegramApi', data), name: 'Bot' } };
		const parameters = {
			chatId: '42',
			text: `=${entryOf('Telegram', 'Text')}`,
			additionalFields: { parse_mode: 'HTML' },
		};
		await run('telegram', 1.2, parameters, { credentials });
		const shown = (received.get('/bot') ?? []).map((message) => message.text?.split('\n\n<em>')[0]);
		assert.deepEqual(shown, [EVENT, DIGEST]);
	});

	it('mail', async () => {
		const data = { host: '127.0.0.1', port: mailServer.port, secure: false, disableStartTls: true };
		const credentials = { smtp: { id: await n8n.createCredential('Mail', 'smtp', data), name: 'Mail' } };
		const [subject, written] = ['Subject', 'Text'].map((label) => `=${entryOf('Mail', label)}`);
		const addresses = { fromEmail: 'n8n@example.com', toEmail: 'duty@example.com' };
		await run('emailSend', 2.1, { ...addresses, subject, emailFormat: 'text', text: written }, { credentials });
		const mails = mailServer.mails.map(partsOf);
		for (const mail of mails) assert.ok(ajv.validate(MAIL, mail), ajv.errorsText());
		assert.deepEqual(
			mails.map((mail) => [mail.subject, mail.text]),
			[
				[EVENT, EVENT],
				['Site.Name Zürich:', DIGEST],
			],
		);
	});

	it('Switch sends a station to the chat of its region, and the others to the fallback', async () => {
		const rule = (leftValue: string, rightValue: string) => ({
			conditions: {
				options: { caseSensitive: true, leftValue: '', typeValidation: 'strict', version: 2 },
				combinator: 'and',
				conditions: [{ id: rightValue, leftValue, rightValue, operator: { type: 'string', operation: 'startsWith' } }],
			},
		});
		const byName = codeAfter('In the first rule,');
		const byField = codeAfter('holds the region, compare');
		const rules = { values: [rule(`=${byName}`, 'Zürich'), rule(`=${byField}`, 'West')] };
		const execution = await run('switch', 3.2, { mode: 'rules', rules, options: { fallbackOutput: 'extra' } });
		const names = [0, 1, 2].map((output) => outputOf(execution, 'Node', output).map(({ stationName }) => stationName));
		assert.deepEqual(names, [['Zürich Market Square 001'], [], ['Graz Market Square 014']]);
	});
}
