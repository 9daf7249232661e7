// Exports for the command line, whose users can sort the hashes in an engine of their own. Programs use tamis/pages.

export { pagesOf } from '../core/keys/routes.js';
export {
  checkParts,
  type Publication,
  type PublishSteps,
  publishPages,
  readNamed,
  readStanding,
  sha256Sync,
  writeManifest,
} from './builder/folder.js';
export { PageBuilder } from './builder/page-builder.js';
export {
  type BuiltPart,
  findParts,
  type Origin,
  type PageRange,
  type PartTarget,
  PartWriter,
  partFile,
  removeBuilt,
  removeParts,
  removePublished,
} from './builder/parts.js';
export { leafBytesOf, pagesInPart, partName, rootOf } from './layout.js';
export { type PagesFields, type PagesManifest, type PageType, pageTypes } from './manifest.js';
export type { PageShape, PagesProgress } from './options.js';
