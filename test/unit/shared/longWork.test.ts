import { LongWork } from '../../../nodes/shared/longWork';

it('many calls in a row let n8n work on, even those without items', async () => {
	let hasWorked = false;
	setImmediate(() => (hasWorked = true));
	const longWork = new LongWork();
	const giveUpAt = performance.now() + 3_000;
	while (!hasWorked && performance.now() < giveUpAt) await longWork.map([], () => undefined);
	expect(hasWorked).toBe(true);
});
