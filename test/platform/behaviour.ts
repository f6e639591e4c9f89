import type { Behaviour } from './types.ts';

/** The default switches: as specified, or the stricter reading where the specification is silent. */
export function defaultBehaviour(): Behaviour {
	return {
		latencyMs: 0,
		takeClamp: undefined,
		rateLimit: undefined,
		errorBody: 'flat',
		echoKey: false,
		idType: 'integer',
		stationIdType: undefined,
		textIdDigits: 6,
		sessionFields: 'rich',
		stationFields: 'rich',
		missingHardwareStatus: 'null',
		fields: undefined,
		codes: undefined,
		emptyValues: 'below',
		naturalOrder: 'idAsc',
		conditionZoneHours: 0,
		csv: {
			bom: false,
			newline: '\r\n',
			finalNewline: true,
			delimiter: ',',
			idColumn: 'Id',
		},
		token: {
			body: '{"AccessToken":"%TOKEN%"}',
			uses: Infinity,
		},
		locations: {
			shape: 'envelope',
			idName: 'Id',
			textIds: false,
			acceptsKeys: false,
			scope: 'locations:read',
		},
		chargePoints: { ids: 'own', status: 'code' },
		lists: {
			count: 'exact',
			countCap: 1000,
			countOffBy: 1,
			listensTo: { filter: true, sort: true, skip: true, take: true },
			ignoredFields: [],
			names: 'pascal',
			emptyProperties: 'null',
			codes: 'number',
		},
		encoding: 'utf8',
		timestampFractions: false,
		totalCount: 'number',
		scopeDelayMs: 60_000,
		accountantRefused: [],
	};
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Applies the given switches; nested groups (`csv`, `token`, ...) are merged. Throws a TypeError that names an unknown
 * switch. `null` switches an optional one off, as JSON has no undefined.
 */
export function applyBehaviour(behaviour: Behaviour, changes: object): void {
	const known = new Map<string, unknown>(Object.entries(defaultBehaviour()));
	const target: Record<string, unknown> = {};
	for (const [name, value] of Object.entries(changes) as Array<[string, unknown]>) {
		if (!known.has(name)) throw new TypeError(`There is no switch "${name}"`);
		const standard = known.get(name);
		const current: unknown = behaviour[name as keyof Behaviour];
		const nested = isPlainObject(standard) && isPlainObject(current) && isPlainObject(value);
		target[name] = nested ? merge(name, current, value) : (value ?? undefined);
	}
	Object.assign(behaviour, target);
}

function merge(place: string, current: Record<string, unknown>, changes: Record<string, unknown>) {
	const merged = { ...current };
	for (const [name, value] of Object.entries(changes)) {
		if (!(name in current)) throw new TypeError(`There is no switch "${place}.${name}"`);
		const before = current[name];
		merged[name] =
			isPlainObject(before) && isPlainObject(value) ? merge(`${place}.${name}`, before, value) : (value ?? undefined);
	}
	return merged;
}
