import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, it } from 'node:test';

import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';

import { outputOf, type CredentialTestAnswer, type Execution } from '../client.ts';
import { USER, USER_CREDENTIAL_TYPE } from '../showcase.ts';
import { freePort } from '../tools.ts';
import type { Lab } from './lab.ts';

const PASSWORD = 'Long password of one person, 7 & µ';
const NODE = 'The Node';
const PACKAGE = 'n8n-nodes-charging-network.';

/** The credential of a signed-in user: its test, runs, a token that expires during a run, and no leaked secrets. */
export function userTests(lab: () => Lab): void {
	const used = new Set<string>();

	/** A user of the stand-in whom no other test uses, because gates outlive a test. */
	function person(): { email: string; password: string } {
		const email = `person${used.size}@example.test`;
		used.add(email);
		lab().platform.users.push({ email, password: PASSWORD, role: 'CompanyAdmin' });
		return { email, password: PASSWORD };
	}

	const dataOf = (fields: Record<string, string> = {}) => ({
		environment: 'test',
		testUrl: lab().platform.baseUrl,
		...person(),
		...fields,
	});

	/** Saves a credential and tests it as the dialog does with a saved one, with n8n's placeholders. */
	async function test(fields: Record<string, string> = {}): Promise<CredentialTestAnswer> {
		const { n8n } = lab();
		const name = `User ${Math.random()}`;
		const id = await n8n.createCredential(name, USER_CREDENTIAL_TYPE, dataOf(fields));
		const saved = await n8n.savedCredential(id);
		noSecrets(saved);
		const answer = await n8n.testCredential(name, USER_CREDENTIAL_TYPE, saved.data, id);
		noSecrets(answer);
		return answer;
	}

	function noSecrets(...values: unknown[]): void {
		const text = JSON.stringify(values);
		for (const secret of [PASSWORD, USER.password, ...lab().platform.tokens]) {
			assert.equal(text.includes(secret), false, 'a password or token is given away');
		}
	}

	/** Runs one node as a user and returns what n8n keeps of it. */
	async function run(
		type: string,
		parameters: INodeParameters,
		fields: Record<string, string> = {},
	): Promise<{ execution: Execution; rows: IDataObject[]; said: string; credentialId: string; workflowId: string }> {
		const { n8n } = lab();
		const name = `User ${Math.random()}`;
		const credentialId = await n8n.createCredential(name, USER_CREDENTIAL_TYPE, dataOf(fields));
		const workflowId = await n8n.importWorkflow({
			name: type,
			nodes: [
				make('Start', 'n8n-nodes-base.manualTrigger', {}),
				make(NODE, type, { parameters, credentials: { [USER_CREDENTIAL_TYPE]: { id: credentialId, name } } }),
			],
			connections: { Start: { main: [[{ node: NODE, type: 'main', index: 0 }]] } },
			settings: { executionOrder: 'v1' },
		});
		const execution = await n8n.execute(workflowId);
		noSecrets(execution);
		const { error } = execution.data.resultData;
		const rows = execution.status === 'success' ? outputOf(execution, NODE) : [];
		return { execution, rows, said: `${error?.message}. ${error?.description}`, credentialId, workflowId };
	}

	const asUser = (parameters: INodeParameters) => ({ authentication: 'signedInUser', ...parameters });
	const signInsFrom = (start: number) =>
		lab()
			.platform.requests.slice(start)
			.filter(({ path }) => path === '/token');

	afterEach(() => {
		const { platform } = lab();
		platform.faults.clear();
		platform.license.active = true;
		platform.behaviour.echoKey = false;
		platform.behaviour.redirectTo = undefined;
		Object.assign(platform.behaviour.token, { path: 'AccessToken', body: undefined, uses: undefined });
		platform.behaviour.locations.acceptsKeys = true;
	});

	it('test: signing in works', async () => {
		assert.deepEqual(await test(), {
			status: 'OK',
			message: `Reached the test environment at ${lab().platform.baseUrl}. Signing in works. The user can read charging sessions and charging stations. To see what this platform does, run Charging Network List > Check Platform once.`,
		});
	});

	const refusals: Array<[string, Record<string, string>, () => void, RegExp]> = [
		['a wrong password', { password: 'not it' }, () => undefined, /does not accept this email address and password/],
		['two factors', { email: 'two-factor@example.test', password: USER.password }, () => undefined, /second factor/],
		[
			'no token in the answer',
			{},
			() => (lab().platform.behaviour.token.path = 'a.pass'),
			/fields are there: a\.pass\./,
		],
		['an inactive license', {}, () => (lab().platform.license.active = false), /license of your organization/],
		['an outage', {}, () => lab().platform.faults.add({ kind: 'status', status: 503, times: Infinity }), /status 503/],
		[
			'a redirect',
			{},
			() => (lab().platform.behaviour.redirectTo = 'https://a.example/'),
			/https:\/\/a\.example.*never sent to another/,
		],
		[
			'a rate limit',
			{},
			() =>
				lab().platform.faults.add({ kind: 'status', status: 429, headers: { 'retry-after': '9' }, times: Infinity }),
			/rate limit of the signed-in user is used up, try again in 9 seconds/,
		],
		[
			'plain http to another host',
			{ testUrl: 'http://platform.example.com' },
			() => undefined,
			/password would travel unencrypted/,
		],
		[
			'a host that does not exist',
			{ testUrl: 'https://platform.invalid' },
			() => undefined,
			/platform\.invalid was not found/,
		],
	];
	for (const [name, fields, prepare, sentence] of refusals) {
		it(`test: ${name}`, async () => {
			prepare();
			const { status, message } = await test(fields);
			assert.match(message, sentence);
			assert.equal(status, 'Error');
		});
	}

	it('test: a web page and an address where nothing listens', async () => {
		const page = createServer((_, response) => response.end('<html><title>Operator Portal</title></html>'));
		await new Promise<void>((resolve) => page.listen(0, '127.0.0.1', resolve));
		const { port } = page.address() as AddressInfo;
		assert.match((await test({ testUrl: `http://127.0.0.1:${port}` })).message, /got a web page, “Operator Portal”/);
		page.close();
		assert.match((await test({ testUrl: `http://127.0.0.1:${await freePort()}` })).message, /refused the connection/);
	});

	it('test: an empty, unsaved email address or password', async () => {
		const { n8n, user } = lab();
		for (const [field, sentence] of [
			['email', /no email address/],
			['password', /no password/],
		] as const) {
			const data = { ...dataOf(), [field]: '' };
			const { message } = await n8n.testCredential(user.name, USER_CREDENTIAL_TYPE, data, user.id);
			assert.match(message, sentence);
		}
	});

	it('a list whose token keeps expiring has every session once', async () => {
		const { platform } = lab();
		platform.behaviour.token.uses = 7;
		const start = platform.requests.length;
		const { execution, rows } = await run(
			`${PACKAGE}chargingSessions`,
			asUser({ operation: 'getAll', returnAll: true }),
		);
		assert.equal(execution.status, 'success');
		const ids = platform.db.prepare('SELECT Id FROM sessions ORDER BY Id').all();
		assert.deepEqual(
			rows.map(({ Id }) => Id),
			ids.map(({ Id }) => Id),
		);
		const signIns = signInsFrom(start).length;
		const lists = platform.requests.length - start - signIns;
		assert.ok(signIns > 10 && signIns <= 1 + Math.ceil(lists / 7), `${signIns} sign-ins for ${lists} requests`);
	});

	it('n8n keeps the token, and does not show it in the credential', async () => {
		const { n8n, platform } = lab();
		const parameters = asUser({ operation: 'getAll', limit: 1 });
		const { credentialId, workflowId } = await run(`${PACKAGE}chargingSessions`, parameters);
		noSecrets(await n8n.savedCredential(credentialId));
		const start = platform.requests.length;
		await n8n.execute(workflowId);
		assert.equal(signInsFrom(start).length, 0, 'it signed in again although the token was good');
		platform.expireTokens();
		assert.equal((await n8n.execute(workflowId)).status, 'success');
		assert.equal(signInsFrom(start).length, 1);
	});

	it('reads locations where API keys are refused', async () => {
		const { platform } = lab();
		platform.behaviour.locations.acceptsKeys = false;
		const { rows } = await run(`${PACKAGE}chargingLocations`, asUser({ operation: 'getAll', returnAll: true }));
		assert.equal(rows.length, platform.db.prepare('SELECT count(*) AS n FROM locations').get()?.n);
	});

	it('a wrong password is tried once, and neither it nor a token is shown', async () => {
		const { platform } = lab();
		platform.behaviour.echoKey = true;
		const start = platform.requests.length;
		const parameters = asUser({ operation: 'getAll', returnAll: true });
		const { said } = await run(`${PACKAGE}chargingSessions`, parameters, { password: `${PASSWORD} no` });
		assert.match(said, /does not accept this email address and password/);
		assert.equal(platform.requests.length, start + 1);
	});

	it('an account with two factors is refused with the reason', async () => {
		const fields = { email: 'two-factor@example.test', password: USER.password };
		const { said } = await run(`${PACKAGE}chargingStations`, asUser({ operation: 'getAll' }), fields);
		assert.match(said, /asks for a second factor, so it cannot be used unattended/);
	});

	const request = () => ({
		url: `${lab().platform.baseUrl}/api/charging-stations/v1/3`,
		authentication: 'predefinedCredentialType',
		nodeCredentialType: USER_CREDENTIAL_TYPE,
		options: {},
	});

	it("n8n's HTTP Request node signs in with the same credential, and again when the token has expired", async () => {
		const { n8n, platform } = lab();
		const { workflowId, rows } = await run('n8n-nodes-base.httpRequest', request());
		assert.equal(rows[0]?.Id, 3);
		platform.expireTokens();
		const start = platform.requests.length;
		const again = await n8n.execute(workflowId);
		assert.equal(again.status, 'success');
		assert.equal(signInsFrom(start).length, 1);
		noSecrets(again);
	});

	it("n8n's HTTP Request node says why it cannot sign in", async () => {
		const { said } = await run('n8n-nodes-base.httpRequest', request(), { password: `${PASSWORD} no` });
		assert.match(said, /does not accept this email address and password/);
	});

	it('no file of n8n, including its database and log, holds a password or a token', () => {
		const { n8n, platform } = lab();
		const files = readdirSync(n8n.userFolder, { recursive: true, withFileTypes: true })
			.filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
			.map((entry) => join(entry.parentPath, entry.name));
		assert.ok(files.some((file) => file.endsWith('database.sqlite')) && files.some((file) => file.endsWith('n8n.log')));
		for (const file of files) {
			const bytes = readFileSync(file);
			for (const secret of [PASSWORD, ...platform.tokens]) {
				assert.equal(bytes.includes(secret), false, `${file} holds a password or a token`);
			}
		}
	});
}

function make(name: string, type: string, more: Partial<INode>): INode {
	return {
		id: name,
		name,
		type,
		typeVersion: type.endsWith('httpRequest') ? 4.2 : 1,
		position: [0, 0],
		parameters: {},
		...more,
	};
}
