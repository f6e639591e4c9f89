import { readFileSync } from 'node:fs';

import fastGlob from 'fast-glob';
import { DateTime } from 'luxon';
import type { IDataObject, INode, IWorkflowBase } from 'n8n-workflow';

import { shown } from '../../nodes/shared/trigger/text';
import { evaluate } from '../support/expression';

// What leaves an example as a message, if somebody has given stations, drivers and statuses hostile names.

const LINE = 'SECOND LINE';
const HOSTILE = `<!channel>\r\n${LINE} <https://evil.example|Log in> & "quoted"`;
/** A time that is no time is shown as such, and would hide the others. */
const JUST_NOW = DateTime.utc().minus({ hours: 1 }).toFormat("yyyy-MM-dd'T'HH:mm:ss");
const COMPARED = { count_previous: 2, count_differencePercent: 5, EnergyConsumed_sum_differencePercent: 5 };
const FIGURES = { count: 3, EnergyConsumed_sum: 1.5 };
const SESSION = { Id: HOSTILE, Status: 6, EnergyConsumed: HOSTILE, StartedAtUtc: JUST_NOW, StationName: HOSTILE };

const NAMES = [
	...['Name', 'UserName', 'StatusName', 'StartedAtLocal', 'NetworkStatus', 'station', 'stationName', 'stationId'],
	...['chargePointId', 'sessionId', 'from', 'to', 'reason'],
];

/** What any node may have in an item: every text is hostile, but for what the nodes write themselves. */
const ANYTHING: IDataObject = {
	...{ ...SESSION, ...FIGURES, ...COMPARED, ...Object.fromEntries(NAMES.map((name) => [name, HOSTILE])) },
	text: `${shown(HOSTILE)} has been offline since 04:46.`,
	...{
		event: 'offline',
		startedAt: null,
		since: null,
		status: 6,
		row: { ...SESSION, Action: HOSTILE, Actor: HOSTILE },
	},
	...{ session: SESSION, eventCount: 1, events: [{ sessionId: HOSTILE, startedAt: null, session: SESSION }] },
	...{ byStatus: [{ ...FIGURES, status: 6, StatusName: HOSTILE }], byDay: [{ ...FIGURES, day: '2026-11-21' }] },
	...{ groupedBy: 'station', byField: [{ ...FIGURES, station: HOSTILE }], otherValues: { groups: 0 } },
	...{ period: { from: '2026-11-01', to: '2026-11-30' }, timeZone: 'utc', basis: 'every minute', formula: 'time up' },
	...{ sessionCount: 2, fileName: 'sessions.csv', uptimeMissing: null, uptimePercent: 99, stations: 2, downMinutes: 5 },
	...{ unknownMinutes: 0, incidents: 1, incidentsOfUnknownLength: 0, downMinutesByCause: { [HOSTILE]: 5 } },
	workflow: { name: 'Alerts' },
	execution: { url: 'https://n8n.example/1', error: { message: HOSTILE, description: HOSTILE } },
};

const ITEMS = [ANYTHING, ANYTHING, ANYTHING];

/** Where text leaves: chat, mail, requests and files. Each of their parameters does. */
const SENDING = new Set([...['slack', 'emailSend', 'wait', 'httpRequest', 'convertToFile']]);
/** Nodes of which nothing leaves n8n, or only what a person or a model asked for in the same conversation. */
const INSIDE = new Set([
	...['set', 'html', 'splitOut', 'filter', 'if', 'switch', 'merge', 'splitInBatches', 'dataTable', 'stickyNote'],
	...['executeWorkflowTrigger', 'manualTrigger', 'scheduleTrigger', 'agent', 'chatTrigger', 'lmChatOpenAi'],
	...['mcpTrigger', 'toolWorkflow', 'crypto', 'stopAndError'],
]);
const isOurs = (type: string) => /^charging|^chargePoint/.test(type);

const typeOf = ({ type }: INode) => type.split('.').at(-1) ?? '';

/** Every text in parameters, by its path. */
function textsIn(value: unknown, path: string): Array<[string, string]> {
	if (typeof value === 'string') return [[path, value]];
	if (typeof value !== 'object' || value === null) return [];
	return Object.entries(value).flatMap(([name, inner]) => textsIn(inner, path === '' ? name : `${path}.${name}`));
}

/** Runs the nodes that compose messages; all others give an item with everything. */
class Run {
	private readonly outputs = new Map<string, IDataObject[]>();
	readonly sent: Array<Record<'node' | 'type' | 'name' | 'value', string>> = [];

	constructor(private readonly workflow: IWorkflowBase) {
		for (const node of workflow.nodes) if (SENDING.has(typeOf(node))) this.send(node);
	}

	private send(node: INode): void {
		const input = this.input(node);
		for (const [name, value] of textsIn(node.parameters, '')) {
			this.sent.push({ node: node.name, type: typeOf(node), name, value: this.text(value, input) });
		}
	}

