import assert from 'node:assert/strict';

import type { FORM_LOGIN } from '../showcase.ts';
import { until } from '../tools.ts';

/**
 * Submits a published form as a browser does, and waits for its last page.
 *
 * @param answers by field label
 * @param login the form shows nothing without it
 * @returns the HTML of the last page
 */
export async function askForm(url: string, answers: Record<string, string>, login: typeof FORM_LOGIN): Promise<string> {
	const headers = { authorization: `Basic ${Buffer.from(`${login.user}:${login.password}`).toString('base64')}` };
	assert.equal((await fetch(url)).status, 401);
	const form = await (await fetch(url, { headers })).text();
	const body = new FormData();
	for (const [label, answer] of Object.entries(answers)) body.set(fieldNamed(form, label), answer);
	const sent = await fetch(url, { method: 'POST', body, headers });
	const { formWaitingUrl } = (await sent.json()) as { formWaitingUrl: string };
	const status = new URL(formWaitingUrl);
	status.pathname += '/n8n-execution-status';
	await until(
		'the page that follows the form',
		async () => (await (await fetch(status, { headers })).text()) === 'form-waiting',
	);
	return await (await fetch(formWaitingUrl, { headers })).text();
}

/** The name under which a field is sent: n8n numbers them. */
function fieldNamed(form: string, label: string): string {
	const name = new RegExp(`<label[^>]*for=['"](field-\\d+)['"][^>]*>\\s*${label}\\b`).exec(form)?.[1];
	if (name === undefined) throw new Error(`The form has no field "${label}": ${form.slice(0, 2000)}`);
	return name;
}
