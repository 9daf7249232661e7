// Writes the folder for a static host: the parts with pages and their proofs, and the manifest that names them.

import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { jsonIn } from '../../core/signed/bytes.js';
import { type PublicKey, type SigningKeys, trustKeys } from '../../core/signed/keys.js';
import { signFields } from '../../core/signed/manifest.js';
import {
  codeOf,
  FileError,
  formatCount,
  type MustHold,
  pluralize,
  readIfThere,
  removeLeftovers,
  withLock,
  writeAtomically,
} from '../../disk/index.js';
import {
  digestBytes,
  type Layout,
  leafBytesOf,
  MerkleTree,
  pagesInPart,
  partName,
} from '../layout.js';
import {
  openPagesManifest,
  type PagesFields,
  type PagesManifest,
  pagesManifest,
  readPagesFields,
} from '../manifest.js';
import type { PagesProgress } from '../options.js';
import type { PageBuilder } from './page-builder.js';
import { type BuiltPart, type PageFacts, readPages } from './parts.js';

export interface PublishSteps {
  /** Reports the progress of a step. Throws if the caller's signal is aborted. */
  readonly report: (progress: PagesProgress) => void;
  /** Throws if this process lost the lock that it holds during the steps. */
  readonly mustHold: MustHold;
  readonly signal?: AbortSignal | undefined;
  /** True if files stay after a failed step, so that a later run can continue. */
  readonly keeps: boolean;
}

/** The fields of a manifest that do not depend on the pages. */
export interface Publication {
  readonly name: string;
  readonly lifetimeMs: number;
  /** True if each page is a file of its own. */
  readonly isApart: boolean;
  /** The signing keys; undefined for an unsigned manifest. */
  readonly keys: SigningKeys | undefined;
  /** Other public keys that may have signed the manifest in the folder. */
  readonly oldKeys: readonly PublicKey[];
}

export const MANIFEST = 'manifest.json';

/** Reads a list's manifest, unverified; undefined if absent. Throws ERR_TAMIS_INCOMPATIBLE for another list. */
export async function readNamed(folder: string, name: string): Promise<Buffer | undefined> {
  const path = join(folder, MANIFEST);
  const bytes = await readIfThere(path);
  if (bytes === undefined) return undefined;
  const manifest = await openPagesManifest(bytes, null).catch((cause) => {
    const message = `${path}: ${cause.message} (${cause.code})`;
    throw new FileError(cause.code, message, { cause });
  });
  if (manifest.name === name) return bytes;
  const message = `${folder}: the folder contains the list '${manifest.name}', not '${name}'`;
  throw new FileError('ERR_TAMIS_INCOMPATIBLE', message);
}

/** Reads and verifies the current manifest, if any. Throws if this publication must not replace it. */
export async function readStanding(
  folder: string,
  { name, lifetimeMs, keys, oldKeys }: Publication,
): Promise<PagesFields | undefined> {
  const bytes = await readNamed(folder, name);
  if (bytes === undefined) return undefined;
  const known = keys ? await trustKeys([keys.publicKey, ...oldKeys]) : null;
  const last = await openPagesManifest(bytes, known).catch((cause) => {
    // readNamed has checked the fields, so here the signature is wrong, or absent (ERR_TAMIS_CORRUPT).
    const isOfOtherKey = codeOf(cause) === 'ERR_TAMIS_BAD_SIGNATURE';
    const what = isOfOtherKey ? 'not signed with `signingKeys`' : 'it is not signed';
    const way = `${isOfOtherKey ? 'pass `publicKeys`, ' : ''}use another folder, or remove it`;
    const message = `${join(folder, MANIFEST)}: ${what} (ERR_TAMIS_BAD_SIGNATURE): ${way}`;
    throw new FileError('ERR_TAMIS_BAD_SIGNATURE', message, { cause });
  });
  if (!keys && Object.hasOwn(jsonIn(bytes), 'keyId')) {
    const message = `${join(folder, MANIFEST)}: it is signed: pass \`signingKeys\`, use another folder, or remove it`;
    throw new FileError('ERR_TAMIS_BAD_SIGNATURE', message);
  }
  if (last.seq === Number.MAX_SAFE_INTEGER) {
    const message = `${folder}: no sequence can follow ${last.seq}: remove manifest.json`;
    throw new FileError('ERR_TAMIS_ROLLBACK', message);
  }
  const nowMs = Date.now();
  if (nowMs + lifetimeMs <= Date.parse(last.created)) {
    const now = new Date(nowMs).toISOString();
    const what = `the clock says ${now}, more than the lifetime before the version of ${last.created}`;
    const message = `${folder}: ${what}: set the clock, or pass a longer \`lifetimeMs\``;
    throw new FileError('ERR_TAMIS_ROLLBACK', message);
  }
  return last;
}

