import { dirname, join } from 'node:path';
import { loadOutputSchema } from 'n8n-core';
import type { IDataObject, INodePropertyOptions } from 'n8n-workflow';

import { startPlatform } from '../platform/index.ts';
import { credentialFor, loadPackage, runNode } from './harness.ts';

interface Schema {
	properties: Record<string, { type: string | string[] }>;
}

const typeOf = (value: unknown) => {
	if (value === null) return 'null';
	if (Array.isArray(value)) return 'array';
	return Number.isInteger(value) ? 'integer' : typeof value;
};

it.each([
	['chargingSessions', 'ChargingSessions', { sessionId: '1' }],
	['chargingStations', 'ChargingStations', { stationId: { __rl: true, mode: 'id', value: '1' } }],
])('%s: n8n finds a schema for each operation, and it is what comes out', async (type, folder, parameters) => {
	const platform = await startPlatform({ sessions: 20, stations: 20 });
	const { nodeTypes } = await loadPackage();
	const description = nodeTypes[type]?.type.description;
	if (!description || !('properties' in description)) throw new Error(`The package has no node ${type}`);
	const operations = description.properties.find(({ name }) => name === 'operation')?.options as INodePropertyOptions[];
	for (const { value } of operations) {
		const operation = String(value);
		const nodeDir = dirname(join(process.cwd(), 'dist', 'nodes', folder, `${folder}.node.js`));
		const schema = loadOutputSchema({ nodeDir, version: 1, operation }) as Schema | undefined;
		const { json } = await runNode({
			type,
			credential: credentialFor(platform),
			parameters: { ...parameters, operation },
		});
		expect(json.length).toBeGreaterThan(0);
		for (const [name, { type: expected }] of Object.entries(schema?.properties ?? { 'no schema': { type: '' } })) {
			const numbers = [expected].flat().includes('number') ? ['integer'] : [];
			for (const row of json satisfies IDataObject[]) expect([expected, numbers].flat()).toContain(typeOf(row[name]));
		}
	}
	await platform.close();
});
