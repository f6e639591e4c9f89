/**
 * The only way to the platform: opening a connection, reading lists, and what failures mean. Inside, imports go one way:
 * types, then answers, http, account; lists need answers only; a connection joins the four; open and credentialTest make
 * connections.
 */
export { authenticateKey } from './account/authenticate';
export { allowHttpProperty, environmentProperties } from './account/credentialForm';
export { interruptedError } from './answers/answerErrors';
export { isCanceled, PlatformError } from './answers/errors';
export type { Connection } from './connection';
export { testChargingNetworkApi, testChargingNetworkUserApi } from './credentialTest';
export { pause } from './http/pause';
export type { ListReader } from './lists/listReader';
export { createRowBuffer, RowBuffer } from './lists/rowBuffer';
export type { ListReadRequest, PagingOptions, RowSink } from './lists/types';
export { isWholeList } from './lists/wholeList';
export { DEFAULT_OPTIONS, openConnection } from './open';
export type { FailureKind, OddForm, Page, PlatformOptions, PlatformStats, Row } from './types';
