import { countOperation } from '../../shared/operations/listOperations';
import { sessionList } from './kind';

export const count = countOperation(sessionList);
