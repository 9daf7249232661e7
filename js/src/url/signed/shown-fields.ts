// The fields of a manifest that clients show to users, and never act on (cpp/FORMAT.md, section 7.2).

import { between } from '../../core/options.js';
import { matchText } from '../../core/signed/fields.js';
import { label, type Manifest, type ShownFields } from './manifest-fields.js';

/** A function, so that bundles without these fields drop it. */
export const shownReaders = () => ({
  label,
  severity: between(0, 10),
  report: matchText(
    /^https:\/\/[\w.:[\]-]+\/(?=.{0,2000}$)[!-~]*\{url\}[!-~]*$/,
    'a URL of https with {url} in its path or query',
  ),
});

/** The valid ones of these fields. An invalid value counts as absent. */
export function shownFields(manifest: Manifest): ShownFields {
  const fields = Object.entries(shownReaders()).filter(([name, read]) => {
    try {
      return Object.hasOwn(manifest, name) && read(Reflect.get(manifest, name), name) !== undefined;
    } catch {
      return false;
    }
  });
  return Object.fromEntries(fields.map(([name]) => [name, Reflect.get(manifest, name)]));
}
