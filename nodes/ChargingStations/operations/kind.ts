import { STATIONS } from '../../shared/dsquery/catalogue';
import type { ListKind } from '../../shared/node/listOperations';
import { STATIONS_LIST } from '../../shared/platform/endpoints';

export const stationList = {
	catalogue: STATIONS,
	endpoint: STATIONS_LIST,
	statusExample: '"NetworkStatusName": "Online" beside "NetworkStatus": 1',
} satisfies ListKind;
