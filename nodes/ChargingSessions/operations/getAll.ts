import { getManyOperation } from '../../shared/operations/listOperations';
import { sessionList } from './kind';

export const getAll = getManyOperation(sessionList);
