import { Turns } from '../../../../../nodes/shared/platform';

it('many calls in a row let n8n work on, even those without items', async () => {
	let hasWorked = false;
	setImmediate(() => (hasWorked = true));
	const turns = new Turns();
	const giveUpAt = performance.now() + 3_000;
	while (!hasWorked && performance.now() < giveUpAt) await turns.map([], () => undefined);
	expect(hasWorked).toBe(true);
});
