import { SESSIONS } from '../../shared/dsquery/catalogue';
import type { ListKind } from '../../shared/node/listOperations';
import { SESSIONS_LIST } from '../../shared/platform/endpoints';

export const sessionList = {
	catalogue: SESSIONS,
	endpoint: SESSIONS_LIST,
	statusExample: '"StatusName": "Finished" beside "Status": 4',
} satisfies ListKind;
