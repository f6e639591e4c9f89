import { SESSIONS } from '../shared/resources';
import { listLoadOptions } from '../shared/node/dropdowns/liveRows';
import { codesFor } from '../shared/node/dropdowns/statusCodes';

const listMethods = listLoadOptions(SESSIONS);

/** The trigger's dropdowns, including those of the filter form. */
export const triggerLoadOptions = {
	...listMethods,
	getEndStatuses: codesFor(listMethods.getStatusCodes, 'endStatuses'),
	getOtherEndStatuses: codesFor(listMethods.getStatusCodes, 'options.otherEndStatuses'),
};
