import { getManyOperation } from '../../shared/node/listOperations';
import { locationList } from './kind';

export const getAll = getManyOperation(locationList);
