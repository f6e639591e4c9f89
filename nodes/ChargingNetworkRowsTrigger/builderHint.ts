import { builderHint, exampleHint, INSTEAD_OF_SCHEDULE } from '../shared/operation/builderHints';

export const rowsTriggerHint = builderHint({
	hints: [
		'To start a workflow when there is a new row in any list of an EV charging network platform, such as the audit trail or the users, or when a row changes or is gone, such as a tariff.',
		INSTEAD_OF_SCHEDULE,
		'Each item has event (newRow, changedRow, goneRow), text, a sentence for a chat (Telegram: with parse mode HTML), and the whole row in row. The filter of newRow decides at the moment a row is found. Items of changedRow and goneRow have before and now, each an object by field; watchedFields and ignoredFields choose the fields. They read the whole list in each poll and remember at most 20,000 values: use them for short lists such as tariffs or users.',
		'For sessions and stations use their own triggers. Where the ids of a list are not rising whole numbers, newRow cannot tell new rows: use a Schedule Trigger and chargingNetworkList.',
		exampleHint('Tariffs in euros whose price changes (path and fields: as the user says)', {
			pollTimes: { item: [{ mode: 'everyX', value: 5, unit: 'minutes' }] },
			event: 'changedRow',
			list: { __rl: true, mode: 'path', value: '/api/tariffs/v1' },
			watchedFields: ['PricePerKwh'],
			filters: { other: [{ field: 'Currency|text', textOperator: 'Eq', value: 'EUR' }] },
		}),
	],
	relatedNodes: [
		['chargingNetworkList', 'Use this instead to ask for rows at any time'],
		['chargingSessionTrigger', 'Sessions have a trigger of their own'],
		['chargingStationStatusTrigger', 'Stations have a trigger of their own'],
	],
});
