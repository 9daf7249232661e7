/**
 * URL lists that a server signs and publishes. A browser checks URLs against its own copy.
 *
 * @packageDocumentation
 */

export type { PublicKey, SigningKeys } from '../core/signed/keys.js';
export type { HostSet, UrlCheckerOptions } from './client/checker-options.js';
export type { CheckerAnswer, CheckerStatus } from './client/list-verdicts.js';
export type { UpdateResult } from './client/update-schedule.js';
export { UrlChecker, type Verification } from './client/url-checker.js';
export type {
  GuardList,
  GuardSource,
  ListSource,
  SourceVerdict,
  UrlGuardOptions,
} from './guard/guard-options.js';
export type { NewOverride, Overrides } from './guard/overrides.js';
export type { Override } from './guard/overrides-file.js';
export type { GuardVerdict, ListAction } from './guard/policy.js';
export { type GuardAnswer, type GuardStatus, UrlGuard } from './guard/url-guard.js';
export { canonicalize, navigationUrl } from './list/canonicalize.js';
export {
  type ExpressionOptions,
  expressions,
  type HostRule,
  hashExpression,
  type PublicSuffixRule,
} from './list/expressions.js';
export type { UrlHit } from './list/lookups.js';
export type { PrefixChanges, PrefixOptions } from './list/prefixes.js';
export {
  type RiceDeltas,
  type RiceOptions,
  type RiceWidth,
  riceDecode,
  riceEncode,
} from './list/rice.js';
export { UrlDelta } from './list/url-delta.js';
export {
  type ListAnswer,
  type ListLoadOptions,
  type ListStreamOptions,
  UrlList,
} from './list/url-list.js';
export { type ConfirmOptions, createConfirmHandler } from './server/confirm.js';
export { type PublishOptions, publishList } from './server/publish.js';
export type { PublishGate } from './server/publish-gate.js';
export {
  type AddFeedOptions,
  type SkippedEntries,
  type SkippedEntry,
  UrlListBuilder,
  type UrlListBuilderOptions,
  type UrlListBuildOptions,
} from './server/url-list-builder.js';
export { fileStorage } from './signed/file-storage.js';
export {
  type Manifest,
  type ManifestDelta,
  type ManifestExpectation,
  type ManifestFields,
  type ManifestFile,
  signManifest,
  type VerifyOptions,
  verifyManifest,
} from './signed/manifest.js';
export {
  cacheStorage,
  indexedDbStorage,
  memoryStorage,
  type StorageChoice,
  type UrlStorage,
} from './signed/storage.js';
