import { parseArgs } from 'node:util';

import { checkExample, filesToCheck } from './check.ts';
import { N8nClient, newOwner } from './client.ts';
import { furnish, KEY_NAME, readExample, startShowcase, startStandIn } from './showcase.ts';
import { endWith, until, withCleanup, type Log } from './tools.ts';

const HELP = `npm start                starts a stand-in platform and a real n8n with the nodes and examples in it, until Ctrl-C
npm start -- --check     runs the examples in that n8n, compares what they return, and stops everything again
npm start -- --check --url URL   does so in a fresh n8n that is running there, in a container for example, with the package
                         in it, without an owner, and able to reach this machine as 127.0.0.1

  --sessions NUMBER      charging sessions the stand-in holds (20000)
  --stations NUMBER      stations the stand-in holds (250)
  --timezone NAME        time zone of the workflows (this machine's; Europe/Berlin with --check)`;

/** The examples to open first, and what to do there. */
const FIRST = [
	['sessions-to-spreadsheet.json', 'press Execute workflow, then open Sessions of Yesterday to see its filter'],
	['top-stations-last-month.json', 'press Execute workflow for a report of ten stations'],
	['offline-alert.json', 'open Station Offline or Back and press Fetch Test Event'],
] as const;

const { values } = parseArgs({
	options: {
		check: { type: 'boolean', default: false },
		sessions: { type: 'string', default: '20000' },
		stations: { type: 'string', default: '250' },
		timezone: { type: 'string' },
		url: { type: 'string' },
		help: { type: 'boolean', default: false },
	},
});

const log: Log = (line) => console.log(line);

async function main(): Promise<number> {
	if (values.help) {
		log(HELP);
		return 0;
	}
	const seed = { sessions: Number(values.sessions), stations: Number(values.stations) };
	// The check prefers a zone with daylight saving time, not UTC: "last month" is not a month of UTC there.
	const timezone = values.timezone ?? (values.check ? 'Europe/Berlin' : machineTimezone());
	// Low enough to make the nodes wait, so that waiting is checked as well.
	const rateLimit = { limit: 20, windowMs: 2000, retryAfter: 'seconds' } as const;
	const options = { ...seed, behaviour: values.check ? { rateLimit } : {} };
	return await withCleanup(async (later) => {
		if (values.check && values.url !== undefined) {
			const platform = await startStandIn(log, later, options);
			const n8n = new N8nClient(values.url, newOwner());
			log(`Waiting for n8n at ${n8n.url}`);
			await until('n8n answers there', async () => await n8n.isReady());
			await n8n.setUpOwner();
			const place = { ...(await furnish(platform, n8n)), n8n };
			return await check(place, timezone);
		}
		const showcase = await startShowcase({ log, later, timezone, platform: options });
		if (values.check) return await check(showcase, timezone);
		const { n8n, platform, credential, apiKey, keyId, credentialTest, workflows } = showcase;
		const control = (method: string, path: string, body?: object) =>
			`curl -sX ${method} ${platform.baseUrl}/__control${path}${body ? ` -d '${JSON.stringify(body)}'` : ''}`;
		const [station, session] = [Math.min(27, seed.stations), seed.sessions + 1000];
		log(`
n8n is running, with ${workflows.size} example workflows:

  ${n8n.url}
  E-mail    ${n8n.owner.email}
  Password  ${n8n.owner.password}

Open these three first:

${FIRST.map(([file, what]) => `  ${readExample(file).name}: ${what}\n    ${n8n.url}/workflow/${workflows.get(file)}`).join('\n')}

The stand-in platform, which its credential "${credential.name}" leads to. The credential's test says: ${credentialTest.message}

  Base URL  ${platform.baseUrl}
  API key   ${apiKey}

Make things happen, from another terminal:

${[
	[`station ${station} goes offline`, control('PATCH', `/rows/stations/${station}`, { NetworkStatus: 2 })],
	[`station ${station} comes back`, control('PATCH', `/rows/stations/${station}`, { NetworkStatus: 1 })],
	[
		`station ${station} has one charge point, and it is broken`,
		control('PATCH', `/rows/stations/${station}`, { EVSEs: [{ Id: 10 * station + 1, Status: 3 }] }),
	],
	[`session ${session} starts`, control('POST', '/sessions', { id: session })],
	[`session ${session} fails`, control('POST', `/sessions/${session}/end`, { outcome: 'failed' })],
	['the license lapses', control('PUT', '/license', { active: false })],
	['the license is paid', control('PUT', '/license', { active: true })],
	[`the key "${KEY_NAME}" gets a new secret`, control('POST', `/keys/${keyId}/regenerate`)],
	[`the key "${KEY_NAME}" is revoked`, control('DELETE', `/keys/${keyId}`)],
]
	.map(([what, command]) => `  ${what}:\n    ${command}`)
	.join('\n')}

It is for trying things out: everything in it is gone when it stops. n8n's own log: ${n8n.logFile}

Press Ctrl-C to stop.`);
		return await new Promise<number>(() => undefined);
	});
}

/** Runs every example once. @returns the exit code */
async function check(place: Parameters<typeof checkExample>[0], timezone: string): Promise<number> {
	let failed = 0;
	const files = filesToCheck();
	for (const file of files) {
		const differences = await checkExample(place, timezone, file);
		log(differences.length === 0 ? `ok      ${file}` : differences.map((text) => `DIFFERS ${text}`).join('\n'));
		if (differences.length > 0) failed++;
	}
	log(`${files.length - failed} passed, ${failed} failed`);
	return failed === 0 ? 0 : 1;
}

/** The time zone of this machine, by a name in n8n's lists, which have no "UTC". */
function machineTimezone(): string {
	const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
	return timeZone === 'UTC' ? 'Etc/UTC' : timeZone;
}

// Ctrl-C is no failure if everything runs until Ctrl-C, but it is one if it ends a check early.
await endWith(main, values.check ? 130 : 0);
