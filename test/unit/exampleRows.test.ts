/** The texts and columns that the examples make of rows as platforms have them: without a name, without a start. */
import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';

import { evaluate, fieldOf } from '../support/expression';

const NOW = DateTime.fromISO('2026-11-28T12:00:00', { zone: 'Europe/Berlin' });
const FIELDS = [{ station: 'Station', stationInList: 'Name', days: 7 }];
const WEEK = { timeZone: 'utc', period: {}, byStatus: [], count: 0, EnergyConsumed_sum: 0 };

/** What a field of an example's node becomes. */
function shown(file: string, node: string, field: string, { input, ...nodes }: Record<string, IDataObject[]>): unknown {
	return evaluate(fieldOf(`${file}.json`, node, field), { input, nodes, now: NOW });
}

/** What names are, where nobody has entered one. */
const BLANK = [null, undefined, '', ' \u00a0'];
/** A station of Id 7 with a name, as a list has it, an event, and a row of uptime. */
const listed = (Name: unknown) => ({ Id: 7, Name }) as IDataObject;
const told = (stationName: unknown) => ({ stationName, stationId: 7, station: {} }) as IDataObject;
const down = (stationName: unknown) =>
	({
		...told(stationName),
		downMinutes: 5,
		downMinutesByCause: { offline: 5 },
		incidents: 1,
		uptimePercent: 99,
	}) as IDataObject;
const session = (Station: unknown) =>
	({ Id: 1, Station, Status: 6, StartedAtUtc: '2026-11-21T12:00:00', UserName: Station }) as IDataObject;
const group = (Station: unknown) => ({ Station, status: 6, count: 2, EnergyConsumed_sum: 3 }) as IDataObject;

const INPUTS = [{ station: 'Depot', period: 'today', stationIdField: '', stationField: 'Station' }];

it.each<
	[file: string, node: string, field: string, nodes: (name: unknown) => Record<string, IDataObject[]>, is: unknown]
>([
	[
		'stations-still-offline-daily',
		'Message',
		'text',
		(name) => ({ input: [listed(name)] }),
		'1 station is offline:\n• 7',
	],
	['new-fault-creates-a-ticket-once', 'Ticket', 'title', (name) => ({ input: [told(name)] }), 'Fault at 7'],
	[
		'offline-acknowledge-and-escalate',
		'Second Contact',
		'text',
		(name) => ({ 'Station Offline or Back': [told(name)] }),
		'7 is still offline, and nobody has acknowledged it.',
	],
	['monday-report-by-mail', 'Report Data', 'offline', (name) => ({ 'Offline Now': [listed(name)] }), ['7']],
	[
		'monday-report-by-mail',
		'Stations',
		'stations',
		(name) => ({ 'Your Field Names': FIELDS, 'Figures by Station': [group(name)] }),
		[{ name: 'No name', energy: 3, finished: 0, failed: 2 }],
	],
	[
		'monday-report-by-mail',
		'Report Data',
		'newest',
		(name) => ({ 'Your Field Names': FIELDS, 'The Week in Figures': [WEEK], 'Sessions Worth a Look': [session(name)] }),
		[{ id: '1', station: 'No name', started: 'Sat 12:00', what: 'failed' }],
	],
	[
		'monthly-uptime-report-by-mail',
		'Report Data',
		'worst',
		(name) => ({ 'Uptime per Station': [down(name)] }),
		[expect.objectContaining({ name: '7' })],
	],
	[
		'top-stations-last-month',
		'Table',
		'Station',
		(name) => ({ input: [group(name)], 'Your Field Names': FIELDS }),
		'No station',
	],
	[
		'monthly-statement-per-driver',
		'Statement',
		'Driver',
		(name) => ({ input: [session(name)], 'Your Field Names': [{ driver: 'UserName' }] }),
		'Not known',
	],
	[
		'ask-your-network',
		'Stations Down',
		'stations',
		(name) => ({ input: [listed(name), { Id: 8, Name: 'Depot' }] }),
		[
			{ id: 7, name: 'no name' },
			{ id: 8, name: 'Depot' },
		],
	],
	[
		'ask-your-network',
		'Sessions That Failed',
		'stations',
		(name) => ({ input: [{ groupedBy: 'Station', byField: [group(name)] }] }),
		[{ station: 'not known', failed: 2 }],
	],
	[
		'ask-your-network',
		'Ask Again',
		'askAgain',
		(name) => ({ input: [listed(name)], Inputs: INPUTS, 'Find the Station': [listed(name), { Id: 8, Name: 'Depot' }] }),
		'Several stations match. Ask again with the ID of one: 7 (no name), 8 (Depot).',
	],
])(
	'%s.json, %s: a blank name in %s is no empty bullet, cell or title, and no "null"',
	(file, node, field, nodes, is) => {
		for (const name of BLANK) expect(shown(file, node, field, nodes(name))).toEqual(is);
	},
);

