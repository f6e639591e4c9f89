import { parseArgs } from 'node:util';

import { checkExample } from './check.ts';
import { N8nClient } from './client.ts';
import {
	exampleFiles,
	furnish,
	readExample,
	startShowcase,
	startStandIn,
	type Furnishing,
	type Showcase,
} from './showcase.ts';
import { runProgram, until } from './tools.ts';
import { VARIANTS } from './variants.ts';

const HELP = `npm start                starts a stand-in platform and a real n8n with the nodes and examples in it, until Ctrl-C
npm start -- --check     runs the examples in that n8n, also with the changes that their notes offer, compares what they return, and stops everything again
npm start -- --check --url URL   does so in a fresh n8n that is running there, in a container for example, with the package
                         in it, without an owner, and able to reach this machine as 127.0.0.1`;

/** The examples to open first, and what to do there. */
const FIRST = [
	['sessions-to-spreadsheet.json', 'press Execute workflow, then open Sessions of Yesterday to see its filter'],
	['top-stations-last-month.json', 'press Execute workflow for a report of ten stations'],
	['offline-alert.json', 'open Station Offline or Back and press Fetch Test Event'],
] as const;

/** Low enough to make the nodes wait, so that waiting is checked as well. */
const TIGHT = { behaviour: { rateLimit: { limit: 20, windowMs: 2000, retryAfter: 'seconds' } } } as const;

await runProgram(async () => {
	const { values } = parseArgs({
		options: { check: { type: 'boolean' }, url: { type: 'string' }, help: { type: 'boolean' } },
	});
	if (values.help) {
		console.log(HELP);
	} else if (values.check) {
		await check(await (values.url === undefined ? startShowcase('2', TIGHT) : furnishAt(values.url)));
	} else {
		console.log(await welcome(await startShowcase('2')));
		// Ctrl-C is how it is meant to end.
		process.exitCode = 0;
		await new Promise(() => undefined);
	}
});

/** Sets up credentials and examples in an n8n that is running. */
async function furnishAt(url: string) {
	const n8n = new N8nClient(url);
	console.log(`Waiting for n8n at ${url}`);
	// Its readiness check and its pages say so too early.
	const settings = () => n8n.request<object | undefined>('GET', '/settings').catch(() => undefined);
	await until('n8n answers there', settings);
	await n8n.setUpOwner();
	return await furnish({ n8n, platform: await startStandIn(TIGHT) });
}

/** Runs every example once, and once with each change that its note offers. */
async function check(place: Furnishing): Promise<void> {
	const cases = exampleFiles().flatMap((file) =>
		[undefined, ...(VARIANTS[file] ?? [])].map((each) => ({ file, each })),
	);
	for (const { file, each } of cases) {
		const name = each ? `${file}, ${each.offer}` : file;
		try {
			await checkExample(place, file, each);
			console.log(`ok      ${name}`);
		} catch (error) {
			console.log(`DIFFERS ${name}: ${(error as Error).message}`);
			process.exitCode = 1;
		}
	}
}

/** What to tell who has started it. */
async function welcome({ n8n, server, platform, credential, key, workflows }: Showcase): Promise<string> {
	const control = (what: string, method: string, path: string, body?: object) =>
		`  ${what}:\n    curl -sX ${method} ${platform.baseUrl}/__control${path}${body ? ` -d '${JSON.stringify(body)}'` : ''}`;
	const first = FIRST.map(
		([file, what]) => `  ${readExample(file).name}: ${what}\n    ${n8n.url}/workflow/${workflows.get(file)}`,
	);
	const station = '/rows/stations/27';
	return `
n8n is running, with ${workflows.size} example workflows:

  ${n8n.url}
  E-mail    ${n8n.owner.email}
  Password  ${n8n.owner.password}

Open these three first:

${first.join('\n')}

The stand-in platform, which its credential "${credential.name}" leads to. The credential's test says: ${(await n8n.testCredential(credential.id)).message}

  Base URL  ${platform.baseUrl}
  API key   ${key.secret}

Make things happen, from another terminal:

${control('station 27 goes offline', 'PATCH', station, { NetworkStatus: 2 })}
${control('station 27 comes back', 'PATCH', station, { NetworkStatus: 1 })}
${control('station 27 has one charge point, and it is broken', 'PATCH', station, { EVSEs: [{ Id: 271, Status: 3 }] })}
${control('session 30000 starts', 'POST', '/sessions', { id: 30_000 })}
${control('session 30000 fails', 'PATCH', '/rows/sessions/30000', { Status: 6 })}
${control('the license lapses', 'PUT', '/license', { active: false })}
${control('the license is paid', 'PUT', '/license', { active: true })}
${control('the key gets a new secret', 'POST', `/keys/${key.id}/regenerate`)}
${control('the key is revoked', 'DELETE', `/keys/${key.id}`)}

It is for trying things out: everything in it is gone when it stops. n8n's own log: ${server.logFile}

Press Ctrl-C to stop.`;
}
