import type { INodeParameters } from 'n8n-workflow';

/** A value of an item as text. */
export const text = (value: unknown): string => String(value);

export function statusFilter(kind: 'networkStatus' | 'status' | 'hardwareStatus', value: string): INodeParameters {
	return { [kind]: [{ operator: 'Eq', value }] };
}
