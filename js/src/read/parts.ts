// The readers' parts, which the build puts in the place of core/border/parts.ts. What looks few keys up does without
// the second one.

export { blockRoutes, blockRoutes as hashing } from '../wasm/readers/block-routes.js';
export { routes } from '../wasm/readers/routes.js';
