import { ByteStream } from '../../../../nodes/ChargingSessionsCsvExport/csv/storeStream';

async function* source(log: string[]) {
	try {
		for (let piece = 0; piece < 3; piece++) {
			await Promise.resolve();
			log.push(`made ${piece}`);
			yield Buffer.from(`${piece};`);
		}
	} finally {
		log.push('over');
	}
}

/** Collects like n8n's stores, but gives up after the first piece. */
async function giveUp(stream: ByteStream): Promise<void> {
	await new Promise<void>((resolve, reject) => {
		stream.on('data', () => stream.destroy());
		stream.once('end', () => reject(new Error('ended')));
		stream.once('error', reject);
		stream.once('close', () => resolve());
	});
}

test('yields one piece at a time, each made only when it is asked for', async () => {
	const log: string[] = [];
	for await (const piece of new ByteStream(source(log))) log.push(`took ${piece.toString()}`);
	expect(log).toEqual(['made 0', 'took 0;', 'made 1', 'took 1;', 'made 2', 'took 2;', 'over']);
});

test('ends the source when the store gives up', async () => {
	const log: string[] = [];
	const stream = new ByteStream(source(log));
	await giveUp(stream);
	expect(stream.abandoned).toBe(true);
	expect(log.at(-1)).toBe('over');
	expect(log).not.toContain('made 2');

	const left: string[] = [];
	for await (const piece of new ByteStream(source(left))) if (piece.length > 0) break;
	expect(left).toEqual(['made 0', 'over']);
});
