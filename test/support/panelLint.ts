import { Linter } from 'eslint';
import plugin from 'eslint-plugin-n8n-nodes-base';
import type { INodeProperties } from 'n8n-workflow';

export interface Finding {
	rule: string;
	/** Name of the parameter or group, or label of the choice. */
	at: string;
	message: string;
}

const PLUGIN = 'n8n-nodes-base';
const rules = Object.keys(plugin.rules ?? {}).filter((name) => name.startsWith('node-param-'));
const linter = new Linter();

/**
 * Lints a panel with all rules of eslint-plugin-n8n-nodes-base for parameters. They recognize a parameter only as a
 * literal, so what the makers of parameters have built is written out as one.
 */
export function lintPanel(properties: readonly INodeProperties[]): Finding[] {
	const literal = JSON.stringify(properties, null, '\t').replaceAll(/^(\t+)"([a-z]\w*)":/gim, '$1$2:');
	const lines = `export const properties = ${literal};`.split('\n');
	const messages = linter.verify(lines.join('\n'), {
		plugins: { [PLUGIN]: plugin },
		rules: Object.fromEntries(rules.map((rule) => [`${PLUGIN}/${rule}`, 'error'])),
	});
	return messages.map(({ ruleId, message, line }) => ({
		rule: String(ruleId).replace(`${PLUGIN}/`, ''),
		at: nameAround(lines, line - 1),
		message,
	}));
}

/** The `name` in the object that has this line. */
function nameAround(lines: readonly string[], from: number): string {
	const inside = /^\t*/.exec(lines[from] ?? '')?.[0] ?? '';
	const isInside = (line = '') => line.startsWith(inside);
	let first = from;
	while (isInside(lines[first - 1])) first -= 1;
	for (let at = first; isInside(lines[at]); at += 1) {
		const [, name] = new RegExp(`^${inside}name: "(.*)"`).exec(lines[at] ?? '') ?? [];
		if (name !== undefined) return name;
	}
	return '';
}
