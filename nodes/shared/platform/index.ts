/** The only way to the platform: opening a connection, reading lists, and what failures mean. */
export { authenticateKey, authenticateUser } from './account/authenticate';
export { allowHttpProperty, environmentProperties } from './account/credentialForm';
export { testChargingNetworkApi, testChargingNetworkUserApi } from './account/credentialTest';
export { signInUser } from './account/signIn';
export { DEFAULT_OPTIONS, openConnection } from './http/open';
export type { Connection } from './http/connection';
export { isSameId, shownId } from './answers/envelope';
export { isCanceled, PlatformError } from './answers/errors';
export { pause } from './http/pause';
export type { PlatformList } from './lists/platformList';
export { NOTE_INSTEAD } from './lists/faults';
export { refuseRoundedIds } from './lists/rows';
export type { Collect, ListResult, Paging, ReadRequest } from './lists/types';
export { settle } from './settle';
export type { Settled } from './settle';
export type { CsvStream, FailureKind, PlatformOptions, PlatformStats, Row } from './types';
