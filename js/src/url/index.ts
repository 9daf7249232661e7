export { canonicalize, navigationUrl } from './canonicalize.js';
export { type ConfirmOptions, createConfirmHandler } from './confirm.js';
export {
  type ExpressionOptions,
  expressions,
  type HostRule,
  hashExpression,
  type PublicSuffixRule,
} from './expressions.js';
export { type FileSystem, fileStorage } from './file-storage.js';
export {
  type Manifest,
  type ManifestDelta,
  type ManifestExpectation,
  type ManifestFields,
  type ManifestFile,
  type PublicKey,
  type SigningKeys,
  signManifest,
  type VerifyOptions,
  verifyManifest,
} from './manifest.js';
export { type PublishOptions, publishList } from './publish.js';
export type { PublishGate } from './publish-gate.js';
export {
  type RiceDeltas,
  type RiceOptions,
  type RiceWidth,
  riceDecode,
  riceEncode,
} from './rice.js';
export {
  cacheStorage,
  indexedDbStorage,
  memoryStorage,
  type StorageChoice,
  type UrlStorage,
} from './storage.js';
export {
  type CheckerStatus,
  type HostSet,
  type UpdateResult,
  UrlChecker,
  type UrlCheckerOptions,
  type Verdict,
  type Verification,
} from './url-checker.js';
export { UrlDelta } from './url-delta.js';
export {
  type ListAnswer,
  type ListLoadOptions,
  type ListStreamOptions,
  type UrlHit,
  UrlList,
} from './url-list.js';
export {
  type SkippedEntries,
  type SkippedEntry,
  UrlListBuilder,
  type UrlListBuilderOptions,
  type UrlListBuildOptions,
} from './url-list-builder.js';
