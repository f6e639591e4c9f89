import { countOperation } from '../../shared/node/listOperations';
import { stationList } from './kind';

export const count = countOperation(stationList);
