import { setImmediate } from 'node:timers/promises';

import { SessionExport } from '../../../nodes/ChargingSessionsCsvExport/sessionExport';
import type { CsvPart } from '../../../nodes/ChargingSessionsCsvExport/csv/part';
import { arriving } from '../../support/csv.ts';

const IDS = [1, 2, 3, 4, 5, 6, 7];

/** A platform that notes what it is asked for, and answers when it is told to. */
function platform() {
	const asked: number[][] = [];
	const answers: Array<() => void> = [];
	const pieces = (ids: readonly number[]) => [
		Buffer.from('Id,Note\r\n'),
		...ids.map((id) => Buffer.from(`${id},\r\n`)),
	];
	const exportSessions = async (ids: readonly number[]) => {
		asked.push([...ids]);
		await new Promise<void>((answer) => answers.push(answer));
		return arriving(pieces(ids));
	};
	/** Answers what it was asked, and lets everything that follows from it happen. */
	const answer = async () => {
		answers.shift()?.();
		for (let turn = 0; turn < 3; turn++) await setImmediate();
	};
	return { asked, answer, exportSessions };
}

const getPage = async () => await Promise.resolve({ rows: IDS.map((Id) => ({ Id })), totalCount: IDS.length });
const sessionsOf = (exportSessions: ReturnType<typeof platform>['exportSessions'], idsPerRequest = 2) =>
	new SessionExport({ exportSessions, getPage }, idsPerRequest, async () => await Promise.resolve());

const textOf = (part: CsvPart | void) => part?.rows ?? '';

test('while one part is stored the next one arrives, and no more than that', async () => {
	const { asked, answer, exportSessions } = platform();
	const parts = sessionsOf(exportSessions).parts(IDS);
	const first = parts.next();
	await answer();
	expect(textOf((await first).value)).toBe('1,\r\n2,\r\n');
	expect(asked).toEqual([
		[1, 2],
		[3, 4],
	]);
	await answer();
	expect(asked).toHaveLength(2);

	const texts: string[] = [];
	const rest = (async () => {
		for await (const part of parts) texts.push(textOf(part));
	})();
	for (let turn = 0; turn < 4; turn++) await answer();
	await rest;
	expect(texts).toEqual(['3,\r\n4,\r\n', '5,\r\n6,\r\n', '7,\r\n']);
	expect(asked).toEqual([[1, 2], [3, 4], [5, 6], [7]]);
});

test('a part that is on its way when nobody wants it any more is the last that was asked for', async () => {
	const { asked, answer, exportSessions } = platform();
	const parts = sessionsOf(exportSessions).parts(IDS);
	const first = parts.next();
	await answer();
	await first;
	let ended = false;
	const ending = parts.return().then(() => (ended = true));
	await setImmediate();
	expect(ended).toBe(false);
	await answer();
	await ending;
	expect(asked).toEqual([
		[1, 2],
		[3, 4],
	]);
});

test('a part that cannot be had is told when it is its turn, after the parts before it', async () => {
	const { asked, answer, exportSessions } = platform();
	const sessions = sessionsOf(async (ids) => {
		if (ids.includes(3)) throw new Error('gone');
		return await exportSessions(ids);
	});
	const texts: string[] = [];
	const all = (async () => {
		for await (const part of sessions.parts(IDS)) {
			await setImmediate();
			texts.push(textOf(part));
		}
	})();
	const refused = expect(all).rejects.toThrow('gone');
	await answer();
	await refused;
	expect(texts).toEqual(['1,\r\n2,\r\n']);
	expect(asked).toEqual([[1, 2]]);
});
