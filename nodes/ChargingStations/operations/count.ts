import { countOperation } from '../../shared/operations/listOperations';
import { stationList } from './kind';

export const count = countOperation(stationList);
