/** The parts of the wasm and what they need, as the build wrote them. */

import { readdirSync, readFileSync } from 'node:fs';
import type { Part } from '../../../js/src/wasm/part.js';

type Folder = 'parts' | 'readers';
const urlOf = (folder: Folder) => new URL(`../../../js/src/wasm/${folder}/`, import.meta.url);

export const partNamesOf = (folder: Folder): string[] =>
  readdirSync(urlOf(folder)).map((file) => file.replace(/\.ts$/, ''));
export const partNames = partNamesOf('parts');

/** The modules that a part needs besides the base, with itself. */
export function modulesOf(
  part: string,
  folder: Folder = 'parts',
  found = new Set<string>(),
): Set<string> {
  found.add(part);
  const source = readFileSync(new URL(`${part}.ts`, urlOf(folder)), 'utf8');
  for (const [, needed] of source.matchAll(/^import \{ \w+ \} from '\.\/([\w-]+)\.js';$/gm)) {
    modulesOf(needed as string, folder, found);
  }
  return found;
}

/** The part that has a type. */
export const partOf = (type: string) => (type.startsWith('url-') ? 'url' : type);

export const readPart = async (name: string, folder = 'parts'): Promise<Part> =>
  Object.values(await import(`../../../js/src/wasm/${folder}/${name}.js`))[0] as Part;