	private input(node: INode): IDataObject[] {
		const before = Object.entries(this.workflow.connections).find(([, { main = [] }]) =>
			main.some((output) => output?.some(({ node: name }) => name === node.name)),
		);
		return before ? this.output(before[0]) : ITEMS;
	}

	private output(name: string): IDataObject[] {
		const known = this.outputs.get(name);
		if (known) return known;
		const node = this.workflow.nodes.find((each) => each.name === name);
		if (!node) throw new Error(`There is no node ${name}`);
		this.outputs.set(name, ITEMS);
		const output = this.run(node);
		this.outputs.set(name, output);
		return output;
	}

	private run(node: INode): IDataObject[] {
		const { assignments, jsonOutput, html, fieldToSplitOut } = node.parameters as {
			assignments?: { assignments: Array<{ name: string; value: unknown }> };
			jsonOutput?: string;
			html?: string;
			fieldToSplitOut?: string;
		};
		const input = this.input(node);
		const first = input[0] ?? ANYTHING;
		switch (typeOf(node)) {
			case 'set': {
				// What the reader has put there.
				if (jsonOutput?.startsWith('{')) return [JSON.parse(jsonOutput) as IDataObject];
				const fields = assignments?.assignments.map(({ name, value }) => [name, this.value(value, input)]) ?? [];
				return [
					{ ...(node.parameters.includeOtherFields === true && first), ...(Object.fromEntries(fields) as IDataObject) },
				];
			}
			case 'html':
				return [{ html: this.text(html ?? '', input) }];
			case 'splitOut':
				return (first[fieldToSplitOut ?? ''] as Array<IDataObject | string>).map(
					(entry): IDataObject => (typeof entry === 'object' ? entry : { [fieldToSplitOut ?? '']: entry }),
				);
			default:
				return isOurs(typeOf(node)) || typeOf(node).endsWith('Trigger') ? ITEMS : input;
		}
	}

	private text(value: string, input: IDataObject[]): string {
		return String(this.value(value, input));
	}

	private value(value: unknown, input: IDataObject[]): unknown {
		if (typeof value !== 'string' || !value.includes('{{')) return value;
		return evaluate(value, { input, nodes: (name) => this.output(name), now: DateTime.now() });
	}
}

const examples = fastGlob
	.sync('examples/*.json')
	.map((file): [string, IWorkflowBase] => [file, JSON.parse(readFileSync(file, 'utf8')) as IWorkflowBase]);
const sentBy = examples.map(([file, workflow]): [string, Run['sent']] => [file, new Run(workflow).sent]);
const composed = sentBy.filter(([, sent]) => sent.length > 0);

/** What may be wrong with a text that leaves: it mentions, links, or begins a line of its own. */
function faultIn({ type, name, value }: Run['sent'][number]): boolean {
	// A mail's text and subject are no HTML and mention nobody.
	const isPlain = type === 'emailSend' && name !== 'html';
	const isRaw = !isPlain && /<!channel|<https:/.test(value);
	const breaks = name !== 'html' && new RegExp(`[\r\n]${LINE}`).test(value);
	return isRaw || breaks;
}

it.each(composed)('%s: no name mentions, links or begins a line', (_, sent) => {
	expect(sent.filter(faultIn).map(({ node, name, value }) => `${node}, ${name}: ${value}`)).toEqual([]);
});

it.each(composed)('%s: no name chooses where something goes, or what a file is called', (_, sent) => {
	const goals = sent.filter(({ name }) =>
		/url$|toEmail$|fromEmail$|channelId|documentId|sheetName|fileName$/.test(name),
	);
	expect(goals.filter(({ value }) => /channel>|evil/.test(value))).toEqual([]);
});

it('no name is a formula: files are workbooks, whose texts are texts', () => {
	const nodes = examples.flatMap(([, workflow]) => workflow.nodes);
	const files = nodes.filter((node) => typeOf(node) === 'convertToFile');
	expect(new Set(files.map(({ parameters }) => parameters.operation))).toEqual(new Set(['xlsx']));
});

it('of every node in the examples it is known whether text leaves by it', () => {
	const types = new Set(examples.flatMap(([, workflow]) => workflow.nodes.map(typeOf)));
	const isKnown = (type: string) => SENDING.has(type) || INSIDE.has(type) || isOurs(type);
	expect([...types].filter((type) => !isKnown(type))).toEqual([]);
});

it('the hostile names were in what these examples send', () => {
	const composing = new Set(['slack', 'emailSend', 'httpRequest']);
	const named = composed.filter(([, sent]) =>
		sent.some(({ value }) => value.includes('channel') && value.includes(LINE)),
	);
	const without = composed
		.filter(([, sent]) => sent.some(({ type }) => composing.has(type)))
		.map(([file]) => file)
		.filter((file) => !named.some(([other]) => other === file));
	expect(without).toEqual([
		'examples/export-proven-on-arrival.json',
		'examples/http-request-same-credential.json',
		'examples/monthly-csv-export-by-mail.json',
	]);
});