it('monday-report-by-mail.json: a week without sessions has no station in it', () => {
	expect(
		shown('monday-report-by-mail', 'Stations', 'stations', { 'Your Field Names': FIELDS, 'Figures by Station': [{}] }),
	).toEqual([]);
	const html = shown('monday-report-by-mail', 'Report', 'html', {
		input: [{ figures: [], days: [], best: [], worst: [], offline: [], newest: [] }],
	}) as string;
	expect(html.match(/>(No session[^<]*|None|Every station is online)\./g)).toHaveLength(4);
});

it('monday-report-by-mail.json: no change is grey and says so, and no energy is no null', () => {
	const changes = (count_differencePercent: number | null) => {
		const week = { ...WEEK, count_differencePercent, EnergyConsumed_sum_differencePercent: 0 };
		return (
			shown('monday-report-by-mail', 'Report Data', 'figures', { 'The Week in Figures': [week] }) as IDataObject[]
		)
			.slice(0, 2)
			.map(({ change, tone }) => `${change as string}, ${tone as string}`);
	};
	const same = 'no change, muted';
	expect([0, -0.04, 0.04, -0.06, 7, null].map(changes)).toEqual([
		[same, same],
		[same, same],
		[same, same],
		['▼ 0.1 %, bad', same],
		['▲ 7.0 %, good', same],
		['nothing to compare, muted', same],
	]);
	const odd = { ...session('Depot'), Status: 4, StartedAtUtc: null, EnergyConsumed: null };
	expect(
		shown('monday-report-by-mail', 'Report Data', 'newest', {
			'Your Field Names': FIELDS,
			'The Week in Figures': [WEEK],
			'Sessions Worth a Look': [odd],
		}),
	).toEqual([{ id: '1', station: 'Depot', started: 'not known', what: 'no energy' }]);
});

it.each([null, undefined, '', 'soon'])('failed-session-message.json: a start of %j is not known', (startedAt) => {
	const event = { sessionId: 5, startedAt, session: { EnergyConsumed: 2 } } as unknown as IDataObject;
	expect(shown('failed-session-message', 'Message', 'text', { input: [event] })).toBe(
		'Charging session 5 failed. When it started is not known. It took 2 kWh.',
	);
	const known = { ...event, startedAt: '2026-11-28T09:30:00' };
	expect(shown('failed-session-message', 'Message', 'text', { input: [known] })).toBe(
		'Charging session 5 failed. It started at 09:30. It took 2 kWh.',
	);
});

it('sessions-to-spreadsheet.json: an Id keeps all its digits, as its column is text', () => {
	expect(shown('sessions-to-spreadsheet', 'Columns', 'Session', { input: [{ Id: '9007199254740993' }] })).toBe(
		'9007199254740993',
	);
	expect(shown('sessions-to-spreadsheet', 'Columns', 'Session', { input: [{ Id: 7 }] })).toBe('7');
});

it('monthly-statement-per-driver.json: sessions without a driver are paid to nobody, whatever the blank is', () => {
	const ownPrices = [
		{ who: 'Ada', perKwh: 1, baseFee: 2 },
		{ who: 'everybody else', perKwh: 0.5, baseFee: 0 },
	];
	const paid = (UserName: unknown) =>
		shown('monthly-statement-per-driver', 'Statement', 'Amount', {
			input: [{ UserName, EnergyConsumed_sum: 10 } as IDataObject],
			'Your Field Names': [{ driver: 'UserName', price: 'Price', ownPrices }],
		});
	expect(BLANK.map(paid)).toEqual([0, 0, 0, 0]);
	expect(['Ada', 'Zoë', 7].map(paid)).toEqual([12, 5, 5]);
});

