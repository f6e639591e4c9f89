import type { Row } from '../shared/platform';
import { codeOf, rowKey } from '../shared/trigger/keys';
import type { Observation } from './state/types';
import type { TriggerSettings } from './settings';

/**
 * What a row says about its station.
 *
 * @param matching for `filterMatch`: whether the row came from the list that the filter selects
 * @returns undefined where the row has no usable Id
 */
export function toObservation(settings: TriggerSettings, row: Row, matching: boolean): Observation | undefined {
	const station = rowKey(row.Id);
	if (station === undefined) return undefined;
	const { watch, mode } = settings;
	return {
		station,
		active: mode === 'availability' ? !settings.onlineValues.has(codeOf(row.NetworkStatus)) : matching,
		outOfService: settings.outOfService.has(codeOf(row.Status)),
		values: watch.mode === 'statusChange' ? watch.dimensions.map((dimension) => codeOf(row[dimension])) : [],
	};
}
