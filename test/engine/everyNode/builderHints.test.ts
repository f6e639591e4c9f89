import { generateNodeTypeFile, type NodeTypeDescription } from '@n8n/workflow-sdk/scripts/generate-types';
import { parseWorkflowCode, type NodeJSON } from '@n8n/workflow-sdk';
import type { IDataObject, INodeParameters, INodeTypeDescription } from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';

import {
	CHARGE_POINT_TRIGGER,
	points,
	setPoints,
	short as shortOfPoints,
} from '../../support/chargePointTrigger/support.ts';
import { credentialFor, loadPackage, runNode } from '../../support/harness.ts';
import { FAILED, FINISHED, HOUR, SessionBench, told } from '../../support/sessionTrigger/support.ts';
import { short } from '../../support/stationTrigger/support.ts';
import { TriggerRig } from '../../support/trigger/rig.ts';

const PACKAGE = 'n8n-nodes-charging-network';
const SCOPES = [
	'charging-sessions:read',
	'charging-stations:read',
	'locations:read',
	'tariffs:read',
	'audit-trail:read',
];
const bench = new SessionBench({ sessions: 3000, stations: 6 });

let nodes: INodeTypeDescription[];

beforeAll(async () => {
	const { nodeTypes } = await loadPackage();
	nodes = Object.values(nodeTypes).map(({ type }) => NodeHelpers.getVersionedNodeType(type).description);
});

/** The type file that an AI model gets for a community node. n8n leaves out hidden parameters. */
function typeFileOf(node: INodeTypeDescription): string {
	const properties = node.properties.filter(({ type }) => type !== 'hidden');
	const name = `${PACKAGE}.${node.name}`;
	return generateNodeTypeFile({ ...node, name, properties } as NodeTypeDescription);
}

/** The patterns in the comment of a type file, each parsed into its node. */
function patternsIn(typeFile: string): Array<{ title: string; node: NodeJSON }> {
	const text = typeFile.replaceAll(/^ \* ?/gm, '');
	return [...text.matchAll(/<pattern title="([^"]*)">\n(const (\w+) = [^]*?)<\/pattern>/g)].map(
		([, title = '', code = '', name = '']) => {
			const { nodes: made } = parseWorkflowCode(`${code}\nexport default workflow('id', 'name').add(${name});`);
			const [node] = made;
			if (!node || made.length > 1) throw new Error(`The pattern "${title}" is not one node`);
			return { title, node };
		},
	);
}

it('the type file of each node says when to use it, and has a pattern', () => {
	for (const node of nodes) {
		const typeFile = typeFileOf(node);
		const hint = node.builderHint?.searchHint ?? '';
		expect(hint.length).toBeGreaterThan(100);
		expect(typeFile).toContain(`@builderHint ${hint}`);
		expect(hint).toMatch(/instead of (HTTP Request|a Schedule Trigger with HTTP Request):/);
		expect(patternsIn(typeFile).length).toBeGreaterThan(0);
	}
});

it.each([
	['chargingSessions', 'Status 4 = Finished, 6 = Failed'],
	['chargingSessionsCsvExport', 'Status 4 = Finished, 6 = Failed'],
	['chargingSessionTrigger', 'Status 4 = Finished, 6 = Failed'],
	['chargingStations', 'NetworkStatus 1 = Online'],
	['chargingStationStatusTrigger', 'NetworkStatus 1 = Online'],
])('%s says more than once which codes are known, and not to guess others', (name, codes) => {
	const node = nodes.find((each) => each.name === name);
	const lines = node ? typeFileOf(node).split('\n') : [];
	const telling = lines.filter((line) => line.includes(codes) && line.includes('Never guess'));
	expect(telling.length).toBeGreaterThan(1);
});

it('the filter says where nested conditions go, and that periods are local', () => {
	for (const node of nodes) {
		const typeFile = typeFileOf(node);
		expect(typeFile).toMatch(/@builderHint .*anything nested: one entry json:/);
		expect(typeFile).toMatch(/@builderHint .*whole days in the time zone of the workflow/);
	}
});

