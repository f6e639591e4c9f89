import { installN8n, N8N_LINES } from './install.ts';
import { endWith } from './tools.ts';

/** Installs every n8n that the package is tried in, so that no test has to wait for it. */
async function main(): Promise<number> {
	for (const line of N8N_LINES) {
		const { version } = await installN8n(line);
		console.log(`n8n ${version} is there.`);
	}
	return 0;
}

await endWith(main);