describe('sessions-to-check-before-billing.json', () => {
	const LIMITS = {
		highestKwh: 150,
		firstDay: '2015-01-01',
		now: NOW.toISO(),
		end: 'EndedAtUtc',
		station: 'StationId',
		connector: 'ConnectorNumber',
	};
	const fine = { Id: 1, EnergyConsumed: 5, StartedAtUtc: '2026-10-02T08:00:00', EndedAtUtc: '2026-10-02T09:00:00' };
	/** The rows with what is odd about them. */
	const looked = (...rows: IDataObject[]) =>
		shown('sessions-to-check-before-billing', 'Look for Oddities', 'sessions', {
			input: rows,
			'Your Limits': [LIMITS],
		}) as IDataObject[];
	const verdicts = (...rows: IDataObject[]) => looked(...rows).map((row) => row['Reason to Check']);

	it('a column of the row has no say in whether it is billed, and is kept', () => {
		const row = { ...fine, EnergyConsumed: -5, reason: '', Reason: '', 'Reason to Check': '' };
		expect(looked(row)).toEqual([{ ...row, 'Reason to Check': 'negative energy' }]);
		expect(Object.keys(looked(row)[0] ?? {})[0]).toBe('Reason to Check');
		expect(verdicts({ ...fine, 'Reason to Check': 'odd' })).toEqual(['']);
		const asked = fieldOf('sessions-to-check-before-billing.json', 'Anything Odd?', 'conditions') as {
			conditions: IDataObject[];
		};
		expect(asked.conditions.map(({ leftValue }) => evaluate(leftValue, { input: looked(row), now: NOW }))).toEqual([
			'negative energy',
		]);
	});

	it('a session without a start, or with one that cannot be read, is not billed unseen', () => {
		const starts = [null, undefined, '', 'soon', fine.StartedAtUtc];
		expect(starts.map((StartedAtUtc) => verdicts({ ...fine, StartedAtUtc } as IDataObject)).flat()).toEqual([
			...Array<string>(4).fill('no readable start'),
			'',
		]);
	});

	it('sessions without a station or connector are not at the same charge point', () => {
		const at = (StationId: unknown, ConnectorNumber: unknown) =>
			({ ...fine, StationId, ConnectorNumber }) as IDataObject;
		expect(BLANK.flatMap((blank) => verdicts(at(blank, 1), at(blank, 1), at(1, blank), at(1, blank)))).toEqual(
			Array(16).fill(''),
		);
		expect(verdicts(at(1, 2), at(1, 2))).toEqual(Array(2).fill('overlaps another session at the same charge point'));
	});

	it('no rows give none', () => {
		expect(looked()).toEqual([]);
	});
});

