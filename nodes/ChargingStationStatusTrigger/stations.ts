import { PlatformError } from '../shared/platform';
import type { Platform } from '../shared/platform';
import { isPassing, orElse } from '../shared/trigger/orElse';
import { rowId } from '../shared/trigger/keys';
import type { StationKey } from './state/types';

/**
 * Whether the detail endpoint says that a station does not exist.
 *
 * @returns undefined where it could not be asked just now
 */
export async function doesNotExist(platform: Platform, key: StationKey): Promise<boolean | undefined> {
	const found = await orElse(
		platform.getStation(String(rowId(key))),
		(error) => isPassing(error) || (error instanceof PlatformError && error.kind === 'not-found'),
	);
	if ('value' in found) return false;
	return isPassing(found.error) ? undefined : true;
}
