/**
 * A client of Google's Safe Browsing, version 5: checks URLs with its lists and its server.
 *
 * @packageDocumentation
 */

export type { SafeBrowsingMode, SafeBrowsingOptions, Threat } from './options.js';
export {
  SafeBrowsing,
  type SafeBrowsingVerdict,
  type SafeBrowsingVerifyOptions,
} from './safe-browsing.js';
