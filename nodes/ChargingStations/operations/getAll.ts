import { getManyOperation } from '../../shared/node/listOperations';
import { stationList } from './kind';

export const getAll = getManyOperation(stationList);
