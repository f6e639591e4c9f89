import { getManyOperation } from '../../shared/operations/listOperations';
import { locationList } from './kind';

export const getAll = getManyOperation(locationList);
