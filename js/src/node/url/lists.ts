// Lists of URLs in files.

import { type HostRule, UrlList } from 'tamis/url';
import { allowSizeOf, readOwn } from '../files/files.js';
import { CommandError, codeOf, prefixError } from '../frame/errors.js';

/** The list in a file; the rule is needed for look-ups. Throws a CommandError that names the file. */
export async function loadList(path: string, rule?: HostRule): Promise<UrlList> {
  try {
    const bytes = await readOwn(path);
    return UrlList.fromBytes(bytes, { ...allowSizeOf(bytes), ...(rule && { rule }) });
  } catch (error) {
    if (codeOf(error) === 'ERR_TAMIS_WRONG_TYPE') {
      throw new CommandError(`${path}: no list of URLs, which tamis url build writes`);
    }
    throw prefixError(path, error);
  }
}

/** Entries that came and went. */
export function countChanges(
  older: UrlList,
  list: UrlList,
): { additions: number; removals: number } {
  const delta = list.diff(older);
  const { additions, removals } = delta;
  delta.dispose();
  return { additions, removals };
}
