// The files beside a manifest, with publishList's names (cpp/FORMAT.md, section 7.1).

import { sha256Hex } from '../../core/signed/bytes.js';
import type { Manifest, ManifestFile } from '../signed/manifest.js';
import { readBytes, type UrlStorage } from '../signed/storage.js';

/** A place with the files of a version. */
export type Place = Pick<UrlStorage, 'get'>;

/** A file for the manifest or for the publisher's history. */
export interface NewFile {
  readonly file: ManifestFile;
  readonly content: Uint8Array;
}

/** The start of the names of jumps: the manifest's `jumps`. */
export const jumpPrefix = 'jump-';

/** The names that publishList gives. Other files of a manifest are not in the storage. */
export const ownName = /^(snapshot|delta)-([0-9a-f]{64})\.tamis$/;
export const ownJump = /^jump-[0-9a-f]{16}-([0-9a-f]{16})\.tamis$/;

export const fileNameOf = (kind: 'snapshot' | 'delta', sha256: string): string =>
  `${kind}-${sha256}.tamis`;

export async function makeFile(kind: 'snapshot' | 'delta', content: Uint8Array): Promise<NewFile> {
  const sha256 = await sha256Hex(content);
  return { file: { url: fileNameOf(kind, sha256), bytes: content.length, sha256 }, content };
}

/** The bytes of a file, if they have that digest and, if it is given, that size. */
export async function find(
  place: Place,
  { url, sha256, bytes: size }: Omit<ManifestFile, 'bytes'> & Partial<ManifestFile>,
): Promise<Uint8Array | undefined> {
  const bytes = await readBytes(place, url);
  if (bytes === undefined || bytes.length !== (size ?? bytes.length)) return undefined;
  return (await sha256Hex(bytes)) === sha256 ? bytes : undefined;
}

/** True if one of the files exists. */
export async function hasAny(place: Place, names: readonly string[]): Promise<boolean> {
  for (const name of names) if ((await readBytes(place, name)) !== undefined) return true;
  return false;
}

/** Runs `make`; undefined if its input is damaged, or in the format of another release. */
export function tryToRead<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch (error) {
    if (Object(error).code === 'ERR_TAMIS_OUT_OF_MEMORY') throw error;
    return undefined;
  }
}

export const filesOf = (manifest: Manifest | undefined): readonly ManifestFile[] =>
  manifest ? [manifest.snapshot, ...manifest.deltas] : [];

/** The files of a version that exist. */
export async function findAll(
  place: Place,
  manifest: Manifest | undefined,
): Promise<ReadonlyMap<string, NewFile>> {
  const files = new Map<string, NewFile>();
  for (const file of filesOf(manifest)) {
    const content = ownName.test(file.url) ? await find(place, file) : undefined;
    if (content !== undefined) files.set(file.url, { file, content });
  }
  return files;
}
