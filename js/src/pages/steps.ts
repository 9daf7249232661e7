// Exports for the command line, whose steps of a build run around an engine. Programs use tamis/pages.

export { pagesOf } from '../core/keys/routes.js';
export { checkParts, publishPages, sha256Sync } from './builder/folder.js';
export {
  type Publication,
  type PublishSteps,
  readNamed,
  readStanding,
  writeManifest,
} from './builder/manifest-file.js';
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
