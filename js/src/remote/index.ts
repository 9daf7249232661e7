/**
 * Filters and maps of any size, in pages on a static host. A look-up sends one request.
 *
 * @packageDocumentation
 */

export { TamisError, type TamisErrorCode } from '../core/errors.js';
export type { Key } from '../core/key-types.js';
export type { Fetch } from '../core/requests.js';
export type { PublicKey } from '../core/signed/keys.js';
export type { Signature } from '../core/signed/manifest.js';
export type { Layout } from '../pages/layout.js';
export type { PagesFields, PagesManifest, PageType } from '../pages/manifest.js';
export type { LookUpOptions, RemoteOptions, RemoteStorage } from './options.js';
export { RemoteFilter } from './remote-filter.js';
export { RemoteMap } from './remote-map.js';
export type { RemoteStatus } from './remote-pages.js';
