/** Input and folders for tests of buildPages. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PackedKeys } from 'tamis';
import { type BuildPagesOptions, buildPages, type PagesSource } from 'tamis/pages';
import { folder } from './cli.js';

export const name = 'list';
export const keys = Array.from({ length: 13_000 }, (_, i) => `key-${i}`);
export const path = (...names: string[]): string => join(folder, ...names);
export const build = (
  source: PagesSource,
  options: Partial<BuildPagesOptions> = {},
  where = 'out',
) => buildPages(source, path(where), { name, expectedKeys: keys.length, ...options });

/** The path and the bytes of each file in a folder. */
export const filesOf = (where: string): [string, string][] =>
  readdirSync(path(where))
    .sort()
    .map((file) => [file, readFileSync(path(where, file), 'base64')]);

/** The options of a client that looks up keys in the folder. */
export const client = (where = 'out') => ({
  url: 'https://host.example/manifest.json',
  options: {
    name,
    publicKeys: null,
    fullResponses: 'use' as const,
    fetch: async (url: string) =>
      new Response(readFileSync(path(where, url.split('/').at(-1) as string)) as never),
  },
});

export const bytesOf = (texts: readonly string[]): Uint8Array[] =>
  texts.map((text) => new TextEncoder().encode(text));

export function pack(texts: readonly string[]): PackedKeys {
  const bytes = bytesOf(texts);
  const ends = new Uint32Array(bytes.length);
  const starts = new Uint32Array(bytes.length);
  let end = 0;
  for (const [i, one] of bytes.entries()) {
    starts[i] = end;
    end += one.length;
    ends[i] = end;
  }
  return { bytes: new Uint8Array(Buffer.concat(bytes)), starts, ends, length: bytes.length };
}

export async function* later<T>(items: Iterable<T>): AsyncGenerator<T> {
  yield* items;
}
