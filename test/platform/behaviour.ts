import type { Behaviour } from './types.ts';

/** The default switches: as specified, or the stricter reading where the specification is silent. */
export function defaultBehaviour(): Behaviour {
	return {
		latencyMs: 0,
		takeClamp: undefined,
		totalCount: 'right',
		ids: {
			sessions: 'integer',
			stations: 'integer',
			locations: 'integer',
			tariffs: 'integer',
			users: 'integer',
			teams: 'text',
			energyAssets: 'integer',
			billing: 'none',
			auditTrail: 'integer',
		},
		arrays: [],
		camelCase: false,
		omitsEmpty: false,
		codes: 'number',
		timestampFractions: false,
		conditionZoneHours: 0,
		ignores: [],
		naturalOrder: 'idAsc',
		emptyValues: 'below',
		rateLimit: undefined,
		errorBody: 'flat',
		locationsScope: undefined,
		scopeDelayMs: 60_000,
		token: { body: '{"AccessToken":"%TOKEN%"}', uses: Infinity },
		csv: { bom: false, newline: '\r\n', finalNewline: true, delimiter: ',', idColumn: 'Id', encoding: 'utf8' },
		fields: undefined,
	};
}

type Switches = Record<string, unknown>;

function isGroup(value: unknown): value is Switches {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Applies the given switches; groups (`ids`, `token`, `csv`) are merged. Throws a TypeError that names an unknown switch.
 * `null` switches an optional one off, as JSON has no undefined.
 */
export function applyBehaviour(behaviour: Behaviour, changes: object): void {
	Object.assign(behaviour, merged('', behaviour, { ...defaultBehaviour() }, { ...changes }));
}

function merged(place: string, current: object, known: Switches, changes: Switches): Switches {
	const all: Switches = { ...current };
	for (const [name, value] of Object.entries(changes)) {
		if (!(name in known)) throw new TypeError(`There is no switch "${place}${name}"`);
		const [before, standard] = [all[name], known[name]];
		const isMerged = isGroup(before) && isGroup(standard) && isGroup(value);
		all[name] = isMerged ? merged(`${place}${name}.`, before, standard, value) : (value ?? undefined);
	}
	return all;
}
