import { ByteStream } from '../../../../nodes/ChargingSessionsCsvExport/csv/storeStream';

async function* source(log: string[], breakAt?: number) {
	try {
		for (let piece = 0; piece < 3; piece++) {
			await Promise.resolve();
			if (piece === breakAt) throw new Error('connection lost');
			log.push(`made ${piece}`);
			yield Buffer.from(`${piece};`);
		}
	} finally {
		log.push('over');
	}
}

/** As n8n's stores collect a stream: data, end, error and close events. */
async function collect(stream: ByteStream, give: { up?: boolean } = {}): Promise<string> {
	return await new Promise((resolve, reject) => {
		const pieces: Buffer[] = [];
		stream.on('data', (piece) => {
			pieces.push(piece as Buffer);
			if (give.up) stream.destroy();
		});
		stream.once('end', () => resolve(Buffer.concat(pieces).toString()));
		stream.once('error', reject);
		stream.once('close', () => reject(new Error('closed before the end')));
	});
}

test('iterated, it gives one piece after the other, each made when it is asked for', async () => {
	const log: string[] = [];
	for await (const piece of new ByteStream(source(log))) log.push(`took ${piece.toString()}`);
	expect(log).toEqual(['made 0', 'took 0;', 'made 1', 'took 1;', 'made 2', 'took 2;', 'over']);
});

test('listened to, it gives all pieces and then ends', async () => {
	expect(await collect(new ByteStream(source([])))).toBe('0;1;2;');
});

test('what breaks at the source reaches both, and is not taken for what the store throws', async () => {
	const listened = new ByteStream(source([], 1));
	await expect(collect(listened)).rejects.toThrow('connection lost');
	expect(listened.broken?.thrown).toMatchObject({ message: 'connection lost' });

	const iterated = new ByteStream(source([], 2));
	await expect(
		(async () => {
			for await (const piece of iterated) expect(piece.length).toBe(2);
		})(),
	).rejects.toThrow('connection lost');
	expect(iterated.broken).toBeDefined();
	expect(new ByteStream(source([])).broken).toBeUndefined();
});

test('a store that gives up ends the source too', async () => {
	const log: string[] = [];
	const stream = new ByteStream(source(log));
	await expect(collect(stream, { up: true })).rejects.toThrow('closed before the end');
	expect(stream.abandoned).toBe(true);
	expect(log.at(-1)).toBe('over');
	expect(log).not.toContain('made 2');

	const left: string[] = [];
	for await (const piece of new ByteStream(source(left))) if (piece.length > 0) break;
	expect(left).toEqual(['made 0', 'over']);
});
