import { installN8n, N8N_LINES } from './install.ts';
import { runProgram } from './tools.ts';

/** Installs the given lines of n8n, or all that the package is tested with, so that no test has to wait for it. */
await runProgram(async () => {
	const named = N8N_LINES.filter((line) => process.argv.slice(2).includes(line));
	for (const line of named.length > 0 ? named : N8N_LINES) {
		const { version } = await installN8n(line);
		console.log(`n8n ${version} is installed.`);
	}
});
