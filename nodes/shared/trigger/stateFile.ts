import { randomUUID } from 'crypto';
import type { IDataObject } from 'n8n-workflow';

import { shortHash } from './hash';
import type { TriggerState } from './types';

/** A state of another version was written by another release of this package and cannot be read. */
const VERSION = 2;

/** The state as n8n stores it: flat, because n8n wraps nested objects and misses changes inside them. */
export interface StateRecord {
	/** Random, set when a state starts from nothing; keeps event ids of different states apart. */
	epoch: string;
	/** How many batches the state has been saved with. */
	batch: number;
	/** The two parts of `TriggerState` as JSON. */
	kept: string;
	notes: string;
}

/** What this process remembers of the state. */
export interface LatestState {
	latest?: StateRecord & { nodeName: string };
}

/** Whether the node has saved a state before, readable or not, maybe under another name. */
export function hasState(stored: IDataObject, { latest }: LatestState = {}): boolean {
	return latest !== undefined || typeof stored.version === 'number';
}

/** The state of one node for one poll: loaded when it begins, saved when it ends. */
export class StateFile<State extends TriggerState> {
	/** Undefined if nothing was saved, or it cannot be read. */
	readonly state?: State;
	/** Nothing was ever saved: this is the very first poll. */
	readonly isFirst: boolean;
	/** Something was saved that cannot be read. */
	readonly isUnreadable: boolean;
	/** The notes are those of the last poll; otherwise they are as old as the last batch. */
	readonly hasCurrentNotes: boolean;
	private readonly saved?: StateRecord;
	private readonly base?: StateRecord;

	/**
	 * @param stored the node's static data
	 * @param savesNotes whether n8n saves what is written without a batch
	 */
	constructor(
		private readonly stored: IDataObject,
		private readonly memory: LatestState,
		private readonly node: { name: string },
		savesNotes: boolean,
	) {
		const { latest } = memory;
		this.saved = readRecord(stored);
		const base = savesNotes ? this.saved : newest(this.saved, latest, node.name);
		this.base = base;
		this.isFirst = base === undefined && !hasState(stored);
		this.isUnreadable = base === undefined && hasState(stored);
		const isLatest = isSameBatch(base, latest);
		this.hasCurrentNotes = savesNotes || isLatest;
		if (base) {
			const { notes } = (isLatest && !savesNotes && latest) || base;
			this.state = { kept: JSON.parse(base.kept), notes: JSON.parse(notes) } as State;
		}
	}

	save(state: TriggerState, hasNews: boolean): boolean {
		const { base, saved, stored } = this;
		const kept = JSON.stringify(state.kept);
		const mustSave = hasNews || base === undefined || base !== saved || base.kept !== kept;
		const record: StateRecord = {
			epoch: base?.epoch ?? randomUUID().slice(0, 8),
			batch: (base?.batch ?? 0) + (mustSave ? 1 : 0),
			kept,
			notes: JSON.stringify(state.notes),
		};
		const entries = { version: VERSION, ...record, check: shortHash(record) };
		for (const [name, value] of Object.entries(entries)) if (stored[name] !== value) stored[name] = value;
		for (const name of Object.keys(stored)) if (!(name in entries)) delete stored[name];
		this.memory.latest = { ...record, nodeName: this.node.name };
		return mustSave;
	}
}

function isSameBatch(record: StateRecord | undefined, other: StateRecord | undefined): boolean {
	return record?.epoch === other?.epoch && record?.batch === other?.batch;
}

/** n8n stores the state under the node's name. After a rename, this process still knows it. */
function newest(
	saved: StateRecord | undefined,
	latest: LatestState['latest'],
	nodeName: string,
): StateRecord | undefined {
	if (!latest || latest.nodeName === nodeName) return saved;
	const isNewer = saved?.epoch === latest.epoch && saved.batch > latest.batch;
	return isNewer ? saved : latest;
}

/** @returns undefined if there is no record, or it is of another version or damaged */
function readRecord({ version, epoch, batch, kept, notes, check }: IDataObject): StateRecord | undefined {
	if (version !== VERSION || typeof epoch !== 'string' || typeof batch !== 'number') return undefined;
	if (typeof kept !== 'string' || typeof notes !== 'string') return undefined;
	const record = { epoch, batch, kept, notes };
	return shortHash(record) === check ? record : undefined;
}
