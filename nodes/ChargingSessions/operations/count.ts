import { countOperation } from '../../shared/node/listOperations';
import { sessionList } from './kind';

export const count = countOperation(sessionList);
