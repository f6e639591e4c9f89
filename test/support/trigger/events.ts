import type { IDataObject, INodeParameters } from 'n8n-workflow';

/** A value of an item as text. */
export const text = (value: unknown): string => String(value);

export function statusFilter(kind: 'networkStatus' | 'status' | 'hardwareStatus', value: string): INodeParameters {
	return { [kind]: [{ operator: 'Eq', value }] };
}

/**
 * Events in short, without the hourly items: `offline 3`, `ended 7`, `newRow 12`, `statusChanged 3 NetworkStatus 1>2`. Charge
 * points by their Id, `outOfOrder 71`, or by their place at a station, `outOfOrder 7#1`.
 */
export function short(items: readonly IDataObject[]): string[] {
	return items
		.filter(({ event }) => event !== 'watching')
		.map(({ event, dimension, from, to, ...item }) => {
			const change = [dimension, `${text(from)}>${text(to)}`].filter((part) => part !== undefined);
			return [event, idOf(item), ...(event === 'statusChanged' ? change : [])].map(text).join(' ');
		});
}

function idOf({ rowId, sessionId, stationId, chargePointId, knownBy }: IDataObject): unknown {
	if (knownBy === 'place') return `${text(stationId)}${text(chargePointId)}`;
	return chargePointId ?? rowId ?? sessionId ?? stationId;
}
