/**
 * The only way to the platform: opening a connection, reading lists, and what failures mean. Inside, imports go one way:
 * types and settle, then answers, http, account; lists need answers only; a connection joins the four; open and
 * credentialTest make connections.
 */
export { authenticateKey } from './account/authenticate';
export { allowHttpProperty, environmentProperties } from './account/credentialForm';
export type { Connection } from './connection';
export { testChargingNetworkApi, testChargingNetworkUserApi } from './credentialTest';
export { DEFAULT_OPTIONS, openConnection } from './open';
export { noAddressOf } from './http/endpoint';
export { isSameId, shownId } from './answers/envelope';
export { isCanceled, PlatformError } from './answers/errors';
export { largeId } from './answers/parseJson';
export { pause } from './http/pause';
export { Turns } from './http/turns';
export type { PlatformList } from './lists/platformList';
export { keepRows, Kept } from './lists/sink';
export type { AskPage, ListResult, Paging, ReadRequest, Sink } from './lists/types';
export { settle } from './settle';
export type { Settled } from './settle';
export type { CsvStream, FailureKind, Page, PlatformOptions, PlatformStats, Row } from './types';
