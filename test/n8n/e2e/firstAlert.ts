import assert from 'node:assert/strict';
import { it } from 'node:test';

import { byTestId } from '../browser.ts';
import { startPair } from '../showcase.ts';
import { until } from '../tools.ts';
import { WALK_KEY, walkThrough } from '../walkThrough.ts';
import { furtherPolls } from './incidents.ts';
import { tarball, TIMEZONE, use, useEditor } from './lab.ts';
import { startReceiver } from './receiver.ts';

/** docs/first-alert.md, by mouse, with one minute instead of ten. */
export function firstAlertTests(): void {
	const place = use(async (later) => {
		const pair = await startPair({ log: console.log, later, timezone: TIMEZONE, tarball: await tarball() });
		return { ...pair, receiver: await startReceiver(later) };
	});
	const editor = useEditor(() => place().n8n);

	it('from an empty n8n to messages in the chat', async () => {
		const { platform, receiver } = place();
		const page = editor();
		await walkThrough({ ...place(), page, minutes: 1 }, () => Promise.resolve());
		const texts = () => receiver.received.map(({ text }) => text as string);
		// A step that was executed twice, because n8n dropped its items, has sent them twice.
		const tests = texts();
		assert.ok(tests.length > 0 && tests.every((text) => text.startsWith('Sample')), tests.join('\n'));
		await page.click(byTestId('workflow-open-publish-modal-button'));
		await page.locator(byTestId('workflowPublish-modal')).locator(byTestId('workflow-publish-button')).click();
		await page.getByRole('button', { name: 'Got it' }).click();

		await furtherPolls(platform, WALK_KEY, 2);
		const { Name = null } = platform.db.prepare('SELECT Name FROM stations WHERE NetworkStatus = 1').get() ?? {};
		const set = (status: number) =>
			platform.db.prepare('UPDATE stations SET NetworkStatus = ? WHERE Name = ?').run(status, Name);
		set(2);
		await until('the alert', () => texts().length > tests.length);
		set(1);
		await until('the message that it is back', () => texts().length > tests.length + 1);
		const [alert = '', end = ''] = texts().slice(tests.length);
		assert.equal(alert.split(' since ')[0], `${String(Name)} has been offline`);
		assert.equal(end.split('. ')[0], `${String(Name)} is back online`);
	});
}