it.each(['chargingSessions', 'chargingNetworkList'])('%s says which fields each measure of its own needs', (name) => {
	const node = nodes.find((each) => each.name === name);
	const measures = node?.properties.find((each) => each.name === 'measures')?.options ?? [];
	const values = measures.flatMap((each) => ('values' in each ? each.values : []));
	const needed = values.flatMap(({ name: field, default: usual, displayOptions }) =>
		(displayOptions?.show?.function ?? []).flatMap((measure) =>
			typeof measure === 'string' ? { measure, field, isNeeded: usual === '' } : [],
		),
	);
	const missing = needed.filter(({ measure, field, isNeeded }) => {
		const [, told = ''] = (node?.builderHint?.searchHint ?? '').split(`"${measure}"`);
		return field !== 'field' && isNeeded && !new RegExp(`^[^"]*\\b${field}\\b`).test(told);
	});
	expect(needed.map(({ measure }) => measure)).toEqual(expect.arrayContaining(['duration']));
	expect(missing).toEqual([]);
});

it('each node points to other nodes of this package, and they exist', () => {
	const names = nodes.map(({ name }) => `${PACKAGE}.${name}`);
	for (const { builderHint } of nodes) {
		const related = (builderHint?.relatedNodes ?? []).map(({ nodeType }) => nodeType);
		const own = related.filter((name) => name.startsWith(PACKAGE));
		expect(own.length).toBeGreaterThan(0);
		expect(own.filter((name) => !names.includes(name))).toEqual([]);
	}
});

// --- each pattern runs ---

/** Runs the pattern's node once. */
type Run = (parameters: INodeParameters) => Promise<IDataObject[]>;

