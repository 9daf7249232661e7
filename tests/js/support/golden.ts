/** The golden files' manifest, tests/vectors/v1/manifest.json. */

import { readFileSync } from 'node:fs';

export interface Golden {
  readonly file: string;
  readonly type: string;
  readonly valid: boolean;
  readonly error?: string;
  readonly sha256: string;
  /** Hexadecimal, as all bytes here. */
  readonly key?: string;
  /** Keys in hexadecimal; of a bit array the indices. */
  readonly present?: readonly string[];
  readonly absent?: readonly { readonly key: string; readonly has: boolean }[];
}

export const goldenFolder = new URL('../../vectors/v1/', import.meta.url);

export const golden = JSON.parse(
  readFileSync(new URL('manifest.json', goldenFolder), 'utf8'),
) as Golden[];
