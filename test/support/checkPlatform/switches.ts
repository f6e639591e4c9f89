import { OPERATORS } from '../../platform/query.ts';
import type { Behaviour, CsvBehaviour, ListsBehaviour } from '../../platform/index.ts';

type Odd = Partial<Omit<Behaviour, 'lists' | 'locations' | 'csv'>> & {
	lists?: Partial<ListsBehaviour>;
	locations?: Partial<Behaviour['locations']>;
	csv?: Partial<CsvBehaviour>;
};

/** A switch of the stand-in, and what Check Platform must find. */
export interface Switch {
	behaviour: Odd;
	/** The checks that show it: each finds something, here or in another list. Empty where nothing can be noticed. */
	finds: string[];
	/** What the first of them says. */
	says?: RegExp;
	/** Checks that it affects, too. */
	affects?: string[];
}

const HEARS = { filter: true, sort: true, skip: true, take: true };
const QUERY_CHECKS = ['Ids', 'Time zone', 'Empty result'];

/** The operators that checks ask with. */
const FOUND_OPERATORS: Partial<Record<string, Pick<Switch, 'finds' | 'says'>>> = {
	Eq: { finds: ['Filter', 'Ids'], says: /Equals are not applied/ },
	Lt: { finds: ['Ids'], says: /Conditions on Id are not applied/ },
	GteLt: { finds: ['Time zone'], says: /have no effect/ },
};

