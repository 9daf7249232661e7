// What the command line takes to build pages. Programs have no entry of it: they run the command.

export { pagesOf } from '../core/keys/routes.js';
export { trustKeys } from '../core/signed/keys.js';
export { signFields } from '../core/signed/manifest.js';
export {
  digestBytes,
  type Layout,
  leafBytesOf,
  mostPages,
  pagesFor,
  pagesInPart,
  partName,
} from './layout.js';
export {
  openPagesManifest,
  type PagesFields,
  type PagesManifest,
  type PageType,
  pagesManifest,
  pageTypes,
  readPagesFields,
} from './manifest.js';
export { MerkleTree, rootBy } from './merkle.js';
export { type BuiltPage, PageBuilder, type PageShape } from './page-builder.js';
