import { getManyOperation } from '../../shared/operations/listOperations';
import { stationList } from './kind';

export const getAll = getManyOperation(stationList);
