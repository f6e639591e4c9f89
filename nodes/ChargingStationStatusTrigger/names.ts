import { remembered } from '../shared/trigger/visit/memory';
import type { RowKey } from '../shared/trigger/types';

/** Names of stations that this process has seen, for the event about one that is gone. */
export const namesOf = remembered(() => new Map<RowKey, string>());