/**
 * Writes a manifest. Its sequence is the time in seconds, or the last sequence plus one if that is larger. `content`
 * has the fields that depend on the pages. `check` gets the last manifest while no other process can write one.
 */
export async function writeManifest(
  folder: string,
  publication: Publication,
  content: object,
  check: (last: PagesFields | undefined) => void,
  { report, mustHold, signal }: PublishSteps,
): Promise<PagesManifest> {
  const { name, lifetimeMs, keys } = publication;
  const publish = async (mustHoldPublish: MustHold) => {
    /** Throws if this process lost the caller's lock, or publish.lock. */
    const mustHoldBoth = () => {
      mustHold();
      mustHoldPublish();
    };
    const last = await readStanding(folder, publication);
    check(last);
    const nowMs = Date.now();
    const fields = readPagesFields({
      ...content,
      name,
      seq: Math.max((last?.seq ?? 0) + 1, Math.floor(nowMs / 1000)),
      created: new Date(nowMs).toISOString(),
      notAfter: new Date(nowMs + lifetimeMs).toISOString(),
    });
    const manifest = keys ? await signFields(pagesManifest, fields, keys, 'manifest') : fields;
    const bytes = Buffer.from(JSON.stringify(manifest));
    await writeAtomically(join(folder, MANIFEST), bytes, mustHoldBoth);
    mustHoldBoth();
    await removeLeftovers(folder, `.${MANIFEST}.`);
    return manifest;
  };
  const onWait = (lock: string) => report({ step: 'waiting', done: 0, path: lock });
  return withLock(join(folder, 'publish.lock'), publish, { signal, onWait });
}

export const sha256Sync = (bytes: Uint8Array): Uint8Array =>
  createHash('sha256').update(bytes).digest();

/** Throws ERR_TAMIS_CORRUPT unless each page exists once, and ERR_TAMIS_INCOMPATIBLE if the parts' options differ. */
export function checkParts(parts: readonly BuiltPart[], folder: string): void {
  const firstPart = parts[0] as BuiltPart;
  let next = 0;
  let previous = firstPart;
  const firstFacts = factsOf(firstPart);
  for (const part of parts) {
    const facts = factsOf(part);
    for (const name of Object.keys({ ...facts, ...firstFacts })) {
      const [here, there] = [facts[name] ?? 'absent', firstFacts[name] ?? 'absent'];
      if (here === there) continue;
      const what = `${name} is ${here} here and ${there} in ${firstPart.path}`;
      const message = `${part.path}: ${what}: build all parts with the same options`;
      throw new FileError('ERR_TAMIS_INCOMPATIBLE', message);
    }
    if (part.first > next) throw missingPages(next, part.first - 1, folder);
    if (part.first < next) {
      const page = formatCount(part.first);
      const message = `${part.path}: page ${page} is also in ${previous.path}`;
      throw new FileError('ERR_TAMIS_CORRUPT', message);
    }
    next = part.last + 1;
    previous = part;
  }
  if (next < firstPart.pages) throw missingPages(next, firstPart.pages - 1, folder);
}

function missingPages(from: number, to: number, folder: string): FileError {
  const pages = from === to ? `page ${formatCount(from)} is` : `pages ${from} to ${to} are`;
  const what = `${pages} missing: run tamis pages for them, with --range and --run`;
  return new FileError('ERR_TAMIS_CORRUPT', `${folder}: ${what}`);
}

/** The facts that all parts of a set must share, under the names that messages use for them. */
const factsOf = ({ facts, pages, origin }: BuiltPart): PageFacts => ({
  // The run comes first, because parts of two runs may differ in everything.
  ...(origin && { run: origin.run, name: origin.name }),
  pages,
  ...facts,
  ...(origin && { 'the id of the closing lines': origin.closing }),
});

const sumOf = (parts: readonly BuiltPart[], list: 'keys' | 'excluded'): number =>
  parts.flatMap((part) => part[list]).reduce((sum, count) => sum + count, 0);

/** Throws ERR_TAMIS_TOO_LARGE if a page is longer than `room` bytes. */
function checkSizes(parts: readonly BuiltPart[], room: number): void {
  for (const { first, pages, sizes, keys } of parts) {
    for (const [i, size] of sizes.entries()) {
      if (size <= room) continue;
      const bytes = `${formatCount(size)} bytes, and there are ${formatCount(room)}`;
      const what = `page ${formatCount(first + i)} is too full: ${pluralize(keys[i] ?? 0, 'key')} take ${bytes}`;
      const way = `give a larger \`pages\`, such as ${Math.ceil(pages * 1.5) + 1}`;
      throw new FileError('ERR_TAMIS_TOO_LARGE', `${what}: ${way}`);
    }
  }
}

