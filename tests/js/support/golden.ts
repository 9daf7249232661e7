/** Reads the golden files' manifests, v1/manifest.json and (for the types of tamis/url) v1/url/manifest.json. */

import { readFileSync } from 'node:fs';

export interface Golden {
  readonly file: string;
  readonly type: string;
  readonly valid: boolean;
  readonly error?: string;
  readonly sha256: string;
  /** In hexadecimal, like all bytes in a manifest. */
  readonly key?: string;
  /** Keys in hexadecimal, or the indices of a bit array. */
  readonly present?: readonly string[];
  readonly absent?: readonly { readonly key: string; readonly has: boolean }[];
}

export const goldenFolder = new URL('../../vectors/v1/', import.meta.url);
export const urlGoldenFolder = new URL('url/', goldenFolder);

/** A valid file names two lists of the manifest. It has an answer (0 or 1) for each key in the second list. */
type Entry = Omit<Golden, 'valid' | 'present' | 'absent'> &
  (
    | { readonly valid: false }
    | { readonly valid: true; present: string; absent: string; answers: string }
  );

function readManifest(folder: URL): readonly Golden[] {
  const manifest = JSON.parse(readFileSync(new URL('manifest.json', folder), 'utf8')) as {
    lists: Record<string, readonly string[]>;
    files: readonly Entry[];
  };
  const listOf = (name: string): readonly string[] => {
    const keys = manifest.lists[name];
    if (keys === undefined) throw new Error(`the manifest has no list "${name}"`);
    return keys;
  };
  return manifest.files.map((entry) => {
    if (!entry.valid) return entry;
    const { present, absent, answers, ...head } = entry;
    const others = listOf(absent);
    if (!/^[01]*$/.test(answers) || answers.length !== others.length) {
      throw new Error(`${entry.file}: an answer for each key of "${absent}" is needed`);
    }
    return {
      ...head,
      present: listOf(present),
      absent: others.map((key, i) => ({ key, has: answers[i] === '1' })),
    };
  });
}

export const golden = readManifest(goldenFolder);
export const urlGolden = readManifest(urlGoldenFolder);

/** The entries with the bytes of their files in hexadecimal, to pass to other processes and pages. */
const withBytes = (some: readonly Golden[], folder: URL) =>
  some.map((one) => ({
    ...one,
    bytes: readFileSync(new URL(one.file, folder)).toString('hex'),
  }));

export const goldenWithBytes = () => [
  ...withBytes(golden, goldenFolder),
  ...withBytes(urlGolden, urlGoldenFolder),
];