describe('ask-your-network.json', () => {
	const ask = (node: string, field: string, input: IDataObject, nodes: Record<string, IDataObject[]> = {}) =>
		shown('ask-your-network', node, field, { input: [input], Inputs: INPUTS, ...nodes });
	const passes = (node: string, input: IDataObject, nodes = {}) => {
		const { conditions } = fieldOf('ask-your-network.json', node, 'conditions') as { conditions: IDataObject[] };
		return evaluate(conditions[0]?.leftValue, { input: [input], nodes: { Inputs: INPUTS, ...nodes }, now: NOW });
	};
	const figures = ({ Name, ...more }: IDataObject, stations = 1, inputs: IDataObject = {}) => ({
		Inputs: [{ ...INPUTS[0], ...inputs }],
		'Find the Station': [{ Id: 7, NetworkStatus: 1, Name, ...more }],
		'Stations of This Name': [{ count: stations }],
	});
	/** What the sessions are found by, and what the answer says of it. */
	const found = (station: IDataObject, stations?: number, inputs?: IDataObject) => {
		const nodes = figures(station, stations, inputs);
		const { json } = fieldOf('ask-your-network.json', 'Figures of the Station', 'filters') as { json: IDataObject[] };
		return {
			by: evaluate(json[0]?.json, { input: [{ count: stations ?? 1 }], nodes, now: NOW }),
			figuresOf: ask('A Station in Figures', 'figuresOf', { byStatus: [] }, nodes),
			station: ask('A Station in Figures', 'station', { byStatus: [] }, nodes),
		};
	};

	it('two stations of one name: the answer says that the figures are of both, unless sessions name the Id', () => {
		const byName = { Field: 'Station', Operator: 'Eq', Value: 'Depot' };
		const [station, both] = ['Depot', 'all 2 stations of this name, as sessions are found by the name alone'];
		expect(found({ Name: 'Depot' })).toEqual({ by: byName, figuresOf: 'this station', station });
		expect(found({ Name: 'Depot' }, 2)).toEqual({ by: byName, figuresOf: both, station });
		const byId = { Field: 'StationId', Operator: 'Eq', Value: 7 };
		const withId = { stationIdField: 'StationId' };
		expect(found({ Name: 'Depot' }, 2, withId)).toEqual({ by: byId, figuresOf: 'this station', station });
		expect(found({ Name: null }, 1, withId)).toEqual({ by: byId, figuresOf: 'this station', station: '7' });
	});

	it.each(BLANK)('a station whose name is %j: ask again, or figures by its Id', (Name) => {
		const station = { Id: 7, Name } as IDataObject;
		expect(passes('One Station?', station)).toBe(false);
		expect(passes('One Station?', station, { Inputs: [{ stationIdField: 'StationId' }] })).toBe(true);
		expect(ask('Ask Again', 'askAgain', station, { 'Find the Station': [station] })).toMatch(
			/^Station 7 has no name, and/,
		);
		const { json } = fieldOf('ask-your-network.json', 'Stations of This Name', 'filters') as { json: IDataObject[] };
		expect(evaluate(json[0]?.json, { input: [station], now: NOW })).toEqual({ Field: 'Id', Operator: 'Eq', Value: 7 });
	});

	it.each([null, undefined, '', ' ', 'null', 'undefined'])('no station (%j): ask again, without a request', (named) => {
		const station = ask('Inputs', 'station', { station: named } as IDataObject);
		expect(station).toBe('');
		const Inputs = [{ ...INPUTS[0], station } as IDataObject];
		expect(passes('A Station and a Period?', { station, period: 'today' } as IDataObject)).toBe(false);
		expect(ask('Ask Again', 'askAgain', {}, { Inputs })).toMatch(/^No station was named\. Ask again with/);
	});

	it('asks for a station by digits or by a part of its name, blanks left out', () => {
		expect([' 17 ', 'Depot North', 17].map((station) => ask('Inputs', 'station', { station }))).toEqual([
			'17',
			'Depot North',
			'17',
		]);
		expect(passes('A Station and a Period?', { station: '17', period: '' })).toBe(false);
		expect(passes('A Station and a Period?', { station: '17', period: 'today' })).toBe(true);
		expect(passes('One Station?', {})).toBe(false);
	});
});

it('stations-that-went-quiet.json: the mail says that today is not looked at', () => {
	const text = shown('stations-that-went-quiet', 'Message', 'text', {
		input: [{ station: 'Depot', sessionsBefore: 9 }],
		'Your Field Names': FIELDS,
	});
	expect(text).toBe(
		'Online, but no session in the 7 days up to yesterday (in brackets: sessions in the 7 days before):\n• Depot (9)',
	);
	const { conditions } = fieldOf('stations-that-went-quiet.json', 'No Session Any More', 'conditions') as {
		conditions: IDataObject[];
	};
	const named = (Station: unknown) =>
		evaluate(conditions[2]?.leftValue, {
			input: [{ Station } as IDataObject],
			nodes: { 'Your Field Names': FIELDS },
			now: NOW,
		});
	expect([...BLANK, 'Depot'].map(named)).toEqual([false, false, false, false, true]);
});
