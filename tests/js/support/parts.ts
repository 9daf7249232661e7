/** Lists the parts of the wasm and their dependencies, as the build wrote them. */

import { readdirSync, readFileSync } from 'node:fs';
import type { Part } from '../../../js/src/wasm/part.js';

const folder = new URL('../../../js/src/wasm/parts/', import.meta.url);

export const partNames = readdirSync(folder).map((file) => file.replace(/\.ts$/, ''));

/** The modules that a part needs besides the base, including itself. */
export function modulesOf(part: string, found = new Set<string>()): Set<string> {
  found.add(part);
  const source = readFileSync(new URL(`${part}.ts`, folder), 'utf8');
  for (const [, needed] of source.matchAll(/^import \{ \w+ \} from '\.\/([\w-]+)\.js';$/gm)) {
    modulesOf(needed as string, found);
  }
  return found;
}

/** The part that contains a type. */
export const partOf = (type: string) => (type.startsWith('url-') ? 'url' : type);

export const readPart = async (name: string): Promise<Part> =>
  Object.values(await import(`../../../js/src/wasm/parts/${name}.js`))[0] as Part;
