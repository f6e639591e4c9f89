import { until } from '../tools.ts';

/**
 * Submits a published form as a browser does, and waits for its last page.
 *
 * @param answers by field label
 * @returns the HTML of the last page
 */
export async function askForm(url: string, answers: Record<string, string>): Promise<string> {
	const form = await (await fetch(url)).text();
	const body = new FormData();
	for (const [label, answer] of Object.entries(answers)) body.set(fieldNamed(form, label), answer);
	const sent = await fetch(url, { method: 'POST', body });
	const { formWaitingUrl } = (await sent.json()) as { formWaitingUrl: string };
	const status = new URL(formWaitingUrl);
	status.pathname += '/n8n-execution-status';
	await until('the page that follows the form', async () => (await (await fetch(status)).text()) === 'form-waiting');
	return await (await fetch(formWaitingUrl)).text();
}

/** The name under which a field is sent: n8n numbers them. */
function fieldNamed(form: string, label: string): string {
	const name = new RegExp(`<label[^>]*for=['"](field-\\d+)['"][^>]*>\\s*${label}\\b`).exec(form)?.[1];
	if (name === undefined) throw new Error(`The form has no field "${label}": ${form.slice(0, 2000)}`);
	return name;
}
