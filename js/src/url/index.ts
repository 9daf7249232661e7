export { canonicalize } from './canonicalize.js';
export {
  type ExpressionOptions,
  expressions,
  type HostRule,
  hashExpression,
  type PublicSuffixRule,
} from './expressions.js';
export type { PublishGate } from './publish-gate.js';
export {
  type RiceDeltas,
  type RiceOptions,
  type RiceWidth,
  riceDecode,
  riceEncode,
} from './rice.js';
export { UrlDelta } from './url-delta.js';
export {
  type ListAnswer,
  type ListLoadOptions,
  type ListStreamOptions,
  type UrlHit,
  UrlList,
} from './url-list.js';
export {
  UrlListBuilder,
  type UrlListBuilderOptions,
  type UrlListBuildOptions,
} from './url-list-builder.js';