/** The switches by their part of the platform: of each part, one can be set. */
export const SWITCHES: Record<string, Switch[]> = {
	page: [
		...[7, 10, 25, 50].map((takeClamp) => ({
			behaviour: { takeClamp },
			finds: ['Page size'],
			says: new RegExp(`${takeClamp} rows at most`),
		})),
		{ behaviour: { takeClamp: 40, takeOverClamp: 'refuse' }, finds: ['Page size'], says: /25 rows at most/ },
		{ behaviour: { lists: { unevenPages: true } }, finds: ['Page size'], says: /differ in length/ },
		{ behaviour: { lists: { takeOffBy: -1 } }, finds: ['Page size'], affects: ['TotalCount'] },
		{ behaviour: { lists: { stationsTakeClamp: 40 } }, finds: ['Page size'], says: /40 rows at most/ },
	],
	count: [
		{ behaviour: { lists: { count: 'page' } }, finds: ['TotalCount'], says: /rows of the page alone/ },
		{
			behaviour: { lists: { count: 'capped', countCap: 100 } },
			finds: ['TotalCount'],
			says: /counts 100 rows.*may stop at 100/,
		},
		...(
			[
				[1, /rows do not confirm/],
				[-1, /rows do not confirm/],
				[60, /rows do not confirm/],
				[-40, /rows do not confirm/],
			] as const
		).map(([countOffBy, says]) => ({
			behaviour: { lists: { count: 'offBy' as const, countOffBy } },
			finds: ['TotalCount'],
			says,
		})),
		{ behaviour: { totalCount: 'null' }, finds: ['TotalCount'], says: /TotalCount is null/ },
		{ behaviour: { totalCount: 'missing' }, finds: ['TotalCount'], says: /does not count/ },
		{ behaviour: { totalCount: 'text' }, finds: ['TotalCount'], says: /written as text/ },
		// As long as the list holds still, these counts are right.
		{ behaviour: { lists: { count: 'cached' } }, finds: [] },
		{ behaviour: { lists: { moment: 'rowsFirst' } }, finds: [] },
		{ behaviour: { lists: { moment: 'countFirst' } }, finds: [] },
	],
	skip: [
		{
			behaviour: { lists: { maxSkip: 150, skipOverMax: 'refuse' } },
			finds: ['Skip'],
			says: /Skip of \d+ is refused/,
			affects: ['End of the list'],
		},
		{ behaviour: { lists: { maxSkip: 150, skipOverMax: 'ignore' } }, finds: ['Skip'], says: /beyond some place/ },
		{ behaviour: { lists: { maxSkip: 150, skipOverMax: 'clamp' } }, finds: ['Skip'], says: /beyond some place/ },
		{ behaviour: { lists: { listensTo: { ...HEARS, skip: false } } }, finds: ['Skip'], says: /Skip has no effect/ },
		{ behaviour: { lists: { window: 210 } }, finds: ['TotalCount'], says: /ends after 210 rows/ },
	],
	take: [
		{
			behaviour: { lists: { listensTo: { ...HEARS, take: false } } },
			finds: ['Page size'],
			says: /Take has no effect/,
		},
	],
	sort: [
		{ behaviour: { lists: { listensTo: { ...HEARS, sort: false } } }, finds: ['Sort'], says: /no effect/ },
		{
			behaviour: { naturalOrder: 'idDesc', lists: { listensTo: { ...HEARS, sort: false } } },
			finds: ['Sort'],
			says: /no effect/,
		},
		{
			behaviour: { naturalOrder: 'random', lists: { listensTo: { ...HEARS, sort: false } } },
			finds: ['Sort'],
			says: /no effect/,
		},
		{ behaviour: { lists: { sorting: 'page' } }, finds: ['Sort'], says: /Each page is sorted alone/ },
		{ behaviour: { lists: { sorting: 'text' } }, finds: ['Ids'], says: /sorted as text/ },
		{ behaviour: { lists: { unsortedAnswers: 1 } }, finds: [] },
		...(['last', 'alwaysFirst', 'alwaysLast'] as const).map((nullPlacement) => ({
			behaviour: { nullPlacement },
			finds: [],
		})),
		{ behaviour: { naturalOrder: 'idDesc' }, finds: [] },
		{ behaviour: { naturalOrder: 'random' }, finds: [] },
	],
	signs: [
		...(['HasMore', 'NextPage', 'PageInfo', 'TotalPages', 'X-Total-Count', 'Link'] as const).map((moreSign) => ({
			behaviour: { lists: { moreSign } },
			finds: [],
		})),
		...(['Success', 'Error', 'Errors'] as const).map((failure) => ({
			behaviour: { lists: { failure } },
			finds: ['Access'],
			says: /cannot be read/,
		})),
	],
	replica: [{ behaviour: { lists: { cutReplica: 50 } }, finds: ['Page size'], affects: ['TotalCount', 'Skip'] }],
	laterSorts: [{ behaviour: { lists: { mostSorts: 1 } }, finds: [] }],
	filter: [
		{
			behaviour: { lists: { listensTo: { ...HEARS, filter: false } } },
			finds: ['Filter'],
			says: /Filters have no effect/,
			affects: QUERY_CHECKS,
		},
		...OPERATORS.map((operator) => ({
			behaviour: { lists: { ignoredOperators: [operator] } },
			...(FOUND_OPERATORS[operator] ?? { finds: [] }),
		})),
		...['Status', 'EnergyConsumed', 'NetworkStatus'].map((field) => ({
			behaviour: { lists: { ignoredFields: [field] } },
			finds: [],
		})),
		{ behaviour: { refuseUrlLongerThan: 2000 }, finds: [] },
		...(['nocase', 'binary'] as const).map((collation) => ({ behaviour: { collation }, finds: [] })),
		{ behaviour: { nullNeq: 'noMatch' }, finds: [] },
		{ behaviour: { fieldCase: 'sensitive' }, finds: [] },
		{ behaviour: { orderedText: 'refuse', textOperatorsOnNonText: 'cast', dateValues: 'lenient' }, finds: [] },
		{ behaviour: { unknownProperties: 'ignore', omittedEnums: 'default', enumBase: 1, emptyGroup: 'none' }, finds: [] },
	],
	refusals: [
		...(['nested', 'list', 'problem', 'text', 'deep'] as const).map((errorBody) => ({
			behaviour: { errorBody },
			finds: [],
		})),
		...(['html', 'empty'] as const).map((errorBody) => ({
			behaviour: { errorBody },
			finds: ['Filter'],
			says: /not named/,
		})),
		{ behaviour: { echoKey: true }, finds: [] },
	],
	ids: [
		{ behaviour: { idType: 'text' }, finds: ['Ids'], says: /Ids are text/ },
		{ behaviour: { idType: 'text', textIdDigits: 0 }, finds: ['Ids'], says: /Ids are text/ },
		{ behaviour: { stationIdType: 'text' }, finds: ['Ids'], says: /Ids are text/ },
		{ behaviour: { lists: { idOrder: 'text' } }, finds: ['Ids'], says: /sorted as text/ },
		{ behaviour: { lists: { idComparison: 'text' } }, finds: ['Ids'], says: /compare Ids as text/ },
		{ behaviour: { lists: { oddIds: 'null', oddIdEvery: 20 } }, finds: ['Ids'], says: /Some rows have no Id/ },
		{ behaviour: { lists: { oddIds: 'empty', oddIdEvery: 20 } }, finds: ['Ids'], says: /Some rows have no Id/ },
		{
			behaviour: { lists: { oddIds: 'doubled', oddIdEvery: 20 } },
			finds: ['Ids'],
			says: /share an Id/,
			affects: ['Export records'],
		},
		{
			behaviour: { lists: { oddIds: 'large', oddIdEvery: 20 } },
			finds: ['Ids'],
			says: /too large/,
		},
	],
	names: [
		{ behaviour: { lists: { names: 'camel' } }, finds: ['Names'], says: /another case/ },
		{ behaviour: { sessionFields: 'minimal', stationFields: 'minimal' }, finds: [] },
		{ behaviour: { missingHardwareStatus: 'omitted' }, finds: [] },
	],
	empty: [{ behaviour: { lists: { emptyProperties: 'omitted' } }, finds: ['Fields'], says: /left out of the row/ }],
	unseen: [
		{ behaviour: { lists: { decimals: 'text' } }, finds: [] },
		{ behaviour: { defaultTake: 5, takeZero: 'refuse' }, finds: [] },
		{ behaviour: { statusValueNames: true, listSpaces: 'trim' }, finds: [] },
	],
	chargePoints: [
		{
			behaviour: { chargePoints: { ids: 'none', status: 'code' } },
			finds: ['EVSEs'],
			says: /no Ids of their own/,
		},
		...(['name', 'object'] as const).map((status) => ({
			behaviour: { chargePoints: { ids: 'own' as const, status } },
			finds: [],
		})),
		{ behaviour: { chargePoints: { ids: 'large', status: 'code' } }, finds: [] },
	],
	detail: (['evses', 'stationId', 'array', 'items'] as const).map((stationDetail) => ({
		behaviour: { stationDetail },
		finds: [],
	})),
	encoding: [{ behaviour: { encoding: 'latin1' }, finds: [] }],
	times: [
		{ behaviour: { timestampFractions: true }, finds: ['Times'], says: /another form/ },
		...[1, 2, -7].map((conditionZoneHours) => ({
			behaviour: { conditionZoneHours },
			finds: ['Time zone'],
			says: /not read as UTC/,
		})),
	],
	end: [
		{
			behaviour: { lists: { emptyItems: 'null' } },
			finds: ['Empty result'],
			says: /another form/,
			affects: ['End of the list'],
		},
		...(['null', 'nothing'] as const).map((behindEnd) => ({
			behaviour: { lists: { behindEnd } },
			finds: ['End of the list'],
			says: /has no content/,
		})),
		{
			behaviour: { lists: { behindEnd: 'notFound' } },
			finds: ['End of the list'],
			says: /status 404.*stops without rows/,
		},
	],
	first: [{ behaviour: { lists: { emptyAnswers: 1 } }, finds: ['Access'], says: /had no rows/ }],
	clock: [
		{ behaviour: { clockSkewMs: 600_000 }, finds: [] },
		{ behaviour: { clockSkewMs: -600_000 }, finds: [] },
		{ behaviour: { latencyMs: 2 }, finds: [] },
	],
	csv: [
		...[
			{ bom: true },
			{ newline: '\n' as const, finalNewline: false },
			{ delimiter: ';' as const },
			{ cached: true },
			{ omitUnknownIds: false },
			{ chunked: true },
			{ idColumnName: 'SessionId' },
			{ emptyIds: 'refuse' as const },
			{ idFormat: '\u202f' as const },
			{ headerChanges: true },
		].map((csv) => ({ behaviour: { csv }, finds: [] })),
		...(['id', 'random'] as const).map((order) => ({
			behaviour: { csv: { order } },
			finds: ['Export records'],
			says: /another order/,
		})),
		...[{ maxIds: 50 }, { maxRecords: 50 }, { leaveOutEvery: 2 }, { leaveOutShare: 0.3 }].map((csv) => ({
			behaviour: { csv },
			finds: ['Export records'],
			says: /missing/,
		})),
		{ behaviour: { csv: { doubleShare: 0.3 } }, finds: ['Export records'], says: /several records/ },
		...[{ foreignShare: 0.3 }, { total: 'line' as const }].map((csv) => ({
			behaviour: { csv },
			finds: ['Export records'],
			says: /other records/,
		})),
		...[{ noneAboveIds: 50 }, { noneShare: 1 }].map((csv) => ({
			behaviour: { csv },
			finds: ['Export records'],
			says: /no records/,
		})),
		{ behaviour: { csv: { ignoreIds: true } }, finds: ['Export records'], says: /missing|other records/ },
		{ behaviour: { csv: { header: false } }, finds: ['Export records'] },
		{ behaviour: { refuseBodyLargerThan: 300 }, finds: ['Export size'], says: /smaller parts/ },
		{ behaviour: { csv: { idFormat: '#' } }, finds: ['Export records'] },
		{ behaviour: { csv: { idColumnName: 'Nummer' } }, finds: ['Export records'], says: /Session ID Column/ },
		{ behaviour: { csv: { idColumn: false } }, finds: ['Export records'], says: /No column says/ },
		...([413, 400] as const).map((exportRefusal) => ({
			behaviour: { maxExportIds: 40, exportRefusal },
			finds: ['Export size'],
			says: /smaller parts/,
		})),
	],
	locations: [
		{ behaviour: { locations: { acceptsKeys: true, scope: 'charging-stations:read' } }, finds: [] },
		...(['array', 'object', 'data'] as const).map((shape) => ({
			behaviour: { locations: { acceptsKeys: true, scope: 'charging-stations:read', shape } },
			finds: ['Envelope'],
			says: /another form/,
		})),
		...(['single', 'verdict'] as const).map((shape) => ({
			behaviour: { locations: { acceptsKeys: true, scope: 'charging-stations:read', shape } },
			finds: ['Access'],
			says: /cannot be read/,
		})),
		{
			behaviour: { locations: { acceptsKeys: true, scope: 'charging-stations:read', idName: undefined } },
			finds: ['Ids'],
			says: /no Id/,
		},
		{
			behaviour: { locations: { acceptsKeys: true, scope: 'charging-stations:read', textIds: true } },
			finds: ['Ids'],
			says: /Ids are text/,
		},
		{ behaviour: { keyNotAcceptedStatus: 401 }, finds: [] },
	],
};

/** Several switches at once. */
export function merged(switches: readonly Switch[]): Odd {
	return switches.reduce<Odd>((all, { behaviour }) => {
		const listensTo = { ...HEARS, ...all.lists?.listensTo };
		for (const [part, hears] of Object.entries(behaviour.lists?.listensTo ?? {})) {
			if (!hears) listensTo[part as keyof typeof listensTo] = false;
		}
		return { ...all, ...behaviour, lists: { ...all.lists, ...behaviour.lists, listensTo } };
	}, {});
}

/** What other tests set: it says who may read, or needs a key, a user or rows of its own. */
export const SET_ELSEWHERE = /^(?:rateLimit|redirectTo|scopeDelayMs|roleRules\.|token\.|statusCodes\.|csv\.seed)/;

/** The names of all switches in it: "takeClamp", "lists.count". */
export function namesIn(behaviour: object): string[] {
	return Object.entries(behaviour).flatMap(([name, value]: [string, unknown]) =>
		GROUPS.includes(name) ? Object.keys(value as object).map((inner) => `${name}.${inner}`) : [name],
	);
}

const GROUPS = ['csv', 'lists', 'locations', 'roleRules', 'statusCodes', 'token'];