/** Checks what each pattern does, by its title. Fails for a pattern that is not here, and for one that is gone. */
const RUNS: Record<string, (run: Run, parameters: INodeParameters) => Promise<void>> = {
	async 'Ten stations with most energy last month (StationName: the field of your rows that names the station)'(
		run,
		parameters,
	) {
		const rows = await run(parameters);
		const energy = rows.slice(0, 10).map(({ EnergyConsumed_sum: sum }) => Number(sum));
		expect(rows[0]).toHaveProperty('StationName');
		expect(energy).toEqual([...energy].sort((a, b) => b - a));
		expect(energy.length).toBeGreaterThan(1);
	},
	async 'Sessions of yesterday that failed, or finished with less than 1 kWh'(run, parameters) {
		bench.delete(...(await run({ operation: 'getAll', returnAll: true })).map(({ Id }) => Number(Id)));
		bench.start(9001, { ago: 24 * HOUR, status: FAILED, energy: 5 });
		bench.start(9002, { ago: 24 * HOUR, status: FINISHED, energy: 0.5 });
		bench.start(9003, { ago: 24 * HOUR, status: FINISHED, energy: 5 });
		bench.start(9004, { ago: 72 * HOUR, status: FAILED });
		expect(await run(parameters)).toMatchObject([
			{ Id: 9001, StatusName: 'Failed' },
			{ Id: 9002, StatusName: 'Finished' },
		]);
	},
	async 'How many stations are not online now'(run, parameters) {
		bench.set({ NetworkStatus: 2 }, 1, 2);
		expect(await run(parameters)).toEqual([{ count: 2 }]);
	},
	async 'All stations with a name that begins with DE or AT, by name'(run, parameters) {
		bench.set({ Name: 'DE 7' }, 1);
		bench.set({ Name: 'AT 9' }, 2);
		expect((await run(parameters)).map(({ Name }) => Name)).toEqual(['AT 9', 'DE 7']);
	},
	async 'One location, to see which fields there are'(run, parameters) {
		bench.platform.behaviour.locations.acceptsKeys = true;
		expect(await run(parameters)).toHaveLength(1);
	},
	async 'All rows of a list (the path: one that the user gave)'(run, parameters) {
		expect((await run(parameters)).length).toBeGreaterThan(0);
	},
	async 'Find out what the platform does, before building on it'(run, parameters) {
		expect((await run(parameters)).at(-1)).toMatchObject({ check: 'What to do' });
	},
	async 'Finished sessions of last month as a CSV file for Excel'(run, parameters) {
		const [file] = await run(parameters);
		expect(Number(file?.sessionCount)).toBeGreaterThan(0);
	},
	async 'Tell of stations that have been offline for ten minutes, and of their return'(_, parameters) {
		const rig = new TriggerRig('memory', parameters, bench.credential());
		await rig.activate();
		bench.set({ NetworkStatus: 2 }, 3);
		await bench.minutes(rig, 12);
		bench.set({ NetworkStatus: 1 }, 3);
		await bench.minutes(rig, 2);
		expect(short(rig.items)).toEqual(['offline 3', 'backOnline 3']);
	},
	async 'Tell of charge points that break, and of their repair (field and code: as the user says)'(_, parameters) {
		const rig = new TriggerRig('memory', parameters, bench.credential(), {}, CHARGE_POINT_TRIGGER);
		setPoints(bench, 3, points(3, 1));
		await rig.activate();
		setPoints(bench, 3, points(3, 3));
		await bench.minutes(rig, 12);
		setPoints(bench, 3, points(3, 1));
		await bench.minutes(rig, 2);
		expect(shortOfPoints(rig.items)).toEqual(['outOfOrder 31', 'backInOrder 31']);
	},
	async 'New entries of the audit trail (the path: one that the user gave)'(_, parameters) {
		const credential = credentialOfAll();
		const rig = new TriggerRig('memory', parameters, credential, {}, 'chargingNetworkRowsTrigger');
		await rig.activate();
		await runNode({
			type: 'chargingSessionsCsvExport',
			parameters: { operation: 'exportByIds', sessionIds: '1' },
			credential,
		});
		await bench.minutes(rig, 2);
		expect(rig.items).toEqual([expect.objectContaining({ event: 'newRow' })]);
	},
	async 'Tariffs whose price changes (list and field: as the user says)'(_, parameters) {
		const rig = new TriggerRig('memory', parameters, credentialOfAll(), {}, 'chargingNetworkRowsTrigger');
		await rig.activate();
		bench.platform.db.exec('UPDATE tariffs SET PricePerKwh = 0.99 WHERE Id = 7');
		await bench.minutes(rig, 2);
		expect(rig.items).toMatchObject([{ event: 'changedRow', rowId: 7, now: { PricePerKwh: 0.99 } }]);
	},
	async 'Sessions that fail'(_, parameters) {
		const rig = await bench.rig('memory', parameters);
		bench.start(9001, { status: FAILED });
		await bench.minutes(rig, 2);
		expect(told(rig.items)).toEqual(['failed 9001']);
	},
};

it('each pattern is run', () => {
	const titles = allPatterns().map(({ title }) => title);
	const wrong = [
		...titles.filter((title) => !(title in RUNS)).map((title) => `RUNS in this file: say what "${title}" must give.`),
		...Object.keys(RUNS)
			.filter((title) => !titles.includes(title))
			.map((title) => `RUNS in this file: no builderHint.ts has the pattern "${title}".`),
	];
	expect(wrong).toEqual([]);
});

it.each(Object.entries(RUNS))('runs as it is written: %s', async (wanted, check) => {
	const node = allPatterns().find(({ title }) => title === wanted)?.node;
	if (!node) throw new Error('There is no such pattern');
	expect(node.credentials).toHaveProperty('chargingNetworkApi');
	const type = node.type.replace(`${PACKAGE}.`, '');
	await check(async (parameters) => {
		const { json, error } = await runNode({ type, parameters, credential: credentialOfAll() });
		expect(error).toBeUndefined();
		return json;
	}, node.parameters as INodeParameters);
});

/** A key that may read all lists that the patterns use. */
function credentialOfAll() {
	const { secret } = bench.platform.createKey({ scopes: SCOPES });
	return { ...credentialFor(bench.platform), apiKey: secret };
}

function allPatterns() {
	return nodes.flatMap((node) => patternsIn(typeFileOf(node)));
}
