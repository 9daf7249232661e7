/** The parts of the wasm and what they need, as the build wrote them. */

import { readdirSync, readFileSync } from 'node:fs';
import type { Part } from '../../../js/src/wasm/part.js';

const wasm = new URL('../../../js/src/wasm/', import.meta.url);

/** A folder for each link that is cut. */
export const partFolders = readdirSync(wasm, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

export const partNamesIn = (folder: string): string[] =>
  readdirSync(new URL(folder, wasm)).map((file) => file.replace(/\.ts$/, ''));

/** The modules that a part needs besides the base, with itself. */
export function modulesOf(part: string, folder = 'parts', found = new Set<string>()): Set<string> {
  found.add(part);
  const source = readFileSync(new URL(`${folder}/${part}.ts`, wasm), 'utf8');
  for (const [, needed] of source.matchAll(/^import \{ \w+ \} from '\.\/([\w-]+)\.js';$/gm)) {
    modulesOf(needed as string, folder, found);
  }
  return found;
}

export const readPart = async (name: string, folder = 'parts'): Promise<Part> =>
  Object.values(await import(`../../../js/src/wasm/${folder}/${name}.js`))[0] as Part;

/** The part that has a type. */
export const partOf = (type: string) => (type.startsWith('url-') ? 'url' : type);
