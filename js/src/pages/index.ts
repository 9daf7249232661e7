/**
 * Builds filters and maps of any size in pages for a static host, where `tamis/remote` looks up keys. For Node.
 *
 * @packageDocumentation
 */

import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { typeError } from '../core/errors.js';
import { type Keys, lengthOf } from '../core/key-types.js';
import { hashReaders } from '../core/keys/hashing.js';
import {
  abortSignal,
  callable,
  integer,
  need,
  oneOf,
  type Reader,
  readOptions,
  text,
} from '../core/options.js';
import { publicKeysReader, signingKeysReader } from '../core/signed/keys.js';
import { signFields } from '../core/signed/manifest.js';
import { version } from '../core/version.js';
import { MANIFEST } from './builder/folder.js';
import { buildInto } from './builder/job.js';
import { PageBuilder } from './builder/page-builder.js';
import { checkedSource } from './builder/source.js';
import { mostPages, partName } from './layout.js';
import { type PagesManifest, pageTypes, setNameReader } from './manifest.js';
import type { BuildPagesOptions, BuiltPages, PagesProgress, PagesSource } from './options.js';

export { TamisError, type TamisErrorCode } from '../core/errors.js';
export type { Key, PackedKeys } from '../core/key-types.js';
export type { HashOptions } from '../core/keys/hashing.js';
export type { Progress } from '../core/options.js';
export type { PublicKey, SigningKeys } from '../core/signed/keys.js';
export type { Signature } from '../core/signed/manifest.js';
export type { Layout } from './layout.js';
export type { PagesFields, PagesManifest, PageType } from './manifest.js';
export type * from './options.js';

const dayMs = 24 * 3600 * 1000;

/** For options that only some types have. The page builder checks them, because it knows the type. */
const unchecked: Reader<number> = (value) => value as number;

const readers = () => ({
  ...hashReaders(),
  fingerprintBits: unchecked,
  arity: unchecked,
  fpr: unchecked,
  valueBits: unchecked,
  checkBits: unchecked,
  name: setNameReader,
  type: oneOf(pageTypes),
  exclude: checkedSource,
  pages: integer(1, mostPages),
  memoryBytes: integer(1e6),
  expectedKeys: integer(0),
  signingKeys: signingKeysReader,
  publicKeys: publicKeysReader,
  lifetimeMs: integer(1, 36_525 * dayMs),
  files: oneOf(['part', 'page']),
  resume: text,
  signal: abortSignal,
  onProgress: callable<(progress: PagesProgress) => void>(),
});

/**
 * Writes a filter of any number of keys to a folder for a static host. The filter consists of pages and manifest.json.
 *
 * A page is a filter of about 12,000 keys, which a client fetches and verifies alone. `folder` is created if it does
 * not exist. The files depend only on the set of keys, not on their order.
 *
 * `source` contains the keys: an array, another iterable, an AsyncIterable or a ReadableStream. It is read once, and
 * the hashes are stored on disk in `folder`. For `'bloomier'` it contains entries `[key, value]`.
 *
 * File names depend on the content, so the files of an older manifest stay, for clients that still use it. The manifest
 * is written last; if the call fails before, the folder stays as it was. If `signal` aborts, the call rejects with the
 * signal's reason.
 *
 * Rejects with TypeError and RangeError for wrong options and keys, and with:
 *
 * - ERR_TAMIS_CONFLICT if a key is in both lists of `'exact'`, or has two values,
 * - ERR_TAMIS_UNAVAILABLE if another call builds in the folder,
 * - ERR_TAMIS_INCOMPATIBLE if the folder contains another set,
 * - ERR_TAMIS_BAD_SIGNATURE if neither `signingKeys` nor `publicKeys` signed the manifest in the folder,
 * - ERR_TAMIS_ROLLBACK if the clock is behind that manifest by the lifetime or more,
 * - ERR_TAMIS_TOO_LARGE if a page gets far more keys than others,
 * - ERR_TAMIS_LOST if the process was suspended for half a minute, and another process took over the folder,
 * - errors of Node's file system, with Node's codes.
 *
 * @example
 * import { mkdtemp } from 'node:fs/promises';
 * import { tmpdir } from 'node:os';
 * import { join } from 'node:path';
 * import { buildPages } from 'tamis/pages';
 * const folder = await mkdtemp(join(tmpdir(), 'pages-'));
 * const { manifest, parts } = await buildPages(['alice', 'bob', 'alice'], folder, { name: 'users' });
 * manifest.keys; // => 2
 * parts.length; // => 1
 */
export async function buildPages(
  source: PagesSource,
  folder: string,
  options: BuildPagesOptions,
): Promise<BuiltPages> {
  const what = 'buildPages';
  const keys = checkedSource(source, `${what}: source`);
  text(folder, `${what}: folder`);
  const checked = readOptions(options, readers(), what);
  need(checked, what, 'name');
  const { type, exclude, signingKeys, signal } = checked;
  if ((exclude !== undefined) !== (type === 'exact')) {
    const need = exclude === undefined ? 'needs' : 'alone has';
    throw typeError(`${what}: the type 'exact' ${need} the option exclude`);
  }
  signal?.throwIfAborted();
  // Without this check, a private and a public key that do not match would fail only after the build.
  const trial = { kind: 'tamis-pages-trial', readFields: Object };
  if (signingKeys) await signFields(trial, {}, signingKeys, what);
  const manifest = await build(keys, folder, checked);
  const parts = Array.from({ length: manifest.parts }, (_, i) =>
    join(folder, partName(manifest, i)),
  );
  const bytes = manifest.pages * manifest.stride;
  return { manifestPath: join(folder, MANIFEST), manifest, parts, bytes };
}

/** Builds the pages with options that were checked. */
function build(
  keys: PagesSource,
  folder: string,
  {
    name,
    type = 'ribbon',
    exclude: excluded,
    pages,
    memoryBytes = 200e6,
    expectedKeys,
    signingKeys,
    publicKeys: oldKeys = [],
    lifetimeMs = 7 * dayMs,
    files,
    resume,
    signal,
    onProgress,
    ...shape
  }: BuildPagesOptions,
): Promise<PagesManifest> {
  const builder = new PageBuilder(type, shape);
  const [keyCount, excludedCount] = [keys, excluded ?? []].map((one) => lengthOf(one as Keys));
  const isCounted = keyCount !== undefined && excludedCount !== undefined;
  const job = {
    sources: [['keys', keys] as const, ...(excluded ? [['excluded', excluded] as const] : [])],
    builder,
    pages,
    memoryBytes,
    expectedKeys: expectedKeys ?? (isCounted ? keyCount + excludedCount : undefined),
    // Without `resume`, the identity is random, so that no later call continues this one.
    identity: JSON.stringify([version, resume ?? randomUUID(), builder.facts, pages ?? null]),
  };
  const publication = { name, lifetimeMs, isApart: files === 'page', keys: signingKeys, oldKeys };
  const report = (progress: PagesProgress) => {
    signal?.throwIfAborted();
    onProgress?.(progress);
  };
  return buildInto(folder, job, publication, { report, signal, keeps: resume !== undefined });
}
