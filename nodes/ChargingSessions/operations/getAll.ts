import { getManyOperation } from '../../shared/node/listOperations';
import { sessionList } from './kind';

export const getAll = getManyOperation(sessionList);
