import type { RequestRecord, StandIn } from '../platform/index.ts';

/** List requests that arrived while an earlier 429 told the key to wait. Requests already in flight do not count. */
export function sentWhileToldToWait(requests: readonly RequestRecord[]): RequestRecord[] {
	const stops = requests.flatMap(({ status, doneAt, waitUntil }) =>
		status === 429 && doneAt !== undefined && waitUntil !== undefined ? [{ from: doneAt, until: waitUntil }] : [],
	);
	// A request in flight could not know of the refusal; a busy machine delays both.
	const IN_FLIGHT_MS = 700;
	return requests.filter(({ at }) => stops.some(({ from, until }) => at > from + IN_FLIGHT_MS && at < until));
}

/** An Id as text, whether the platform sends numbers or text. */
export function idText(id: unknown): string {
	return typeof id === 'number' || typeof id === 'string' ? String(id) : '';
}

/** Everything a user or a log could see of a run, as text. */
export function visibleText(...parts: unknown[]): string {
	const seen = new WeakSet<object>();
	return JSON.stringify(parts, (_, value: unknown) => {
		if (typeof value !== 'object' || value === null) return value;
		if (seen.has(value)) return '(again)';
		seen.add(value);
		if (!(value instanceof Error) && !('stack' in value)) return value;
		// JSON leaves out an error's properties that are not enumerable.
		const all: Record<string, unknown> = {};
		for (const name of Object.getOwnPropertyNames(value)) all[name] = (value as Record<string, unknown>)[name];
		return all;
	});
}

/** Changes rows of the sessions table as a busy network would, from a seed. */
export function restlessSessions(platform: StandIn, seed: number): { steadyIds: () => number[] } {
	let state = seed;
	const random = (below: number) => {
		// A small linear congruential generator: the same seed gives the same history.
		state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
		return Math.floor((state / 2_147_483_648) * below);
	};
	const disturbed = new Set<number>();
	const ids = () =>
		platform.db
			.prepare('SELECT Id FROM sessions')
			.all()
			.map(({ Id: id }) => Number(id));
	const initial = new Set(ids());
	let nextId = Math.max(...initial) + 1;
	const copy = platform.db.prepare(
		'INSERT INTO sessions (Id, Status, EnergyConsumed, StartedAtUtc) VALUES (?, 4, ?, ?)',
	);
	platform.beforeList = ({ count }) => {
		if (count <= 1) return;
		for (let change = random(4); change > 0; change--) {
			const all = ids();
			const id = all[random(all.length)] ?? 0;
			disturbed.add(id);
			const kind = random(5);
			if (kind === 0) copy.run(nextId++, random(80), '2026-11-21T00:00:00');
			else if (kind === 1)
				platform.db.prepare('DELETE FROM sessions WHERE Id >= ? AND Id < ?').run(id, id + random(30));
			else if (kind === 2)
				platform.db.prepare('UPDATE sessions SET Status = CASE Status WHEN 4 THEN 6 ELSE 4 END WHERE Id = ?').run(id);
			else if (kind === 3)
				platform.db.prepare('UPDATE sessions SET EnergyConsumed = ? WHERE Id = ?').run(random(80), id);
			else {
				const free = random(nextId);
				if (!all.includes(free) && !initial.has(free)) copy.run(free, random(80), '2026-11-20T00:00:00');
			}
			const left = new Set(ids());
			for (const gone of initial) if (!left.has(gone)) disturbed.add(gone);
		}
	};
	return { steadyIds: () => [...initial].filter((id) => !disturbed.has(id)) };
}
