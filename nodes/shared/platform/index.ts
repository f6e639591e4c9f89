/** The only way to the platform: opening a connection, reading lists, and what failures mean. */
export { allowHttpProperty, environmentProperties } from './account/credentialForm';
export { testChargingNetworkApi, testChargingNetworkUserApi } from './account/credentialTest';
export { authenticateUser, signInUser } from './account/signIn';
export { DEFAULT_OPTIONS, openConnection } from './http/connection';
export type { Connection } from './http/connection';
export { isSameId, shownId } from './answers/envelope';
export { isCanceled, PlatformError, toNodeError } from './answers/errors';
export { backOffMs } from './http/retry';
export { pause } from './http/pause';
export type { PlatformList } from './lists/platformList';
export { refuseRoundedIds } from './lists/rows';
export type { Collect, ListResult, Paging, ReadRequest } from './lists/types';
export { settle } from './settle';
export type { Settled } from './settle';
export type { CsvStream, FailureKind, PlatformOptions, PlatformStats, Row } from './types';
