import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { IDataObject } from 'n8n-workflow';

import { shortHash } from '../../../nodes/shared/trigger/hash';
import { ChargePointBench } from '../../support/chargePointTrigger/support.ts';
import { text } from '../../support/stationTrigger/support.ts';
import { TriggerRig } from '../../support/trigger/rig.ts';
import { STORIES, type Story } from '../../support/trigger/savedStates.ts';

/** What the version before the watch was shared saved of each story, when, and what it had reported. */
interface Saved {
	at: number;
	record: { version: number; epoch: string; batch: number; kept: string; notes: string };
	items: IDataObject[];
}

const path = join(import.meta.dirname, '../../support/trigger/savedStates.json');
const SAVED = JSON.parse(readFileSync(path, 'utf8')) as Record<string, Saved>;

const bench = new ChargePointBench({ stations: 6 });

/** The same state, as if it had been saved now, on this platform. */
function asOfNow({ at, record }: Saved, config: string): string {
	const later = bench.clock.now() - at;
	const moved = (json: string) => json.replace(/\b1\d{12}\b/g, (time) => text(Number(time) + later));
	const kept = JSON.stringify({ ...(JSON.parse(moved(record.kept)) as IDataObject), config });
	const { epoch, batch } = record;
	const parts = { epoch, batch, kept, notes: moved(record.notes) };
	return JSON.stringify({ version: record.version, ...parts, check: shortHash(parts) });
}

const idOf = ({ chargePointId, stationId }: IDataObject) => text(chargePointId ?? stationId);

/** Events in short, with the station or charge point whose incident it is. */
function short(items: readonly IDataObject[], reported: readonly IDataObject[]): string[] {
	return items.map((item) => {
		if (item.event === 'watching') {
			const [open, unreadable] = [item.openIncidents, item.unreadable].map((all) => (all as IDataObject[]).map(idOf));
			return `watching: open ${text(open)}, unreadable ${text(unreadable)}`;
		}
		const change = item.event === 'statusChanged' ? ` ${text(item.from)}>${text(item.to)}` : '';
		const opened = reported.find(({ eventId }) => eventId === item.incidentId);
		const of = opened ? ` of ${idOf(opened)}` : '';
		return `${text(item.event)} ${idOf(item)}${change}${of} since ${Math.round(item.durationMinutes as number)} min`;
	});
}

it.each(Object.entries(STORIES))('%s: a state of an earlier version is read on', async (name, story: Story) => {
	const { type, parameters, before, after } = story;
	const saved = SAVED[name];
	if (!saved) throw new Error(`no state of ${name} was saved`);
	const rig = new TriggerRig('cursors', parameters, bench.credential(), {}, type);
	await rig.activate();
	const { config } = JSON.parse(rig.saved().kept as string) as { config: string };
	for (const happens of before) happens(bench);
	rig.database.cursor = asOfNow(saved, config);
	rig.take();
	for (const [happens, polls, expected] of after) {
		happens(bench);
		await bench.polls(rig, polls);
		expect(short(rig.take(), saved.items)).toEqual(expected);
	}
	expect(rig.logs.filter((line) => line.includes('cannot be read. It begins again'))).toEqual([]);
});
