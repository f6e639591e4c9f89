import { LOCATIONS } from '../../shared/dsquery/catalogue';
import type { ListKind } from '../../shared/node/listOperations';
import { LOCATIONS_LIST } from '../../shared/platform/endpoints';

export const locationList: ListKind = { catalogue: LOCATIONS, endpoint: LOCATIONS_LIST };