/** Writes the parts and the manifest of built pages. Skips files that already have the same content. */
export async function publishPages(
  parts: readonly BuiltPart[],
  folder: string,
  builder: Pick<PageBuilder, 'layoutFor'>,
  publication: Publication,
  steps: PublishSteps,
): Promise<PagesManifest> {
  const { pages, facts } = parts[0] as BuiltPart;
  const keys = sumOf(parts, 'keys');
  if (keys === 0) {
    const message = `${folder}: the pages have no keys`;
    throw new FileError('ERR_TAMIS_INVALID_OPTION', message);
  }
  const layout = builder.layoutFor(keys, sumOf(parts, 'excluded'), pages, publication.isApart);
  checkSizes(parts, leafBytesOf(layout));
  // Each page is read twice: for the tree, and for its part.
  const total = 2 * pages * layout.stride;
  let done = 0;
  const onPage = () => {
    done += layout.stride;
    steps.report({ step: 'writing', done, total });
  };
  await mkdir(folder, { recursive: true });
  // This check comes early, so that a wrong manifest is refused before the pages are read, which can take long.
  await readStanding(folder, publication);
  const tree = await treeOf(parts, layout, onPage);
  const root = Buffer.from(tree.root).toString('hex');
  const check = (last: PagesFields | undefined) => checkAge(parts, last, root);
  check(await readStanding(folder, publication));
  const names = { name: publication.name, root, ...layout };
  const written: string[] = [];
  try {
    const pathOf = (part: number) => join(folder, partName(names, part));
    await writeParts(parts, tree, layout, pathOf, written, onPage);
    steps.mustHold();
    await removeLeftovers(folder, `.${names.name}.${root.slice(0, 16)}.`);
    const content = { ...facts, keys, ...layout, root };
    return await writeManifest(folder, publication, content, check, steps);
  } catch (error) {
    if (steps.keeps) throw error;
    // If the lock is lost, another run may already use these files.
    steps.mustHold();
    // The files stay if the manifest names them, or if it cannot be read.
    const last = await readStanding(folder, publication).catch(() => names);
    const areNamed = last !== undefined && partName(last, 0) === partName(names, 0);
    if (!areNamed) for (const path of written) rmSync(path, { force: true });
    throw error;
  }
}

async function treeOf(
  parts: readonly BuiltPart[],
  layout: Layout,
  onPage: () => void,
): Promise<MerkleTree> {
  const digests = new Uint8Array(digestBytes * layout.pages);
  const leaf = Buffer.alloc(leafBytesOf(layout));
  let page = 0;
  for await (const pageFile of readPages(parts)) {
    leaf.fill(0).set(pageFile);
    digests.set(sha256Sync(leaf), digestBytes * page++);
    onPage();
  }
  return new MerkleTree(digests, sha256Sync);
}

/** Writes the file of each part. `written` collects the paths of new and replaced files. */
async function writeParts(
  parts: readonly BuiltPart[],
  tree: MerkleTree,
  layout: Layout,
  pathOf: (part: number) => string,
  written: string[],
  onPage: () => void,
): Promise<void> {
  const { stride, pagesPerPart } = layout;
  let buffer = Buffer.alloc(0);
  let page = 0;
  for await (const pageFile of readPages(parts)) {
    const part = Math.floor(page / pagesPerPart);
    const at = (page % pagesPerPart) * stride;
    if (at === 0) buffer = Buffer.alloc(stride * pagesInPart(part, layout));
    buffer.set(pageFile, at);
    buffer.set(tree.proofOf(page), at + leafBytesOf(layout));
    page++;
    onPage();
    if (at + stride < buffer.length) continue; // the part has more pages
    const path = pathOf(part);
    // An existing file may be damaged, by the disk or a copy, so its content is compared.
    if ((await readIfThere(path))?.equals(buffer)) continue;
    await writeAtomically(path, buffer);
    written.push(path);
  }
}

/** Throws ERR_TAMIS_ROLLBACK if `last`, the current manifest, names other pages and is newer than a part. */
function checkAge(parts: readonly BuiltPart[], last: PagesFields | undefined, root: string): void {
  if (last === undefined || last.root === root) return;
  for (const { path, origin } of parts) {
    if (origin === undefined || Date.parse(origin.built) >= Date.parse(last.created)) continue;
    const older = `built ${origin.built}, before the manifest of ${last.created}`;
    const message = `${path}: ${older}: build the parts again, or remove them`;
    throw new FileError('ERR_TAMIS_ROLLBACK', message);
  }
}
