/** The only way to the platform: opening a connection, reading lists, and what failures mean. */
export { authenticateKey, authenticateUser } from './account/authenticate';
export { allowHttpProperty, environmentProperties } from './account/credentialForm';
export { testChargingNetworkApi, testChargingNetworkUserApi } from './account/credentialTest';
export { signInUser } from './account/signIn';
export { DEFAULT_OPTIONS, openConnection } from './http/open';
export type { Connection } from './http/connection';
export { isCanceled, PlatformError } from './answers/errors';
export { pause } from './http/pause';
export { countList } from './lists/count';
export { readList } from './lists/list';
export { refuseRoundedIds } from './lists/rows';
export type { GetPage, KeepRows, ListRequest, ListResult } from './lists/types';
export { countOpenList, readOpenList } from './lists/unknownShape';
export { settle } from './settle';
export type { Settled } from './settle';
export type { CsvStream, FailureKind, PlatformOptions, PlatformStats, Row } from './types';
